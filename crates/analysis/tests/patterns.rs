//! Small programs whose answers can be seen with the naked eye: which pattern of stores and loads each
//! criterion looks for, and which attacks there are.

mod decided;

use std::ops::ControlFlow;

use analysis::robustness::per_attack;
use analysis::{Criterion, Options, Progress, Query, Reductions, check, plain_races, reach_under};
use decided::decided;
use frontend::{Language, Settings, load};
use oracle::generate::random::{Shape, random_programs};
use oracle::has_data_race;
use program::{Program, Sources};
use semantics::Model;

fn program(text: &str) -> Program {
    let mut sources = Sources::new();
    let source = sources.add("text.fw", text);
    let program = load(&sources, source, Language::Fw, &Settings::default());
    program.unwrap_or_else(|errors| panic!("{errors:#?} in {text}"))
}

fn nobody(_: &Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Two threads that do these things, or a third with them, and whether there is no data race, no
/// triangular race, robustness and persistence.
#[test]
fn the_patterns_are_found_and_nothing_else_is() {
    let (none, all) = ([false; 4], [true; 4]);
    let races_only = [false, true, true, true];
    for (threads, expected) in [
        (["x = 1; a = y", "y = 1; a = x", ""], none),
        (["x = 1; fence; a = y", "y = 1; fence; a = x", ""], races_only),
        (["x = 1; fence; a = y", "y = 1; a = x", ""], none),
        (["xchg(x, 1); a = y", "xchg(y, 1); a = x", ""], races_only),
        (["x = 1; y = 1", "a = y; b = x", ""], races_only),
        (["x = 1; a = w", "y = 1; a = w", "a = w"], all),
        (["xchg(x, 1); a = w", "xchg(x, 2); xchg(x, 3)", ""], all),
        (["xchg(x, 1)", "xchg(x, 2)", "x = 3"], races_only),
        (["xchg(x, 1)", "a = x", ""], races_only),
        (["a = x", "a = x", ""], all),
        (["a = y; x = 1", "b = x; y = 1", ""], races_only),
        // The load is reached over another, and past a computation.
        (["x = 1; b = w; b = b + 1; a = y", "y = 1; a = x", ""], none),
        // Overtaken by a store: another order of stores, which nobody sees.
        (["x = 1; a = y", "y = 1", ""], [false, false, true, false]),
        // What is written is what is there.
        (["x = 1; a = y", "y = 0", ""], [false, false, true, true]),
        // From the end of one round of a loop to the beginning of the next.
        (
            [
                "fence; while b < 2 { a = y; x = 1; b = b + 1 }",
                "fence; while b < 2 { a = x; y = 1; b = b + 1 }",
                "",
            ],
            none,
        ),
        (
            [
                "fence; while b < 2 { a = y; x = 1; b = b + 1; fence }",
                "fence; while b < 2 { a = x; y = 1; b = b + 1; fence }",
                "",
            ],
            races_only,
        ),
        // Only one of two ways leads to the load, or to a fence before it.
        (["x = 1; b = choose(0..2); if b == 0 { fence }; a = y", "y = 1; fence; a = x", ""], none),
        (
            [
                "x = 1; b = choose(0..2); if b == 0 { a = y } else { fence }",
                "y = 1; fence; a = x",
                "",
            ],
            none,
        ),
    ] {
        let text: Vec<String> = threads
            .iter()
            .enumerate()
            .map(|(number, body)| format!("thread t{number} {{ local a, b; {body} }}"))
            .collect();
        let text = format!("shared x, y, w\n{}\n", text.join("\n"));
        let program = program(&text);
        let criteria =
            [Criterion::Drf, Criterion::Trf, Criterion::Robustness, Criterion::Persistence];
        let options = Options::default();
        let at_once = check(&program, &criteria, &options, nobody);
        let at_once = at_once.expect("a definite program");
        let at_once: Vec<_> = at_once.iter().map(|answer| decided(&answer.verdict)).collect();
        assert_eq!(at_once, expected.map(Some), "at once of {text}");
        for (criterion, expected) in criteria.into_iter().zip(expected) {
            let answers = check(&program, &[criterion], &options, nobody);
            let verdict = &answers.expect("a definite program")[0].verdict;
            assert_eq!(decided(verdict), Some(expected), "{criterion} of {text}");
        }
    }
}

/// Somebody who waits for ever is enough, whoever else has stopped for another reason.
#[test]
fn a_deadlock_is_one_beside_threads_that_have_stopped() {
    let (waits, stops, ends) = ("await x == 1", "assume x == 1", "a = x");
    for (threads, deadlocks) in [
        (&[waits][..], true),
        (&[stops], false),
        (&[waits, stops], true),
        (&[stops, waits], true),
        (&[waits, ends, stops], true),
        (&[stops, ends, stops], false),
        (&[waits, "x = 1"], false),
    ] {
        let one =
            |(number, body): (usize, &&str)| format!("thread t{number} {{ local a; {body} }}");
        let text: Vec<String> = threads.iter().enumerate().map(one).collect();
        let text = format!("shared x\n{}\n", text.join("\n"));
        let program = program(&text);
        let query = Query { deadlocks: true, ..Query::default() };
        let options = Options::default();
        for model in [Model::Sc, Model::Tso] {
            let report = reach_under(&program, &query, model, &options, nobody);
            let report = report.expect("a definite program");
            assert_eq!(decided(&report.verdict), Some(!deadlocks), "{text}");
        }
    }
}

/// An attack is of one thread, begins with one store and ends with one load; that another is feasible
/// does not make it so.
#[test]
fn each_attack_is_asked_about_by_itself() {
    for (text, attacks, feasible) in [
        // Nobody who writes `z` looks at `x`.
        (
            "shared x, y, z
             thread p { local a, b; x = 1; a = y; b = z }
             thread q { local a; y = 1; a = x }
             thread r { z = 1 }",
            3,
            vec![(0, 0, 1), (1, 0, 1)],
        ),
        // Nobody who looks at `z` writes `y`.
        (
            "shared x, y, z
             thread p { local a; z = 1; x = 1; a = y }
             thread q { local a; y = 1; a = x }
             thread r { local a; a = z }",
            3,
            vec![(0, 1, 2), (1, 0, 1)],
        ),
        // Two threads of the same text.
        (
            "shared x, y
             thread p[2] { local a; x = 1; a = y }
             thread q { local a; y = 1; fence; a = x }",
            2,
            vec![(0, 0, 1), (1, 0, 1)],
        ),
    ] {
        let program = program(text);
        let table = per_attack(&program, &Options::default()).expect("a definite program");
        let found: Vec<(usize, usize, usize)> = table
            .feasible
            .iter()
            .map(|attack| {
                use program::index::Idx;
                (attack.thread.index(), attack.store.index(), attack.load.index())
            })
            .collect();
        assert_eq!((found, table.undecided), (feasible, 0), "{text}");
        assert!(table.attacks >= attacks, "{text}");
    }
}

/// Persistent sets lose no race: the same pairs of accesses race as in all states of SC, and where all accesses
/// are plain some pair races if the oracle finds a race.
#[test]
fn races_are_the_same_in_fewer_states() {
    let all = Options::default();
    let reductions = Reductions { partial_order: false, ..all.reductions };
    let every_order = Options { reductions, ..all };
    for (seed, shape, least) in
        [(51, Shape::LOOP_FREE, 120), (52, Shape::COUNTED, 60), (53, Shape::KEPT_OUT, 80)]
    {
        let mut racing = 0;
        for program in random_programs(seed, shape).take(200) {
            let [fewer, every] = [&all, &every_order].map(|options| {
                let races = plain_races(&program, options, nobody);
                races.expect("a definite program")
            });
            assert_eq!(fewer, every, "{}", frontend::fw::print(&program));
            if let Ok(races) = has_data_race(&program, &oracle::Limits::default())
                && !shape.typed
            {
                assert_eq!(!every.pairs.is_empty(), races, "{}", frontend::fw::print(&program));
            }
            racing += usize::from(every.is_complete && !every.pairs.is_empty());
        }
        assert!(racing >= least, "only {racing} programs race");
    }
}
