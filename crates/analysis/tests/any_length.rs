//! Reachability under TSO by load buffers of any length, against the oracle and against buffers that are explored.

mod decided;

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use analysis::outcomes::outcomes_of_any_length;
use analysis::{Options, Outcome, Query, Verdict, reach_under, reach_with_load_buffers};
use decided::decided;
use frontend::{Language, Settings, load};
use oracle::generate::random::{Loops, Shape, random_programs};
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

/// Threads that wait, go round, and take the memory lock for good.
const KEPT_OUT_FOREVER: Shape =
    Shape { loops: Loops::Free, typed: true, waiting: true, exclusives: false, ..Shape::KEPT_OUT };

/// Deadlocks in which somebody may hold the memory lock, and stores wait for it.
#[test]
fn deadlocks_with_the_memory_lock_are_what_the_oracle_says() {
    let (mut settled, mut stuck, mut of_tso_only) = (0, 0, 0);
    let query = Query { deadlocks: true, ..Query::default() };
    let mut agree = |program: &Program| {
        let [sc, tso] = [MemoryModel::Sc, MemoryModel::Tso]
            .map(|model| has_deadlock(program, model, &LIMITS).ok());
        let (sc, tso) = (sc?, tso?);
        let says = by_load_buffers(program, &query).as_ref().and_then(decided);
        settled += usize::from(says.is_some());
        stuck += usize::from(says == Some(false));
        of_tso_only += usize::from(says == Some(false) && !sc);
        Some(says.is_none_or(|holds| holds != tso))
    };
    let mut checked = 0;
    for (seed, shape) in
        [(91, KEPT_OUT_FOREVER), (92, Shape { exclusives: false, ..Shape::KEPT_OUT })]
    {
        let programs = random_programs(seed, shape).take(400);
        checked += hold_for_all(programs, &mut agree, told);
    }
    let counted = format!("{settled} of {checked}, {stuck} stuck, {of_tso_only} under TSO only");
    assert!(checked >= 700 && settled * 10 >= checked * 9, "{counted}");
    assert!(stuck >= 100 && of_tso_only >= 3, "{counted}");
}

/// Steps of threads that store without end, and may be stuck when the lock is gone.
const STEPS: [&str; 12] = [
    "x = 1",
    "y = 1",
    "a = x",
    "a = y",
    "fence",
    "assume a == 0",
    "assume a == 1",
    "await g == 1",
    "arw(w, 0, 1)",
    "either { w = 2 } or { skip }",
    "if a == 1 { g = 1 }",
    "loop { z = 1; either { break } or { z = 0 } }",
];

