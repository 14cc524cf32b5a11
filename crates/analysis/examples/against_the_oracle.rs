//! Compares what can be reached under TSO with what the oracle finds, on random programs:
//!
//! ```text
//! cargo run --release -p fencewright-analysis --example against_the_oracle -- SECONDS SEED
//! ```
//!
//! Programs whose buffers stay short are asked for errors, deadlocks, forbidden final states and states with empty
//! buffers, once as `reach --model tso` asks and once by load buffers alone. Where a buffer can grow forever the oracle has
//! no answer: there all states with at most one, two, three and four stores in each buffer are explored, as far as the
//! limits allow, and nothing that is found there may be said to be impossible. It stops at the first difference.

#![expect(clippy::print_stdout, reason = "an example is a command")]

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use analysis::{Options, Query, Verdict, reach_under, reach_with_load_buffers};
use oracle::generate::random::{Loops, Shape, random_programs};
use oracle::{
    Exceeded, Limits, MemoryModel, answer, has_deadlock, plain_configurations, reachable_faults,
};
use program::{Observable, Program, Quantifier, StateProposition, Value};
use semantics::{Control, Machine, Model};

const LIMITS: Limits = Limits { max_states: 20_000, max_length: 40 };
/// The most states that are explored with short buffers.
const MOST_STATES: usize = 2_000;
/// How long one question may take.
const PATIENCE: Duration = Duration::from_millis(500);
/// What two cells may hold in states that are looked for.
const HELD: [[Value; 2]; 3] = [[1, 0], [0, 1], [1, 2]];
/// So many programs of one shape are asked one after the other.
const AT_ONCE: usize = 50;

const SHAPES: [(&str, Shape); 6] = [
    ("no loops", Shape::LOOP_FREE),
    ("loops that end", Shape::COUNTED),
    ("any loops", Shape::LOOPING),
    ("any loops, no exclusives", Shape { exclusives: false, ..Shape::LOOPING }),
    ("kept out", Shape { exclusives: false, ..Shape::KEPT_OUT }),
    (
        "kept out, any loops",
        Shape {
            loops: Loops::Free,
            typed: true,
            waiting: true,
            exclusives: false,
            ..Shape::KEPT_OUT
        },
    ),
];

/// What was compared of one shape.
#[derive(Default)]
struct Count {
    programs: usize,
    too_large: usize,
    growing: usize,
    answers: usize,
    violated: usize,
    undecided: usize,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|it| it.parse::<u64>().expect("a number"));
    let seconds = arguments.next().unwrap_or(10);
    let seed = arguments.next().unwrap_or(1);
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut shapes: Vec<_> = SHAPES
        .iter()
        .zip(seed..)
        .map(|((name, shape), seed)| {
            (*name, random_programs(seed * 1000, *shape), Count::default())
        })
        .collect();
    while Instant::now() < end {
        for (name, programs, count) in &mut shapes {
            for program in programs.by_ref().take(AT_ONCE) {
                if Instant::now() > end {
                    break;
                }
                let compared = catch_unwind(AssertUnwindSafe(|| compare(&program, count)));
                let compared = compared.unwrap_or_else(|_| Err("a panic".to_owned()));
                if let Err(difference) = compared {
                    println!("{name}: {difference}\n{}", frontend::fw::print(&program));
                    return ExitCode::FAILURE;
                }
            }
        }
    }
    println!("| programs | number | too large | growing | answers | violated | undecided |");
    println!("|---|---|---|---|---|---|---|");
    for (name, _, count) in &shapes {
        let Count { programs, too_large, growing, answers, violated, undecided } = count;
        println!(
            "| {name} | {programs} | {too_large} | {growing} | {answers} | {violated} | {undecided} |"
        );
    }
    ExitCode::SUCCESS
}

fn compare(program: &Program, count: &mut Count) -> Result<(), String> {
    count.programs += 1;
    match expected(program) {
        Ok(expected) => expected.into_iter().try_for_each(|(query, is_reachable)| {
            answers(program, &query, count, |holds| holds != is_reachable)
        }),
        Err(Exceeded::States) => {
            let mut found = Vec::new();
            for bound in 1..=4 {
                found.push(with_short_buffers(program, bound)?);
            }
            if found.iter().all(|(_, _, is_whole)| !is_whole) {
                count.too_large += 1;
            }
            count.growing += 1;
            let fault = found.iter().any(|(fault, _, _)| *fault);
            let faults = (Query { faults: true, ..Query::default() }, fault);
            let goals = HELD.into_iter().enumerate().map(|(at, values)| {
                (held(program, values), found.iter().any(|(_, held, _)| held[at]))
            });
            [faults].into_iter().chain(goals).try_for_each(|(query, is_there)| {
                answers(program, &query, count, |holds| !holds || !is_there)
            })
        }
        Err(
            Exceeded::Length
            | Exceeded::Overflow
            | Exceeded::AnyNumberOfCopies { .. }
            | Exceeded::AccessAcross,
        ) => {
            count.too_large += 1;
            Ok(())
        }
    }
}

