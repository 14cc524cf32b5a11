//! An instrumented program reaches its goal under SC exactly where the oracle, comparing sets of
//! traces, says no: on random programs, with and without locked sections, exclusive accesses and
//! faults, and on all tiny ones. The full run is
//!
//! ```text
//! cargo test --release -p fencewright-instrument -- --ignored
//! ```

mod variants;
mod written;

use std::collections::{HashSet, VecDeque};
use std::fmt::Write;

use fastrand::Rng;
use instrument::{
    Goal, Instrumented, attacks, persistence, refuted_by_control_flow, robustness_attack,
    robustness_single,
};
use oracle::generate::random::{Shape, random_programs};
use oracle::generate::shrink::smallest;
use oracle::generate::straight::Op;
use oracle::generate::tiny::{Alphabet, tiny_programs};
use oracle::{Criterion, Limits, MemoryModel, holds, reachable_faults};
use program::{Fault, Program};
use semantics::{Machine, Model};
use variants::locking_programs;

const LIMITS: Limits = Limits { max_states: 30_000, max_length: 200 };
const MAX_STATES: usize = 60_000;

/// Whether the goal is reachable under SC; nothing if there are too many states.
fn reaches(instrumented: &Instrumented) -> Option<bool> {
    let machine = Machine::new(&instrumented.program, Model::Sc).expect("a definite program");
    let mut seen = HashSet::from([machine.initial()]);
    let mut waiting = VecDeque::from([machine.initial()]);
    while let Some(state) = waiting.pop_front() {
        if machine.in_memory(&state, instrumented.goal.address) == Some(Goal::VALUE) {
            return Some(true);
        }
        for taken in machine.moves(&state) {
            let (next, _) = machine.apply(&state, taken).expect("an enabled move");
            if seen.insert(next.clone()) {
                waiting.push_back(next);
            }
        }
        if seen.len() > MAX_STATES {
            return None;
        }
    }
    Some(false)
}

/// Two ways to say whether a goal is reachable, or nothing where something cannot be enumerated.
type Law = fn(&Program) -> Option<[bool; 2]>;

fn single_decides_robustness(program: &Program) -> Option<[bool; 2]> {
    let robust = holds(program, Criterion::Robust, &LIMITS).ok()?;
    let instrumented = robustness_single(program).expect("a small program");
    Some([!robust, reaches(&instrumented)?])
}

fn attacks_decide_robustness(program: &Program) -> Option<[bool; 2]> {
    let robust = holds(program, Criterion::Robust, &LIMITS).ok()?;
    let mut feasible = false;
    for attack in attacks(program).expect("a definite program") {
        let instrumented = robustness_attack(program, &attack).expect("an attack of the program");
        let reached = reaches(&instrumented)?;
        if reached && refuted_by_control_flow(program, &attack) {
            return Some([false, true]);
        }
        feasible |= reached;
    }
    Some([!robust, feasible])
}

fn pivots_decide_persistence(program: &Program) -> Option<[bool; 2]> {
    let persistent = holds(program, Criterion::Persistent, &LIMITS).ok()?;
    let instrumented = persistence(program).expect("a small program");
    Some([!persistent, reaches(&instrumented)?])
}

/// The assertion fails exactly where the goal is reached, according to the oracle too.
fn assertions_fail_at_the_goal(program: &Program) -> Option<[bool; 2]> {
    let limits = Limits { max_states: MAX_STATES, ..LIMITS };
    let mut any = false;
    for instrumented in [robustness_single(program), persistence(program)] {
        let instrumented = instrumented.expect("a small program");
        let faults =
            reachable_faults(&instrumented.with_assertion(), MemoryModel::Sc, &limits).ok()?;
        let failed = faults.iter().any(|(_, fault)| *fault == Fault::AssertionFailed);
        let reached = reaches(&instrumented)?;
        if failed != reached {
            return Some([failed, reached]);
        }
        any |= reached;
    }
    Some([any, any])
}

const LAWS: [(&str, Law); 4] = [
    ("single", single_decides_robustness),
    ("attacks", attacks_decide_robustness),
    ("persistence", pivots_decide_persistence),
    ("assertion", assertions_fail_at_the_goal),
];

/// How often a goal was reachable, and how often not.
#[derive(Clone, Copy, Debug, Default)]
struct Decided {
    reachable: usize,
    unreachable: usize,
}

/// Fails with the smallest program on which a law does not hold.
fn check(programs: impl Iterator<Item = Program>) -> [Decided; LAWS.len()] {
    let mut all = [Decided::default(); LAWS.len()];
    for program in programs {
        for ((name, law), decided) in LAWS.iter().zip(&mut all) {
            match law(&program) {
                None => {}
                Some([true, true]) => decided.reachable += 1,
                Some([false, false]) => decided.unreachable += 1,
                Some([one, other]) => {
                    let small =
                        smallest(&program, &mut |program| law(program) == Some([one, other]));
                    let text = frontend::fw::print(&small);
                    panic!("{name}: {one} by definition, {other} by reachability:\n{text}");
                }
            }
        }
    }
    all
}

/// What a run checks: kinds of programs, with how many in the full run, and how many in CI, of
/// which each is so many after the one before.
struct Batch {
    name: &'static str,
    programs: fn() -> Box<dyn Iterator<Item = Program>>,
    few: usize,
    stride: usize,
    many: usize,
}