/// One thread takes the lock for good after some steps, another has others, and they meet what the oracle, which
/// looks at stores one by one, finds where buffers stay short.
#[test]
fn what_is_loaded_behind_stranded_stores_decides() {
    let mut random = fastrand::Rng::with_seed(93);
    let mut steps = |count: usize| {
        let mut steps = (0..count).map(|_| STEPS[random.usize(..STEPS.len() - 1)]);
        let first = steps.next().unwrap_or_default().to_owned();
        steps.fold(first, |all, step| format!("{all}; {step}"))
    };
    let query = Query { deadlocks: true, ..Query::default() };
    let (mut stuck, mut of_tso_only, mut of_sc_only) = (0, 0, 0);
    for _ in 0..600 {
        let text = format!(
            "shared x: 0..=1, y: 0..=1, w: 0..=2, g: 0..=1
             thread h {{ local a: 0..=1; {}; lock_memory; assume a == 1; unlock_memory }}
             thread r {{ local a: 0..=1; {} }}",
            steps(2),
            steps(4)
        );
        let program = parse(&text);
        let [sc, tso] = [MemoryModel::Sc, MemoryModel::Tso]
            .map(|model| has_deadlock(&program, model, &LIMITS).expect("few states"));
        stuck += usize::from(tso);
        of_tso_only += usize::from(tso && !sc);
        of_sc_only += usize::from(sc && !tso);
        let alone = by_load_buffers(&program, &query).as_ref().and_then(decided);
        assert_eq!(alone, Some(!tso), "{text}");
        let found = reach_under(&program, &query, Model::Tso, &options(), nobody);
        assert_eq!(decided(&found.expect("definite").verdict), Some(!tso), "{text}");
    }
    let counted =
        format!("{stuck} stuck, {of_tso_only} under TSO only, {of_sc_only} under SC only");
    assert!(stuck >= 400 && of_tso_only >= 3 && of_sc_only >= 20, "{counted}");
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

/// A store to a cell replaces the older one of its thread, and no other: whoever has loaded what came after the store
/// to `x` finds that it was overwritten.
#[test]
fn stores_keep_their_places() {
    for (check, holds) in [("a == 0 || b == 2", true), ("a == 0", false), ("b == 1", false)] {
        let program = parse(&format!(
            "shared x: 0..=2, y: 0..=2, z: 0..=1
             thread p {{ local a, b, c; x = 1; y = 1; y = 2; a = z; b = x; c = y; assert {check} && c == 2 }}
             thread q {{ await x == 1; x = 2; z = 1 }}"
        ));
        let query = Query { faults: true, ..Query::default() };
        let verdict = by_load_buffers(&program, &query).expect("finite data");
        assert_eq!(decided(&verdict), Some(holds), "{check}: {verdict:?}");
    }
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

/// A lock that is never given back keeps stores of others in their buffers. What they loaded behind such a store
/// decides where they are stuck, after a loop that stores without end.
#[test]
fn stores_are_stranded_behind_loops_that_store() {
    // The first loop of `r` makes its buffer grow.
    let text = |first: &str, then: &str| {
        format!(
            "shared x: 0..=1, y: 0..=1, z: 0..=1, w: 0..=2, g: 0..=1
             thread h {{ local a: 0..=1; {first}; lock_memory; assume 0; unlock_memory }}
             thread r {{ local b: 0..=1; loop {{ z = 1; either {{ break }} or {{ z = 0 }} }}; {then} }}"
        )
    };
    for (first, then, holds) in [
        // It waits for a value, and with the lock gone for memory.
        ("skip", "arw(w, 0, 1)", false),
        ("skip", "fence", false),
        ("skip", "b = y", false),
        // It has ended, and its stores wait alone.
        ("skip", "w = 2", true),
        // Whoever stores without end gets further.
        ("skip", "loop { w = 1; w = 2 }", true),
        // What it waits for behind a fence does not matter.
        ("skip", "fence; fence; arw(w, 1, 2)", false),
        ("await w == 2", "fence; w = 2; assume 0", true),
        // The lock is taken by then, so the own store to `x` is seen by nobody else.
        ("x = 1; fence; a = y; assume a == 0", "y = 1; b = x; assume b == 0; await g == 1", false),
        // Of two stores to one cell the newer is loaded, where who does not load gets further.
        (
            "skip",
            "x = 0; x = 1; either { b = x; assume b == 0; fence } or { loop { w = 1 } }",
            true,
        ),
        (
            "skip",
            "x = 0; x = 1; either { b = x; assume b == 1; fence } or { loop { w = 1 } }",
            false,
        ),
    ] {
        let program = parse(&text(first, then));
        let query = Query { deadlocks: true, ..Query::default() };
        let verdict = by_load_buffers(&program, &query).expect("finite data");
        assert_eq!(decided(&verdict), Some(holds), "{first} | {then}: {verdict:?}");
        let every = reach_under(&program, &query, Model::Tso, &Options::default(), nobody);
        let verdict = every.expect("definite").verdict;
        assert_eq!(decided(&verdict), Some(holds), "{first} | {then}: {verdict:?}");
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

/// What a thread does by itself between two stores may take thousands of steps.
#[test]
fn long_ways_of_a_thread_by_itself() {
    let program = parse(
        "shared x: 0..=1, y: 0..=1, z: 0..=1
         thread p { local a: 0..=1, k: 0..=9000
           loop { z = 1; k = 0; while k < 9000 { k = k + 1 }; either { break } or { z = 0 } }
           x = 1; a = y; assert a == 1 || x == 1 }
         thread q { local a: 0..=1; y = 1; a = x; if a == 0 { x = 0 } }",
    );
    let query = Query { faults: true, ..Query::default() };
    let verdict = by_load_buffers(&program, &query).expect("finite data");
    assert_eq!(decided(&verdict), Some(false), "{verdict:?}");
}

/// What a thread would still do beyond a limit may be what another waits for.
#[test]
fn a_thread_at_a_limit_is_not_stuck() {
    let program = parse(
        "shared x: 0..=1, g: 0..=1
         thread p { local a; a = x; a = (a + 9223372036854775807) * 9223372036854775807; a = a * 4; g = 1 }
         thread q { await g == 1 }",
    );
    let query = Query { deadlocks: true, ..Query::default() };
    let verdict = by_load_buffers(&program, &query);
    assert!(matches!(verdict, Some(Verdict::Undecided(_))), "{verdict:?}");
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

/// Steps of threads that reserve cells, and what ends reservations.
const RESERVING: [&str; 9] = [
    "x = 1",
    "y = 1",
    "b = y",
    "b = x",
    "fence",
    "a = load(x, exclusive)",
    "a = load(y, exclusive)",
    "s = store_exclusive(x, 2)",
    "s = store_exclusive(y, 1)",
];

/// A register of a thread that has a template of its own.
fn register(program: &Program, thread: usize, name: &str) -> Observable {
    let template = program.templates().indices().nth(thread).expect("a thread");
    let registers = program.templates()[template].registers();
    let mut all = registers.indices();
    let register = all.find(|register| registers[*register].name == name).expect("declared");
    Observable::Register { template, copy: 0, register }
}

/// What exclusive loads find and whether exclusive stores succeed, where the load finds an own store that waits, where
/// stores of others come between, and where both threads reserve one cell.
#[test]
fn reservations_are_what_the_oracle_says() {
    let mut random = fastrand::Rng::with_seed(94);
    let (mut asked, mut reached, mut of_tso_only) = (0, 0, 0);
    for number in 0..210 {
        let mut steps = |count: usize, of: &[&str]| {
            let steps = (0..count).map(|_| of[random.usize(..of.len())]);
            steps.collect::<Vec<_>>().join("; ")
        };
        let (first, second) = if number % 3 == 0 {
            (steps(5, &RESERVING), steps(3, &RESERVING))
        } else {
            let [before, between] = [2, 1].map(|count| steps(count, &RESERVING[..3 + number % 3]));
            let pair = format!("a = load(x, exclusive); {between}; s = store_exclusive(x, 2)");
            (format!("{before}; {pair}"), format!("{}; b = x", steps(2, &RESERVING)))
        };
        let text = format!(
            "shared x: 0..=2, y: 0..=1
             thread p {{ local a: 0..=3, b: 0..=3, s: 0..=3; a = 3; b = 3; s = 3; {first} }}
             thread q {{ local a: 0..=3, b: 0..=3, s: 0..=3; a = 3; b = 3; s = 3; {second} }}"
        );
        let program = parse(&text);
        let states = [MemoryModel::Sc, MemoryModel::Tso]
            .map(|model| plain_configurations(&program, model, &LIMITS).expect("few states"));
        let seen: Vec<Observable> = [(0, "a"), (0, "b"), (1, "b"), (1, "s"), (0, "s")]
            .map(|(thread, name)| register(&program, thread, name))
            .to_vec();
        // Three is what a register holds that was not loaded, or stored.
        for number in 0..3 * 3 * 3 * 2 * 2 {
            let either = |from: usize, values: &[Value]| values[number / from % values.len()];
            let values: [Value; 5] = [
                either(1, &[0, 1, 2]),
                either(3, &[0, 1, 3]),
                either(9, &[0, 1, 3]),
                either(27, &[0, 3]),
                either(54, &[0, 1]),
            ];
            let [sc, tso] = states.each_ref().map(|states| {
                states.iter().any(|state| {
                    let mut all = seen.iter().zip(&values);
                    all.all(|(seen, value)| state.see(&program, *seen) == *value)
                })
            });
            let all = seen.iter().zip(&values);
            let goal = all.map(|(seen, value)| StateProposition::Equals(*seen, *value));
            let goal = Some(StateProposition::All(goal.collect()));
            let verdict = by_load_buffers(&program, &Query { goal, ..Query::default() });
            let says = verdict.as_ref().and_then(decided);
            assert_eq!(says, Some(!tso), "{values:?} in\n{text}");
            asked += 1;
            reached += usize::from(tso);
            of_tso_only += usize::from(tso && !sc);
        }
    }
    let counted = format!("{reached} of {asked} reached, {of_tso_only} under TSO only");
    assert!(reached >= 1_500 && of_tso_only >= 3, "{counted}");
}

/// A lock of exclusive accesses that is tried forever keeps others out, if it is given back last.
#[test]
fn locks_of_exclusive_accesses_with_growing_buffers() {
    for (leaves, holds) in [("inside = 0; l = 0", true), ("l = 0; inside = 0", false)] {
        let program = parse(&format!(
            "shared l: 0..=1, inside: 0..=1, z: 0..=1
             thread p[2] {{
               local r: 0..=1, s: 0..=1
               loop {{
                 z = 1
                 r = load(l, exclusive)
                 if r == 0 {{
                   s = store_exclusive(l, 1)
                   if s == 0 {{ r = inside; assert r == 0; inside = 1; {leaves} }}
                 }}
                 z = 0
               }}
             }}"
        ));
        let query = Query { faults: true, ..Query::default() };
        let verdict = by_load_buffers(&program, &query).expect("finite data");
        assert_eq!(decided(&verdict), Some(holds), "{leaves}: {verdict:?}");
        let every = reach_under(&program, &query, Model::Tso, &Options::default(), nobody);
        let verdict = every.expect("definite").verdict;
        assert_eq!(decided(&verdict), Some(holds), "{leaves}: {verdict:?}");
    }
}

/// The claim of an exclusive load begins after own stores that others have seen before they wrote what it finds.
#[test]
fn claims_begin_behind_own_stores() {
    for (order, holds) in [("await y == 1; x = 1", false), ("x = 1; await y == 1; x = 0", true)] {
        let program = parse(&format!(
            "shared x: 0..=2, y: 0..=1
             thread p {{ local a, b, s; y = 1; a = load(x, exclusive); b = y; s = store_exclusive(x, 2); b = x
                         assert !(a == 1 && s == 0 && b == {}) }}
             thread q {{ {order} }}",
            if holds { 1 } else { 2 }
        ));
        let query = Query { faults: true, ..Query::default() };
        let verdict = by_load_buffers(&program, &query).expect("finite data");
        assert_eq!(decided(&verdict), Some(holds), "{order}: {verdict:?}");
    }
}
