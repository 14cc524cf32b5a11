//! Threads that spin for ever in loops without effect, against the oracle on random programs: under SC and
//! TSO, with and without an end of the process.

mod decided;

use std::ops::ControlFlow;

use analysis::{Options, Query, Reductions, reach, reach_with_buffers};
use decided::decided;
use oracle::generate::random::{Loops, Shape, random_programs};
use oracle::generate::shrink::hold_for_all;
use oracle::{Census, Exceeded, Feature, Limits, MemoryModel, has_deadlock};
use program::{Program, ProgramBuilder};

const LIMITS: Limits = Limits { max_states: 3_000, max_length: 20 };

/// Threads that go round in circles, but for `await`.
const SPINNING: Shape = Shape {
    max_threads: 3,
    max_accesses: 6,
    max_scalars: 2,
    loops: Loops::Free,
    typed: true,
    waiting: false,
    questions: false,
    ..Shape::LOOP_FREE
};

fn nobody(_: &analysis::Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn options(reductions: Reductions) -> Options {
    let limits = analysis::Limits { states: Some(60_000), ..analysis::Limits::default() };
    Options { limits, reductions, ..Options::default() }
}

/// The same program, which ends as a whole when its first variable holds something else than 0.
fn with_an_end(program: &Program) -> Program {
    let mut builder = ProgramBuilder::new(program.name(), program.memory().outside());
    let locations = program.memory().locations();
    for location in locations {
        builder.location(location.clone());
    }
    for template in program.templates() {
        builder.template(template.clone());
    }
    builder.question(program.question().clone());
    builder.end_of_process(locations.iter().next().expect("a variable").base);
    builder.build().expect("it was valid before")
}

/// Whether deadlocks are those of the oracle.
fn agree(program: &Program, census: &mut Census) -> Option<bool> {
    let program = &program.waiting_in_loops_without_effect();
    let under = |model| match has_deadlock(program, model, &LIMITS) {
        Ok(found) => Some(Some(found)),
        Err(Exceeded::States) => Some(None),
        Err(
            Exceeded::Length
            | Exceeded::Overflow
            | Exceeded::AnyNumberOfCopies { .. }
            | Exceeded::AccessAcross,
        ) => None,
    };
    let sc = under(MemoryModel::Sc)??;
    let tso = under(MemoryModel::Tso)?;
    census.count(program);
    census.note(Feature::Deadlock, sc);
    census.note(Feature::DeadlockOfTsoOnly, !sc && tso == Some(true));
    let query = Query { deadlocks: true, ..Query::default() };
    let is_right = [Reductions::ALL, Reductions::NONE].into_iter().all(|reductions| {
        let options = options(reductions);
        let found = reach(program, &query, &options, nobody).expect("definite");
        let with_buffers = reach_with_buffers(program, &query, &options, nobody).expect("definite");
        let says = decided(&with_buffers.verdict);
        decided(&found.verdict) == Some(!sc)
            && tso.map_or(!(sc && says == Some(true)), |tso| says == Some(!tso))
    });
    Some(is_right)
}

#[test]
fn who_spins_for_ever_is_found() {
    let mut census = Census::default();
    let programs = random_programs(22, SPINNING).take(250);
    let told = |program: &Program| format!("{:#?}", program.waiting_in_loops_without_effect());
    let first = hold_for_all(programs, |program| agree(program, &mut census), told);
    let ending = random_programs(23, SPINNING).take(150).map(|program| with_an_end(&program));
    let second = hold_for_all(ending, |program| agree(program, &mut census), told);
    assert!(first + second > 300, "{first} {second}");
    census.assert_at_least(300, &[(Feature::Deadlock, 10)]);
}
