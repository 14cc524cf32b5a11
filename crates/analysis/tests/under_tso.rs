//! What goes wrong under TSO, final states that only TSO has, and the runs that show them, against the
//! oracle on random programs and all tiny ones.

mod decided;

use std::ops::ControlFlow;

use analysis::tso_only::{SafetyViolation, check_safety};
use analysis::{
    Basis, Criterion, Options, Query, Reason, Reductions, Verdict, check, reach, reach_under,
    reach_with_buffers, violations,
};
use decided::decided;
use frontend::{Language, Settings, load};
use oracle::generate::across::random_programs_across;
use oracle::generate::random::{Shape, random_programs};
use oracle::generate::shrink::hold_for_all;
use oracle::generate::tiny::{Alphabet, tiny_programs};
use oracle::{
    Census, Exceeded, Feature, Limits, MemoryModel, answer, has_deadlock, holds, reachable_faults,
};
use program::{Observable, Program, Quantifier, Sources, StateProposition, Value};
use semantics::Model;

const LIMITS: Limits = Limits { max_states: 30_000, max_length: 60 };

fn nobody(_: &analysis::Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// More states than the oracle looks at are not looked at.
fn options() -> Options {
    let limits = analysis::Limits { states: Some(60_000), ..analysis::Limits::default() };
    Options { limits, ..Options::default() }
}

/// What the oracle finds under a model.
#[derive(Clone, Copy)]
struct Reachable {
    faults: bool,
    deadlocks: bool,
    /// Final states that the program rules out.
    ruled_out: bool,
}

impl Reachable {
    fn under(program: &Program, model: MemoryModel) -> Result<Self, Exceeded> {
        let asked = program.question().condition.as_ref();
        let claims = asked.is_some_and(|(quantifier, _)| *quantifier != Quantifier::Exists);
        let answered = answer(program, model, &LIMITS)?;
        Ok(Self {
            faults: !reachable_faults(program, model, &LIMITS)?.is_empty(),
            deadlocks: has_deadlock(program, model, &LIMITS)?,
            ruled_out: claims && answered.is_some_and(|answer| !answer.holds),
        })
    }

    fn queries(self) -> [(Query, bool); 3] {
        [
            (Query { faults: true, ..Query::default() }, self.faults),
            (Query { deadlocks: true, ..Query::default() }, self.deadlocks),
            (Query { question: true, ..Query::default() }, self.ruled_out),
        ]
    }

    fn is_wrong(self) -> bool {
        self.faults || self.ruled_out
    }
}

fn count(census: &mut Census, program: &Program, sc: Reachable, tso: Option<Reachable>) {
    census.count(program);
    census.note(Feature::GrowingBuffers, tso.is_none());
    census.note(Feature::Deadlock, sc.deadlocks);
    census.note(Feature::ClaimBroken, sc.ruled_out);
    let tso = tso.unwrap_or(sc);
    census.note(Feature::FaultOfTsoOnly, !sc.faults && tso.faults);
    census.note(Feature::DeadlockOfTsoOnly, !sc.deadlocks && tso.deadlocks);
    census.note(Feature::ClaimBrokenByTsoOnly, !sc.ruled_out && tso.ruled_out);
}

/// Whether the answers about TSO are those of the oracle. Where buffers grow without an end in sight
/// it has none, and we may have none either; what SC does TSO does even so.
fn agree(program: &Program, census: &mut Census) -> Option<bool> {
    let options = options();
    let sc = Reachable::under(program, MemoryModel::Sc).ok()?;
    let tso = match Reachable::under(program, MemoryModel::Tso) {
        Ok(tso) => Some(tso),
        Err(Exceeded::States) => None,
        Err(
            Exceeded::Length
            | Exceeded::Overflow
            | Exceeded::AnyNumberOfCopies { .. }
            | Exceeded::AccessAcross,
        ) => {
            return None;
        }
    };
    count(census, program, sc, tso);
    let is_right = |says: Option<bool>, under_sc: bool, under_tso: Option<bool>| match under_tso {
        Some(reachable) => says == Some(!reachable),
        None => !(under_sc && says == Some(true)),
    };
    let mut queries = sc.queries().into_iter().enumerate();
    let reached = queries.all(|(number, (query, under_sc))| {
        let found = reach_with_buffers(program, &query, &options, nobody).expect("definite");
        let under_tso = tso.map(|tso| tso.queries()[number].1);
        is_right(decided(&found.verdict), under_sc, under_tso)
    });
    let went = check_safety(program, &options, nobody).expect("a definite program").0;
    let wrong = if let Verdict::Violated(wrong) = &went {
        Some(Some(match wrong {
            SafetyViolation::UnderSc(_) => Model::Sc,
            SafetyViolation::UnderTso(_) => Model::Tso,
        }))
    } else {
        decided(&went).map(|_| None)
    };
    let wrong_as_expected = match (sc.is_wrong(), tso.map(Reachable::is_wrong)) {
        (true, _) => wrong == Some(Some(Model::Sc)),
        (false, Some(true)) => wrong == Some(Some(Model::Tso)),
        (false, Some(false)) => wrong == Some(None),
        (false, None) => wrong != Some(Some(Model::Sc)),
    };
    let same_ends = || holds(program, oracle::Criterion::SameEnds, &LIMITS).ok();
    let same_states = match tso.and_then(|_| same_ends()) {
        None => true,
        Some(same) => {
            let checked = check(program, &[Criterion::States], &options, nobody).expect("definite");
            let asked = (&options, 8);
            let all = violations(program, Criterion::States, asked, nobody).expect("definite").0;
            decided(&checked[0].verdict) == Some(same) && decided(&all) == Some(same)
        }
    };
    Some(reached && wrong_as_expected && same_states)
}

/// Whether no way to search makes a difference to what is reached with buffers.
fn agree_on_every_way(program: &Program) -> bool {
    let faults = Query { faults: true, ..Query::default() };
    let deadlocks = Query { deadlocks: true, ..Query::default() };
    let question = Query { question: true, ..Query::default() };
    let none = Reductions::NONE;
    let reductions = [
        none,
        Reductions { local_steps: true, ..none },
        Reductions { locked_sections: true, ..none },
        Reductions { partial_order: true, ..none },
        Reductions { symmetry: true, ..none },
        Reductions { symmetry: false, ..Reductions::ALL },
    ];
    // States with empty buffers in which two cells hold something, which the next step may change.
    let cells = program.memory().locations().iter().map(|location| location.base);
    let cells: Vec<Value> = cells.take(2).collect();
    let held = |values: [Value; 2]| {
        let holds = |(cell, value): (&Value, Value)| {
            StateProposition::Equals(Observable::Cell(*cell), value)
        };
        let both = cells.iter().zip(values).map(holds);
        Query { goal: Some(StateProposition::All(both.collect())), ..Query::default() }
    };
    let goals = [held([1, 0]), held([0, 1]), held([1, 2])];
    [faults, deadlocks, question].into_iter().chain(goals).all(|query| {
        let found = |options: &Options| {
            let found = reach_with_buffers(program, &query, options, nobody).expect("definite");
            decided(&found.verdict)
        };
        let expected = found(&options());
        reductions.into_iter().all(|reductions| {
            let whole = Options { reductions, probe_states: 1, ..options() };
            let growing = Options { reductions, precompile_budget: 0, threads: 2, ..options() };
            [whole, growing].iter().all(|way| {
                let says = found(way);
                says == expected || says.is_none() || expected.is_none()
            })
        })
    })
}

#[test]
fn no_option_changes_what_is_reached_with_buffers() {
    let shapes = [Shape::default(), Shape::COUNTED, Shape::LOOPING, Shape::KEPT_OUT];
    for (seed, shape) in (41..).zip(shapes) {
        for program in random_programs(seed, shape).take(100) {
            assert!(agree_on_every_way(&program), "{}", frontend::fw::print(&program));
        }
    }
}

fn check_all(programs: impl Iterator<Item = Program>, census: &mut Census) -> usize {
    let told =
        |small: &Program| format!("not what the oracle says:\n{}", frontend::fw::print(small));
    hold_for_all(programs, |program| agree(program, census), told)
}

/// Deadlocks that need two loads to be early: who saw nothing new waits for the other, or a locked
/// section is never left, which keeps others from memory or their stores in their buffers.
#[test]
fn deadlocks_of_tso_only() {
    let ends = [
        ("if a == 0 { await g == 1 } else { g = 1 }", ""),
        ("if a == 0 { fetch_add(g, 1) }", "k = z"),
        ("if a == 0 { fetch_add(g, 1) }", "z = 1; fence"),
        ("if a == 0 { fetch_add(g, 1) }", "z = 1; k = xchg(z, 2)"),
        ("if a == 0 { fetch_add(g, 1) }", "arw(z, 0, 1)"),
    ];
    for (end, bystander) in ends {
        let text = format!(
            "shared x, y, z, g
             thread p {{ local a; x = 1; a = y; {end} }}
             thread q {{ local a; y = 1; a = x; {end} }}
             thread r {{ local k; lock_memory; k = g; assume k < 2; unlock_memory }}
             thread s {{ local k; {bystander} }}"
        );
        let program = parse(&text);
        let limits = Limits { max_states: 1_000_000, ..LIMITS };
        let expected = [MemoryModel::Sc, MemoryModel::Tso]
            .map(|model| has_deadlock(&program, model, &limits).expect("few states"));
        assert_eq!(expected, [false, true], "{text}");
        let query = Query { deadlocks: true, ..Query::default() };
        let options = Options::default();
        let under_sc = reach(&program, &query, &options, nobody).expect("definite").verdict;
        let under_tso = reach_with_buffers(&program, &query, &options, nobody).expect("definite");
        assert_eq!(decided(&under_sc), Some(true), "{text}");
        assert_eq!(decided(&under_tso.verdict), Some(false), "{text}");
    }
}

/// A locked section that is never left keeps threads from memory under SC, and stores in buffers under TSO: neither
/// has the deadlocks of the other, though all states with empty buffers may be the same.
#[test]
fn deadlocks_with_a_lock_that_is_kept_are_others_under_tso() {
    for (kept, other, sc, tso) in [
        // Under TSO the store is issued, and nobody waits.
        ("assume 0", "x = 1", true, false),
        ("assume 0", "x = 1; fence", true, true),
        // Under SC there is another way.
        ("assume 0", "either { x = 1; fence } or { skip }", false, true),
        ("assert 0", "either { x = 1; fence } or { skip }", false, true),
        ("await y == 1", "either { x = 1; fence } or { skip }", true, true),
        ("arw(y, 1, 2)", "either { x = 1; fence } or { skip }", false, true),
        ("await y == 1", "loop { either { x = 1; fence } or { skip } }", false, true),
        // What is loaded from the own buffer is loaded as well.
        ("assume 0", "x = 1; a = x", true, true),
        ("assume 0", "x = 1; fetch_add(mem[9], 1)", true, true),
        ("skip", "either { x = 1; fence } or { skip }", false, false),
        ("if x == 0 { y = 1 }", "either { x = 1; fence } or { skip }", false, false),
    ] {
        let text = format!(
            "shared x: u2 at 1, y: u2 at 2
             thread p {{ lock_memory; {kept}; unlock_memory }}
             thread q {{ local a; {other} }}"
        );
        let program = parse(&text);
        let query = Query { deadlocks: true, ..Query::default() };
        let models = [(Model::Sc, MemoryModel::Sc, sc), (Model::Tso, MemoryModel::Tso, tso)];
        for (model, of_oracle, is_there) in models {
            assert_eq!(
                has_deadlock(&program, of_oracle, &LIMITS),
                Ok(is_there),
                "{model:?} {text}"
            );
            let found = reach_under(&program, &query, model, &options(), nobody);
            let verdict = found.expect("definite").verdict;
            assert_eq!(decided(&verdict), Some(!is_there), "{model:?} {text}");
        }
    }
}

/// A store behind a loop always comes sooner than one more round, so the state with the longest buffer
/// is never in the loop.
#[test]
fn a_buffer_grows_although_others_are_longer() {
    let program = parse(
        "shared x, y, z
         thread p { l0: z = 0; l1: either { goto l0 } or { skip }; x = 1; y = 1 }
         thread q { local b; b = x }",
    );
    let limits = analysis::Limits { states: Some(3000), ..analysis::Limits::default() };
    let options = Options { limits, ..Options::default() };
    for deadlocks in [false, true] {
        let query = Query { faults: true, deadlocks, ..Query::default() };
        let found = reach_with_buffers(&program, &query, &options, nobody).expect("definite");
        let Verdict::Holds(proof) = &found.verdict else { panic!("{:?}", found.verdict) };
        assert_eq!(*proof.basis(), Basis::AnyLength);
    }
    // Who takes the memory lock gives it back.
    let program = parse(
        "shared x, y, z
         thread p { l0: z = 0; l1: either { goto l0 } or { skip }; x = 1; y = 1 }
         thread q { local b; lock_memory; b = x; unlock_memory }",
    );
    let query = Query { faults: true, deadlocks: true, ..Query::default() };
    let found = reach_with_buffers(&program, &query, &options, nobody).expect("definite");
    assert!(found.verdict.holds(), "{:?}", found.verdict);
}

/// While a store waits, memory holds the old value: such a state is none that a goal is about. Where the store has reached
/// memory, the goal is as reachable as under SC.
#[test]
fn goals_are_about_states_in_which_no_store_waits() {
    for (value, is_reached) in [(0, false), (1, true)] {
        let program = parse(&format!(
            "shared x, y\nthread p {{ x = 1; l: y = 1 }}\nthread q {{ y = 2 }}\nforbidden x == {value} && p@l\n"
        ));
        let goal = program.question().forbidden.clone();
        assert!(goal.is_some());
        let query = Query { goal, ..Query::default() };
        for reductions in [Reductions::NONE, Reductions::ALL] {
            let options = Options { reductions, ..options() };
            let found = reach_with_buffers(&program, &query, &options, nobody).expect("definite");
            assert_eq!(decided(&found.verdict), Some(!is_reached), "x == {value}");
        }
    }
}

/// What a thread may touch depends on all that waits in its buffer, also where its automaton grows with the search: at one
/// label one store waits behind another one, or a different one does.
#[test]
fn what_waits_counts_in_automata_that_grow() {
    for (left, right) in [("x", "y"), ("y", "x")] {
        let program = parse(&format!(
            "shared v, w, x, y
             thread q {{ local a, b; v = 1; fence; a = w; b = y }}
             thread p {{ local r; w = 1; either {{ {left} = 1 }} or {{ {right} = 1 }}; r = v }}
             never q.a == 0 && q.b == 1 && p.r == 0\n"
        ));
        let query = Query { question: true, ..Query::default() };
        let partial_order = Reductions { partial_order: true, ..Reductions::NONE };
        for reductions in [partial_order, Reductions::ALL] {
            let options = Options { reductions, precompile_budget: 0, ..options() };
            let found = reach_with_buffers(&program, &query, &options, nobody).expect("definite");
            assert_eq!(decided(&found.verdict), Some(false), "{left} or {right}");
        }
    }
}

fn parse(text: &str) -> Program {
    let mut sources = Sources::new();
    let source = sources.add("test", text);
    load(&sources, source, Language::Fw, &Settings::default())
        .unwrap_or_else(|errors| panic!("{errors:#?}"))
}

#[test]
fn many_random_programs() {
    let mut census = Census::default();
    let checked = check_all(random_programs(17, Shape::default()).take(400), &mut census);
    assert!(checked >= 390, "{checked}");
}

#[test]
fn programs_with_loops_that_end() {
    let mut census = Census::default();
    let checked = check_all(random_programs(18, Shape::COUNTED).take(1200), &mut census);
    assert!(checked >= 1190, "{checked}");
    census.assert_at_least(
        1190,
        &[
            (Feature::Loop, 300),
            (Feature::Deadlock, 120),
            (Feature::DeadlockOfTsoOnly, 4),
            (Feature::FaultOfTsoOnly, 3),
            (Feature::ClaimBroken, 200),
            (Feature::ClaimBrokenByTsoOnly, 3),
        ],
    );
}

#[test]
fn programs_with_any_loops() {
    let mut census = Census::default();
    let checked = check_all(random_programs(19, Shape::LOOPING).take(300), &mut census);
    assert!(checked >= 295, "{checked}");
    census.assert_at_least(
        295,
        &[
            (Feature::Loop, 100),
            (Feature::Deadlock, 25),
            (Feature::GrowingBuffers, 10),
            (Feature::ClaimBroken, 25),
        ],
    );
}

#[test]
fn programs_whose_threads_keep_each_other_out() {
    let mut census = Census::default();
    let checked = check_all(random_programs(20, Shape::KEPT_OUT).take(600), &mut census);
    assert!(checked >= 595, "{checked}");
    census.assert_at_least(
        595,
        &[(Feature::Section, 280), (Feature::BlockingReadWrite, 260), (Feature::Deadlock, 85)],
    );
}

#[test]
fn all_tiny_programs() {
    let mut census = Census::default();
    assert!(check_all(tiny_programs(Alphabet::RICH, 3), &mut census) > 500);
}

/// Accesses across cells are followed where states are looked at one by one, and nobody else claims to know
/// what they mean.
#[test]
fn accesses_across_cells_are_followed_or_refused() {
    let (mut differ, mut faulty) = (0, 0);
    for program in random_programs_across(15).take(800) {
        let Ok(same) = holds(&program, oracle::Criterion::SameEnds, &LIMITS) else { continue };
        differ += usize::from(!same);
        for (model, of_oracle) in [(Model::Sc, MemoryModel::Sc), (Model::Tso, MemoryModel::Tso)] {
            let query = Query { faults: true, ..Query::default() };
            let found = reach_under(&program, &query, model, &options(), nobody);
            let faults = reachable_faults(&program, of_oracle, &LIMITS).expect("as many states");
            let verdict = found.expect("a definite program").verdict;
            assert_eq!(verdict.holds(), faults.is_empty(), "{}", frontend::fw::print(&program));
            assert!(!matches!(verdict, Verdict::Undecided(_)));
            faulty += usize::from(!faults.is_empty());
        }
        for answer in check(&program, &Criterion::ALL, &options(), nobody).expect("definite") {
            let text = || frontend::fw::print(&program);
            match answer.verdict {
                // No load follows a store before the buffer is empty.
                Verdict::Holds(_) => assert!(same, "{}: {}", answer.criterion, text()),
                Verdict::Violated(_) => {
                    assert!(answer.criterion == Criterion::States && !same, "{}", text());
                }
                Verdict::Undecided(reason) => {
                    assert!(matches!(reason, Reason::AccessAcross { .. }));
                    assert_ne!(answer.criterion, Criterion::States, "{}", text());
                }
            }
        }
    }
    assert!(differ >= 20 && faulty >= 10, "{differ} differ, {faulty} go wrong");
}