const SMALL: Shape = Shape { max_threads: 3, max_accesses: 6, max_scalars: 2, ..Shape::LOOP_FREE };
const PLAIN: Shape = Shape { sections: false, exclusives: false, ..SMALL };
const BIGGER: Shape = Shape { max_threads: 3, max_accesses: 7, max_scalars: 3, ..SMALL };

const SECTIONS: Alphabet<'static> =
    Alphabet { on_a_scalar: &[Op::Load(0), Op::Store(0, 1)], on_none: &[Op::Lock, Op::Unlock] };
const EXCLUSIVES: Alphabet<'static> = Alphabet {
    on_a_scalar: &[
        Op::Load(0),
        Op::Store(0, 1),
        Op::LoadExclusive(0),
        Op::StoreExclusive(0, 1),
        Op::StoreSeqCst(0, 1),
    ],
    on_none: &[],
};

fn disguised(seed: u64) -> impl Iterator<Item = Program> {
    let mut rng = Rng::with_seed(seed);
    let programs = random_programs(seed, SMALL).zip(locking_programs(seed, 5));
    programs
        .flat_map(|(one, other)| [one, other])
        .map(move |program| variants::disguised(&program, &mut rng))
}

const BATCHES: [Batch; 9] = [
    Batch {
        name: "random, with everything",
        programs: || Box::new(random_programs(11, SMALL)),
        few: 150,
        stride: 1,
        many: 20_000,
    },
    Batch {
        name: "random, without sections",
        programs: || Box::new(random_programs(12, PLAIN)),
        few: 150,
        stride: 1,
        many: 20_000,
    },
    Batch {
        name: "random, bigger",
        programs: || Box::new(random_programs(13, BIGGER)),
        few: 40,
        stride: 1,
        many: 3_000,
    },
    Batch {
        name: "random sections and exclusive pairs",
        programs: || Box::new(locking_programs(14, 6)),
        few: 150,
        stride: 1,
        many: 20_000,
    },
    Batch {
        name: "computed addresses, refused values",
        programs: || Box::new(disguised(15)),
        few: 150,
        stride: 1,
        many: 20_000,
    },
    Batch {
        name: "tiny, with everything",
        programs: || Box::new(tiny_programs(Alphabet::RICH, 4)),
        few: 300,
        stride: 301,
        many: usize::MAX,
    },
    Batch {
        name: "tiny, simple",
        programs: || Box::new(tiny_programs(Alphabet::SIMPLE, 5)),
        few: 300,
        stride: 97,
        many: usize::MAX,
    },
    Batch {
        name: "tiny, sections",
        programs: || Box::new(tiny_programs(SECTIONS, 6)),
        few: 300,
        stride: 97,
        many: usize::MAX,
    },
    Batch {
        name: "tiny, exclusive pairs",
        programs: || Box::new(tiny_programs(EXCLUSIVES, 4)),
        few: 300,
        stride: 31,
        many: usize::MAX,
    },
];

#[test]
fn a_few_programs() {
    let mut reachable = [0; LAWS.len()];
    for Batch { name, programs, few, stride, .. } in BATCHES {
        let all = check(programs().step_by(stride).take(few));
        for (decided, reachable) in all.iter().zip(&mut reachable) {
            assert!((decided.reachable + decided.unreachable) * 2 > few, "{name}: {all:?}");
            *reachable += decided.reachable;
        }
    }
    assert!(reachable.iter().all(|reachable| *reachable > 50), "{reachable:?}");
}

#[test]
#[ignore = "takes minutes"]
#[expect(clippy::print_stderr, reason = "somebody waits for it")]
fn many_programs() {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    for Batch { name, programs, many, .. } in BATCHES {
        let all: Vec<[Decided; LAWS.len()]> = std::thread::scope(|scope| {
            let handles: Vec<_> = (0..workers)
                .map(|worker| {
                    let mine = move || programs().take(many).skip(worker).step_by(workers);
                    scope.spawn(move || check(mine()))
                })
                .collect();
            handles.into_iter().map(|handle| handle.join().expect("no disagreement")).collect()
        });
        let mut report = name.to_owned();
        for (number, (law, _)) in LAWS.iter().enumerate() {
            let reachable: usize = all.iter().map(|one| one[number].reachable).sum();
            let unreachable: usize = all.iter().map(|one| one[number].unreachable).sum();
            let _ = write!(report, "; {law}: {reachable} yes, {unreachable} no");
        }
        eprintln!("{report}");
    }
}

/// No edge becomes more than so many, and no cell more than three.
#[test]
fn instrumented_programs_are_of_linear_size() {
    const MOST: usize = 80;
    let edges = |program: &Program| -> usize {
        let threads = program.threads().expect("a definite program");
        threads.iter().map(|thread| program.template(thread.template).edges().len()).sum()
    };
    for program in random_programs(16, Shape::default()).take(300).chain(disguised(17).take(300)) {
        for instrumented in [robustness_single(&program), persistence(&program)] {
            let instrumented = instrumented.expect("a small program").program;
            assert!(edges(&instrumented) <= MOST * edges(&program));
            let locations = |program: &Program| program.memory().locations().len();
            assert!(locations(&instrumented) <= 3 * locations(&program) + 4);
        }
    }
}
