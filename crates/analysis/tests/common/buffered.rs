//! Goals, final states and deadlocks of any number of threads under TSO, where programs are not robust.

use std::fmt::Write as _;
use std::ops::ControlFlow;

use analysis::parameterised::{Unknown, reach};
use analysis::{Limits, Options, Query, Reason, Verdict};
use fastrand::Rng;
use program::{Count, Program};
use semantics::Model;

use super::{copies, goal, program, reached};

/// A reader-writer lock with flags: Dekker's way to exclude.
fn flags(fence: &str) -> Program {
    program(&format!(
        "shared writing: 0..=1, reading: 0..=1, x: 0..=1
         thread reader[*] {{ loop {{
           if xchg(x, 1) == 0 {{
             reading = 1
             {fence}
             if writing == 0 {{ critical: skip }}
             reading = 0
             xchg(x, 0)
           }}
         }} }}
         thread writer {{ loop {{
           fence
           writing = 1
           {fence}
           if reading == 0 {{ critical: skip }}
           writing = 0
         }} }}"
    ))
}

#[test]
fn goals_are_decided_under_tso_where_it_has_more_states() {
    let both = "reader[0]@critical && writer@critical";
    let plain = flags("");
    assert_eq!(copies(&plain, &goal(&plain, both), Model::Sc), None);
    // Stores still wait where both are inside; a goal is asked of empty buffers, and there both are seen.
    assert_eq!(copies(&plain, &goal(&plain, both), Model::Tso), Some(1));
    let fenced = flags("fence");
    assert_eq!(copies(&fenced, &goal(&fenced, both), Model::Tso), None);
    // It is not robust, and excludes readers from each other all the same.
    let readers = "reader[0]@critical && reader[1]@critical";
    assert_eq!(copies(&plain, &goal(&plain, readers), Model::Tso), None);
    // What others have in their buffers does not matter.
    let begun = "reader[0]@critical && reading == 1 && writing == 0";
    assert_eq!(copies(&plain, &goal(&plain, begun), Model::Tso), Some(1));
}

#[test]
fn final_states_are_excluded_under_tso_where_it_has_more() {
    let query = Query { question: true, ..Query::default() };
    let ask = |fence: &str, never: &str| {
        let text = format!(
            "shared x: 0..=1, y: 0..=1, lost: 0..=1, l: 0..=1, other: 0..=1
             thread p[*] {{ local r: 0..=1
               if xchg(l, 1) == 0 {{ x = 1; {fence}; r = y; if r == 0 {{ xchg(lost, 1) }} }} }}
             thread q {{ local s: 0..=1
               y = 1; {fence}; s = x; if s == 0 {{ other = 1 }} }}
             never ({never})"
        );
        reached(&program(&text), &query, Model::Tso).0
    };
    assert!(matches!(ask("skip", "lost == 1 && other == 1"), Verdict::Violated(_)));
    assert!(ask("fence", "lost == 1 && other == 1").holds());
    // Who has ended has written all that it stored.
    assert!(ask("skip", "other == 1 && y == 0").holds());
    assert!(ask("skip", "lost == 1 && x == 0").holds());
}

#[test]
fn deadlocks_are_excluded_under_tso_where_it_has_more_states() {
    let query = Query { deadlocks: true, ..Query::default() };
    let ask = |text: &str| reached(&program(text), &query, Model::Tso).0;
    // Who holds the lock gives it back, after looking at what others may have overtaken.
    let lock = "shared l: 0..=1, seen: 0..=1, x: 0..=1
        thread p[*] { local r: 0..=1; loop {
          again: await l == 0
          if xchg(l, 1) == 1 { goto again }
          x = 1
          r = seen
          l = 0
          seen = 1
          r = x } }";
    assert!(ask(lock).holds());
    // Each waits for the other if both looked too early: under TSO only.
    let sleepers = "shared a: 0..=1, b: 0..=1, woken: 0..=1
        thread p { local r: 0..=1
          a = 1; r = b
          if r == 0 { await woken == 1 } else { woken = 1 } }
        thread q[*] { local r: 0..=1
          b = 1; r = a
          if r == 0 { await woken == 1 } else { woken = 1 } }";
    let sleepers = program(sleepers);
    let fewer = reached(&sleepers, &query, Model::Sc).0;
    assert!(matches!(fewer, Verdict::Violated(_)), "alone it waits: {fewer:?}");
}

const STEPS: [&str; 9] = [
    "x = 1",
    "y = 1",
    "r = x",
    "r = y",
    "fence",
    "r = xchg(x, 1)",
    "x = 0",
    "r = cas(y, 0, 1)",
    "if r == 1 { y = 0 }",
];

