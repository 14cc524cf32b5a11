//! Reachability under TSO by load buffers of any length, against the oracle and against buffers that are explored.

mod decided;

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use analysis::outcomes::outcomes_of_any_length;
use analysis::{Options, Outcome, Query, Verdict, reach_under, reach_with_load_buffers};
use decided::decided;
use frontend::{Language, Settings, load};
use oracle::generate::random::{Shape, random_programs};
use oracle::generate::shrink::hold_for_all;
use oracle::generate::tiny::{Alphabet, tiny_programs};
use oracle::{Limits, MemoryModel, answer, has_deadlock, plain_configurations, reachable_faults};
use program::{Observable, Program, Quantifier, Sources, StateProposition, Value};
use semantics::{Control, Machine, Model};

const LIMITS: Limits = Limits { max_states: 30_000, max_length: 60 };

fn nobody(_: &analysis::Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn options() -> Options {
    let limits = analysis::Limits { states: Some(20_000), ..analysis::Limits::default() };
    Options { limits, ..Options::default() }
}

fn parse(text: &str) -> Program {
    let mut sources = Sources::new();
    let source = sources.add("test", text);
    load(&sources, source, Language::Fw, &Settings::default())
        .unwrap_or_else(|errors| panic!("{errors:#?}"))
}

fn by_load_buffers(program: &Program, query: &Query) -> Option<Verdict<analysis::Execution>> {
    let report = reach_with_load_buffers(program, query, &options(), nobody).expect("definite");
    report.map(|report| report.verdict)
}

/// States with empty buffers in which two cells hold something.
fn held(program: &Program, values: [Value; 2]) -> Query {
    let cells = program.memory().locations().iter().map(|location| location.base);
    let holds =
        |(cell, value): (Value, Value)| StateProposition::Equals(Observable::Cell(cell), value);
    let both = cells.take(2).zip(values).map(holds);
    Query { goal: Some(StateProposition::All(both.collect())), ..Query::default() }
}

const HELD: [[Value; 2]; 3] = [[1, 0], [0, 1], [1, 2]];

/// What the oracle says of each query; nothing if it does not come to an end.
fn expected(program: &Program) -> Option<Vec<(Query, bool)>> {
    let model = MemoryModel::Tso;
    let asked = program.question().condition.as_ref();
    let claims = asked.is_some_and(|(quantifier, _)| *quantifier != Quantifier::Exists);
    let broken = answer(program, model, &LIMITS).ok()?.is_some_and(|answer| !answer.holds);
    let faults = !reachable_faults(program, model, &LIMITS).ok()?.is_empty();
    let mut all = vec![
        (Query { faults: true, ..Query::default() }, faults),
        (Query { question: true, ..Query::default() }, claims && broken),
        (
            Query { deadlocks: true, ..Query::default() },
            has_deadlock(program, model, &LIMITS).ok()?,
        ),
    ];
    let plain = plain_configurations(program, model, &LIMITS).ok()?;
    let cells: Vec<Value> =
        program.memory().locations().iter().map(|location| location.base).take(2).collect();
    for values in HELD {
        let is_there = plain.iter().any(|state| {
            let mut both = cells.iter().zip(values);
            both.all(|(cell, value)| state.see(program, Observable::Cell(*cell)) == value)
        });
        all.push((held(program, values), is_there));
    }
    Some(all)
}

/// Whether load buffers say what the oracle says.
fn agree(program: &Program, settled: &mut usize) -> Option<bool> {
    let expected = expected(program)?;
    Some(expected.into_iter().all(|(query, is_reachable)| {
        let verdict = by_load_buffers(program, &query);
        let says = verdict.as_ref().and_then(decided);
        *settled += usize::from(says.is_some());
        says.is_none_or(|holds| holds != is_reachable)
    }))
}

fn told(small: &Program) -> String {
    format!("not what the oracle says:\n{}", frontend::fw::print(small))
}

#[test]
fn load_buffers_say_what_the_oracle_says() {
    let shapes = [Shape::default(), Shape::COUNTED, Shape::KEPT_OUT, Shape::LOOPING];
    for (seed, shape) in (71..).zip(shapes) {
        let mut settled = 0;
        let programs = random_programs(seed, shape).take(40);
        let checked = hold_for_all(programs, |program| agree(program, &mut settled), told);
        assert!(checked >= 30, "{checked}");
        // Few have more configurations than are met here.
        assert!(settled >= checked * 4, "{settled} of {checked}");
    }
}

#[test]
fn load_buffers_say_what_the_oracle_says_of_all_tiny_programs() {
    let mut settled = 0;
    let programs = tiny_programs(Alphabet::RICH, 3);
    let checked = hold_for_all(programs, |program| agree(program, &mut settled), told);
    assert!(checked > 500 && settled == 6 * checked, "{settled} of {checked}");
}

/// What is reached with at most four stores in each buffer, as far as states are looked at: a fault, and each of
/// [`HELD`] with empty buffers.
fn reached_with_short_buffers(program: &Program) -> (bool, [bool; 3]) {
    let machine = Machine::new(program, Model::Tso).expect("definite");
    let cells: Vec<Value> =
        program.memory().locations().iter().map(|location| location.base).take(2).collect();
    let (mut fault, mut held) = (false, [false; 3]);
    let mut seen = BTreeSet::from([machine.initial()]);
    let mut open = vec![machine.initial()];
    while let Some(state) = open.pop() {
        fault |= state.threads().iter().any(|thread| match thread.control() {
            Control::Stopped { fault, .. } => !fault.is_limit(),
            Control::At(_) => false,
        });
        for (values, held) in HELD.into_iter().zip(&mut held) {
            let mut both = cells.iter().zip(values);
            *held |= state.buffers_are_empty()
                && both.all(|(cell, value)| machine.in_memory(&state, *cell) == Some(value));
        }
        for taken in machine.moves(&state).collect::<Vec<_>>() {
            let (next, _) = machine.apply(&state, taken).expect("offered moves are enabled");
            let is_short = next.threads().iter().all(|thread| thread.buffer().len() <= 4);
            if is_short && seen.len() < 1_500 && seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    (fault, held)
}

/// Also where buffers grow for ever, nothing that is found with short ones is said to be impossible. What is said to
/// be possible has been replayed.
#[test]
fn nothing_that_short_buffers_reach_is_excluded() {
    let (mut settled, mut asked) = (0, 0);
    for program in random_programs(75, Shape::LOOPING).take(80) {
        let (fault, in_cells) = reached_with_short_buffers(&program);
        let faults = (Query { faults: true, ..Query::default() }, fault);
        let goals = HELD.into_iter().zip(in_cells);
        let goals = goals.map(|(values, is_there)| (held(&program, values), is_there));
        for (query, is_there) in [faults].into_iter().chain(goals) {
            let says = by_load_buffers(&program, &query).as_ref().and_then(decided);
            asked += 1;
            settled += usize::from(says.is_some());
            let text = || frontend::fw::print(&program);
            assert!(says != Some(true) || !is_there, "{query:?}\n{}", text());
        }
    }
    assert!(asked == 320 && settled >= 280, "{settled} of {asked}");
}

/// Threads that store for ever: only one of the two outcomes needs a store to wait for others to be done, and
/// how many stores wait before it has no bound.
#[test]
fn stores_for_ever() {
    let text = |fence: &str, count: &str| {
        format!(
            "shared x: 0..=2, y, z
             thread p {{ local a; loop {{ z = 1; either {{ break }} or {{ z = 0 }} }}; x = 1; {fence}; a = y; assert a == 1 || {count} }}
             thread q {{ local b; loop {{ z = 1; either {{ break }} or {{ z = 2 }} }}; y = 1; {fence}; b = x; if b == 0 {{ x = 2 }} }}"
        )
    };
    let query = Query { faults: true, ..Query::default() };
    for (fence, count, holds) in
        [("skip", "1 == 1", true), ("skip", "x == 1", false), ("fence", "x == 1", true)]
    {
        let program = parse(&text(fence, count));
        let found = reach_under(&program, &query, Model::Tso, &Options::default(), nobody);
        let verdict = found.expect("definite").verdict;
        assert_eq!(decided(&verdict), Some(holds), "{fence} {count}: {verdict:?}");
    }
}

/// A counter of those inside is incremented and decremented: what it may hold as far as one thread can tell has no
/// end, what it does hold has.
#[test]
fn cells_are_confined_to_what_they_hold() {
    let text = |fence: &str| {
        format!(
            "shared x, y, z, inside
             thread p {{ local a; loop {{ z = 1; x = 1; {fence}; a = y; if a == 0 {{ assert fetch_add(inside, 1) == 0; fetch_sub(inside, 1) }}; x = 0 }} }}
             thread q {{ local a; loop {{ y = 1; {fence}; a = x; if a == 0 {{ assert fetch_add(inside, 1) == 0; fetch_sub(inside, 1) }}; y = 0 }} }}"
        )
    };
    let query = Query { faults: true, ..Query::default() };
    for (fence, holds) in [("skip", false), ("fence", true)] {
        let program = parse(&text(fence));
        let verdict = by_load_buffers(&program, &query).expect("finite data");
        assert_eq!(decided(&verdict), Some(holds), "{fence}: {verdict:?}");
    }
}

/// Threads that wait for each other for ever only if stores were late, after a loop that stores without end.
#[test]
fn deadlocks_behind_loops_that_store() {
    let text = |fence: &str| {
        format!(
            "shared x: 0..=1, y: 0..=1, z: 0..=1, g: 0..=1
             thread p {{ local a: 0..=1; loop {{ z = 1; either {{ break }} or {{ z = 0 }} }}; x = 1; {fence}; a = y; if a == 0 {{ await g == 1 }} else {{ g = 1 }} }}
             thread q {{ local a: 0..=1; y = 1; {fence}; a = x; if a == 0 {{ await g == 1 }} else {{ g = 1 }} }}"
        )
    };
    let query = Query { deadlocks: true, ..Query::default() };
    for (fence, holds) in [("skip", false), ("fence", true)] {
        let program = parse(&text(fence));
        let verdict = by_load_buffers(&program, &query).expect("no lock is taken");
        assert_eq!(decided(&verdict), Some(holds), "{fence}: {verdict:?}");
    }
}

/// The final states with at most four stores in each buffer, as far as states are looked at.
fn ends_with_short_buffers(program: &Program) -> BTreeSet<Outcome> {
    let machine = Machine::new(program, Model::Tso).expect("definite");
    let mut ends = BTreeSet::new();
    let mut seen = BTreeSet::from([machine.initial()]);
    let mut open = vec![machine.initial()];
    while let Some(state) = open.pop() {
        let mut threads = machine.threads().indices();
        if state.buffers_are_empty() && threads.all(|thread| machine.has_ended(&state, thread)) {
            let registers = state.threads().iter().map(|thread| thread.registers().clone());
            let changed_memory = state.changed_memory().clone();
            ends.insert(Outcome { registers: registers.collect(), changed_memory });
        }
        for taken in machine.moves(&state).collect::<Vec<_>>() {
            let (next, _) = machine.apply(&state, taken).expect("offered moves are enabled");
            let is_short = next.threads().iter().all(|thread| thread.buffer().len() <= 4);
            if is_short && seen.len() < 3_000 && seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    ends
}

/// Final states are complete although buffers grow for ever, and each can be shown by a run.
#[test]
fn all_final_states_are_listed() {
    let (mut complete, mut asked) = (0, 0);
    let growing = parse(
        "shared x, y
         thread p { local r; while r == 0 { x = 1; r = y } }
         thread q { local s; y = 1; s = x }",
    );
    let random = random_programs(76, Shape::LOOPING).take(40);
    for program in std::iter::once(growing).chain(random) {
        let found = outcomes_of_any_length(&program, Model::Tso, &options(), nobody);
        let found = found.expect("definite");
        asked += 1;
        if found.complete.is_err() {
            assert!(asked > 1, "the first one is complete");
            continue;
        }
        complete += 1;
        let all: BTreeSet<Outcome> = found.found.iter().cloned().collect();
        assert!(all.is_superset(&ends_with_short_buffers(&program)));
        for outcome in &found.found {
            assert!(found.run(&program, outcome).is_some(), "{}", frontend::fw::print(&program));
        }
    }
    assert!(complete >= 30, "{complete} of {asked}");
}

/// A counter without an end is not finite data, so nothing is known.
#[test]
fn data_without_an_end_is_not_decided() {
    let program = parse(
        "shared x, y
         thread p { local n; loop { x = n; n = n + 1 } }
         thread q { local a; y = 1; a = x; assert a >= 0 }",
    );
    let query = Query { faults: true, ..Query::default() };
    assert!(by_load_buffers(&program, &query).is_none());
}
