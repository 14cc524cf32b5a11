//! An instrumented program reaches its goal under SC exactly where the oracle, comparing sets of
//! traces, says no: on random programs, with and without locked sections, exclusive accesses and
//! faults, and on all tiny ones. The full run is
//!
//! ```text
//! cargo test --release -p fencewright-instrument -- --ignored
//! ```

use std::collections::{HashSet, VecDeque};

use instrument::{
    Goal, Instrumented, attacks, persistence, refuted_by_control_flow, robustness_attack,
    robustness_single,
};
use oracle::generate::random::{Shape, random_programs};
use oracle::generate::shrink::smallest;
use oracle::generate::tiny::{Alphabet, tiny_programs};
use oracle::{Criterion, Limits, MemoryModel, holds, reachable_faults};
use program::{Fault, Program};
use semantics::{Machine, Model};

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

/// What is to agree; each says whether it does, or nothing where something cannot be enumerated.
type Law = fn(&Program) -> Option<bool>;

fn single_decides_robustness(program: &Program) -> Option<bool> {
    let robust = holds(program, Criterion::Robust, &LIMITS).ok()?;
    let instrumented = robustness_single(program).expect("a small program");
    Some(reaches(&instrumented)? != robust)
}

fn attacks_decide_robustness(program: &Program) -> Option<bool> {
    let robust = holds(program, Criterion::Robust, &LIMITS).ok()?;
    let mut feasible = false;
    for attack in attacks(program).expect("a definite program") {
        let instrumented = robustness_attack(program, &attack).expect("an attack of the program");
        let reached = reaches(&instrumented)?;
        if reached && refuted_by_control_flow(program, &attack) {
            return Some(false);
        }
        feasible |= reached;
    }
    Some(feasible != robust)
}

fn pivots_decide_persistence(program: &Program) -> Option<bool> {
    let persistent = holds(program, Criterion::Persistent, &LIMITS).ok()?;
    let instrumented = persistence(program).expect("a small program");
    Some(reaches(&instrumented)? != persistent)
}

/// The assertion fails exactly where the goal is reached, according to the oracle too.
fn assertions_fail_at_the_goal(program: &Program) -> Option<bool> {
    let limits = Limits { max_states: MAX_STATES, ..LIMITS };
    for instrumented in [robustness_single(program), persistence(program)] {
        let instrumented = instrumented.expect("a small program");
        let faults =
            reachable_faults(&instrumented.with_assertion(), MemoryModel::Sc, &limits).ok()?;
        let failed = faults.iter().any(|(_, fault)| *fault == Fault::AssertionFailed);
        if failed != reaches(&instrumented)? {
            return Some(false);
        }
    }
    Some(true)
}

const LAWS: [(&str, Law); 4] = [
    ("single", single_decides_robustness),
    ("attacks", attacks_decide_robustness),
    ("persistence", pivots_decide_persistence),
    ("assertion", assertions_fail_at_the_goal),
];

/// Fails with the smallest program on which a law does not hold. Returns for each law how many
/// programs were decided.
fn check(programs: impl Iterator<Item = Program>) -> Vec<usize> {
    let mut decided = vec![0; LAWS.len()];
    for program in programs {
        for ((name, law), decided) in LAWS.iter().zip(&mut decided) {
            match law(&program) {
                None => {}
                Some(true) => *decided += 1,
                Some(false) => {
                    let small = smallest(&program, &mut |program| law(program) == Some(false));
                    panic!("{name} does not hold of\n{}", frontend::fw::print(&small));
                }
            }
        }
    }
    decided
}

const SMALL: Shape =
    Shape { max_threads: 3, max_accesses: 6, max_scalars: 2, sections: true, exclusives: true };
const PLAIN: Shape = Shape { sections: false, exclusives: false, ..SMALL };

#[test]
fn random_programs_with_everything() {
    let decided = check(random_programs(11, SMALL).take(300));
    assert!(decided.iter().all(|decided| *decided > 200), "{decided:?}");
}

#[test]
fn random_programs_without_sections() {
    let decided = check(random_programs(12, PLAIN).take(300));
    assert!(decided.iter().all(|decided| *decided > 200), "{decided:?}");
}

#[test]
fn tiny_programs_of_three_operations() {
    let decided = check((2..=3).flat_map(|length| tiny_programs(Alphabet::RICH, length)));
    assert!(decided.iter().all(|decided| *decided > 1000), "{decided:?}");
}