const GOALS: [&str; 4] = [
    "p[0]@done && p[1]@done && p[0].r == 0 && p[1].r == 0",
    "p[0]@done && p[0].r == 0 && x == 1 && y == 0",
    "x == 0 && y == 1 && p[0]@last",
    "p[0]@done && p[0].r == 0 && !(q@start)",
];

const RULED_OUT: [&str; 3] = ["x == 1 && y == 0", "x == 0 && y == 1", "q.s == 0 && x == 1"];

fn random_program(random: &mut Rng, never: &str) -> String {
    let mut body = String::new();
    for _ in 0..random.usize(2..5) {
        let _ = writeln!(body, "{}", STEPS[random.usize(..STEPS.len())]);
    }
    let _ = writeln!(body, "last: {}", STEPS[random.usize(..4)]);
    let other = [
        "start: y = 1\ns = x",
        "start: x = 0\ns = y\nif s == 0 { y = 1 }",
        "start: s = xchg(y, 0)\nx = 1",
        "start: await x == 1\ns = y",
    ];
    let other = other[random.usize(..other.len())];
    let _ = writeln!(body, "done: skip");
    if random.u32(0..4) == 0 {
        body = format!("loop {{\n{body}}}\n");
    }
    format!(
        "shared x: 0..=1, y: 0..=1
         thread p[*] {{ local r: 0..=1\n{body}}}
         thread q {{ local s: 0..=1\n{other}\n}}
         never ({never})"
    )
}

#[test]
fn random_questions_under_tso_are_as_in_instances() {
    let mut random = Rng::with_seed(5);
    let limits = Limits { states: Some(50_000), ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let nobody = &mut |_: &explore::Progress| ControlFlow::Continue(());
    // Of goals, final states and deadlocks.
    let (mut holds, mut found, mut unknown) = ([0, 0, 0], [0, 0, 0], [0, 0, 0]);
    for _ in 0..60 {
        let never = RULED_OUT[random.usize(..RULED_OUT.len())];
        let text = random_program(&mut random, never);
        let program = program(&text);
        let any = program.templates().enumerate().find(|(_, one)| one.count() == Count::Any);
        let (any, _) = any.expect("there is one");
        let queries = [
            goal(&program, GOALS[random.usize(..GOALS.len())]),
            Query { question: true, ..Query::default() },
            Query { deadlocks: true, ..Query::default() },
        ];
        for (kind, query) in queries.iter().enumerate() {
            let (report, instance) = reach(&program, query, Model::Tso, &options, nobody);
            let in_instance = |copies: u32| {
                let instance = program.with_count(any, copies);
                let go_on = |_: &explore::Progress| ControlFlow::Continue(());
                let report = analysis::reach_with_buffers(&instance, query, &options, go_on);
                report.expect("it is definite").verdict
            };
            let from = if kind == 0 { 2 } else { 0 };
            match report.verdict {
                Verdict::Holds(_) => {
                    holds[kind] += 1;
                    for copies in from..=3 {
                        let verdict = in_instance(copies);
                        let is_violated = matches!(verdict, Verdict::Violated(_));
                        assert!(!is_violated, "{kind}, {copies} copies:\n{text}");
                    }
                }
                Verdict::Violated(_) => {
                    found[kind] += 1;
                    let instance = instance.expect("there is one");
                    assert!(instance.is_smallest, "{kind}:\n{text}");
                    for copies in from..instance.counts[0].1 {
                        let verdict = in_instance(copies);
                        let is_violated = matches!(verdict, Verdict::Violated(_));
                        assert!(!is_violated, "{kind}, {copies} copies:\n{text}");
                    }
                }
                Verdict::Undecided(reason) => {
                    unknown[kind] += 1;
                    let is_about_all = matches!(
                        reason,
                        Reason::AnyNumber(Unknown::FinalStates | Unknown::Deadlocks)
                            | Reason::OnlyUnderSc
                    );
                    assert!(kind > 0 && is_about_all, "{kind}: {reason}\n{text}");
                }
            }
        }
    }
    let counted = format!("{holds:?} {found:?} {unknown:?}");
    assert!(holds.iter().chain(&found).all(|count| *count > 10), "{counted}");
}

#[test]
fn empty_buffers_on_the_way_are_seen_under_tso() {
    // Between its stores the thread is nowhere that the goal names, with an empty buffer.
    let between = program(
        "shared gate: 0..=6, x: 0..=1, z: 0..=1
         thread p[*] { local r: 0..=6; atomic { r = gate; if r < 6 { gate = r + 1 } } }
         thread q { local s: 0..=1
           first: await gate == 6
           before: x = 1
           z = 1
           s = 1
           s = 0
           last: skip }",
    );
    let query = goal(&between, "!(q@first) && !(q@before) && !(q@last) && x == 1 && z == 0");
    assert_eq!(copies(&between, &query, Model::Tso), Some(6));
}