/// Asks in both ways.
fn answers(
    program: &Program,
    query: &Query,
    count: &mut Count,
    is_right: impl Fn(bool) -> bool,
) -> Result<(), String> {
    let go_on = |_: &analysis::Progress| ControlFlow::Continue(());
    let every = reach_under(program, query, Model::Tso, &options(), go_on).expect("definite");
    let alone = reach_with_load_buffers(program, query, &options(), go_on).expect("definite");
    let verdicts =
        [("all methods", Some(every.verdict)), ("load buffers", alone.map(|it| it.verdict))];
    for (way, verdict) in verdicts {
        count.answers += 1;
        let holds = match verdict {
            Some(Verdict::Holds(_)) => true,
            Some(Verdict::Violated(_)) => {
                count.violated += 1;
                false
            }
            Some(Verdict::Undecided(_)) | None => {
                count.undecided += 1;
                continue;
            }
        };
        if !is_right(holds) {
            return Err(format!("{way}: holds is {holds}, of {query:?}"));
        }
    }
    Ok(())
}

fn options() -> Options {
    // Few programs take long, and nothing bounds for how long.
    let deadline = Some(Instant::now() + PATIENCE);
    let limits = analysis::Limits { states: Some(40_000), deadline, ..analysis::Limits::default() };
    Options { limits, ..Options::default() }
}

/// States with empty buffers in which two cells hold something.
fn held(program: &Program, values: [Value; 2]) -> Query {
    let holds =
        |(cell, value): (Value, Value)| StateProposition::Equals(Observable::Cell(cell), value);
    let both = cells(program).into_iter().zip(values).map(holds);
    Query { goal: Some(StateProposition::All(both.collect())), ..Query::default() }
}

fn cells(program: &Program) -> Vec<Value> {
    program.memory().locations().iter().map(|location| location.base).take(2).collect()
}

/// What the oracle says of each query.
fn expected(program: &Program) -> Result<Vec<(Query, bool)>, Exceeded> {
    let model = MemoryModel::Tso;
    let asked = program.question().condition.as_ref();
    let claims = asked.is_some_and(|(quantifier, _)| *quantifier != Quantifier::Exists);
    let broken = answer(program, model, &LIMITS)?.is_some_and(|answer| !answer.holds);
    let faults = !reachable_faults(program, model, &LIMITS)?.is_empty();
    let deadlocks = has_deadlock(program, model, &LIMITS)?;
    let mut all = vec![
        (Query { faults: true, ..Query::default() }, faults),
        (Query { question: true, ..Query::default() }, claims && broken),
        (Query { deadlocks: true, ..Query::default() }, deadlocks),
    ];
    let plain = plain_configurations(program, model, &LIMITS)?;
    for values in HELD {
        let is_there = plain.iter().any(|state| {
            let mut both = cells(program).into_iter().zip(values);
            both.all(|(cell, value)| state.see(program, Observable::Cell(cell)) == value)
        });
        all.push((held(program, values), is_there));
    }
    Ok(all)
}

/// What is reached with buffers of at most this length: a fault, what two cells hold with empty buffers; and whether
/// that is all.
fn with_short_buffers(program: &Program, bound: usize) -> Result<(bool, [bool; 3], bool), String> {
    let machine = Machine::new(program, Model::Tso).map_err(|error| format!("{error:?}"))?;
    let (mut fault, mut found, mut is_whole) = (false, [false; 3], true);
    let mut seen = BTreeSet::from([machine.initial()]);
    let mut open = vec![machine.initial()];
    while let Some(state) = open.pop() {
        fault |= state.threads().iter().any(|thread| match thread.control() {
            Control::Stopped { fault, .. } => !fault.is_limit(),
            Control::At(_) => false,
        });
        for (values, found) in HELD.into_iter().zip(&mut found) {
            let mut both = cells(program).into_iter().zip(values);
            *found |= state.buffers_are_empty()
                && both.all(|(cell, value)| machine.in_memory(&state, cell) == Some(value));
        }
        for taken in machine.moves(&state).collect::<Vec<_>>() {
            let (next, _) = machine.apply(&state, taken).expect("offered moves are enabled");
            if next.threads().iter().any(|thread| thread.buffer().len() > bound) {
                continue;
            }
            if seen.len() >= MOST_STATES {
                is_whole = false;
            } else if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    Ok((fault, found, is_whole))
}
