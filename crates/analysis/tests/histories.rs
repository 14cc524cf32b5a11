//! Histories of operations, against all runs and all orders of operations.
//!
//! The comparison follows the definitions: every run is made step by step by `semantics`, with its history
//! written down, and every order of its operations is tried, each operation run alone. Nothing is remembered of
//! the specification on the way, so it shares no idea with what it is compared with.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::ControlFlow;

use analysis::histories::Event;
use analysis::{Ending, Histories, Options, Reason, Verdict, histories};
use frontend::{Language, Settings, load};
use program::{Boundary, Program, Sources, ThreadId, Value};
use semantics::{Control, Machine, Model, Move, State};

fn parse(text: &str) -> Program {
    let mut sources = Sources::new();
    let source = sources.add("test", text);
    load(&sources, source, Language::Fw, &Settings::default())
        .unwrap_or_else(|errors| panic!("{errors:#?}\n{text}"))
}

fn verdict(
    program: &Program,
    specification: &Program,
    asked: (Histories, Model),
) -> Verdict<analysis::Execution> {
    let nobody = |_: &analysis::Progress| ControlFlow::Continue(());
    let found = histories(program, specification, asked, &Options::default(), nobody);
    found.expect("a definite number of threads").verdict
}

/// An operation in a history: whose, when it was called and when it returned, and with which results.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Operation {
    thread: ThreadId,
    span: (usize, usize),
    results: Vec<Value>,
}

/// The operations of a complete history, by calls.
type Complete = Vec<Operation>;

fn boundary<'p>(machine: &Machine<'p>, state: &State, taken: Move) -> Option<&'p Boundary> {
    let (Move::Execute { thread, edge, .. }, Control::At(_)) =
        (taken, state.thread(taken.thread()).control())
    else {
        return None;
    };
    let template = machine.template(thread);
    template.boundaries().get(&template.edge(edge).from)
}

fn values(machine: &Machine<'_>, state: &State, thread: ThreadId, one: &Boundary) -> Vec<Value> {
    let registers = state.thread(thread).registers();
    let value = |value: &program::Expr| value.evaluate(machine.program().memory(), registers);
    one.values().iter().map(|one| value(one).expect("a value")).collect()
}

/// The complete histories of all runs.
fn all_histories(program: &Program, model: Model) -> BTreeSet<Complete> {
    let machine = Machine::new(program, model).expect("definite");
    let mut all = BTreeSet::new();
    let mut seen = BTreeSet::new();
    // A state, how many events there were, the operations that have returned, and when others were called.
    let begin: (State, usize, Complete, BTreeMap<ThreadId, usize>) =
        (machine.initial(), 0, Vec::new(), BTreeMap::new());
    let mut open = vec![begin];
    while let Some((state, events, operations, called)) = open.pop() {
        if !seen.insert((state.clone(), operations.clone(), called.clone())) {
            continue;
        }
        let moves: Vec<Move> = machine.moves(&state).collect();
        if moves.is_empty() {
            assert!(called.is_empty(), "operations end");
            all.insert(operations.clone());
        }
        for taken in moves {
            let (mut events, mut operations, mut called) =
                (events, operations.clone(), called.clone());
            let thread = taken.thread();
            match boundary(&machine, &state, taken) {
                Some(Boundary::Call { .. }) => {
                    called.insert(thread, events);
                    events += 1;
                }
                Some(one @ Boundary::Return { .. }) => {
                    let begun = called.remove(&thread).expect("called");
                    let results = values(&machine, &state, thread, one);
                    operations.push(Operation { thread, span: (begun, events), results });
                    operations.sort();
                    events += 1;
                }
                None => {}
            }
            let next = machine.apply(&state, taken).expect("enabled").0;
            open.push((next, events, operations, called));
        }
    }
    all
}

/// Runs the next operation of a thread alone, and gives its results.
fn run_next(machine: &Machine<'_>, state: &mut State, thread: ThreadId) -> Vec<Value> {
    loop {
        let mut moves = machine.moves(state).filter(|taken| taken.thread() == thread);
        let taken = moves.next().expect("an operation that ends");
        let results = match boundary(machine, state, taken) {
            Some(one @ Boundary::Return { .. }) => Some(values(machine, state, thread, one)),
            Some(Boundary::Call { .. }) | None => None,
        };
        *state = machine.apply(state, taken).expect("enabled").0;
        if let Some(results) = results {
            return results;
        }
    }
}

/// Whether some order of the operations has the same results, each run alone.
fn is_explained(
    machine: &Machine<'_>,
    state: &State,
    left: &[Operation],
    asked: Histories,
) -> bool {
    if left.is_empty() {
        return true;
    }
    left.iter().enumerate().any(|(at, first)| {
        let precedes = |other: &Operation| match asked {
            Histories::Linearizable => other.span.1 < first.span.0,
            Histories::SequentiallyConsistent => {
                other.thread == first.thread && other.span.1 < first.span.0
            }
        };
        let mut state = state.clone();
        !left.iter().any(precedes)
            && run_next(machine, &mut state, first.thread) == first.results
            && {
                let mut rest = left.to_vec();
                rest.remove(at);
                is_explained(machine, &state, &rest, asked)
            }
    })
}

/// A program of two or three threads with one or two operations each.
fn random_program(rng: &mut fastrand::Rng) -> String {
    let mut text = "shared x, y\n".to_owned();
    let threads = if rng.u8(..4) == 0 { 3 } else { 2 };
    // Operations that are one access each are atomic under SC.
    let is_simple = rng.bool();
    for thread in 0..threads {
        let _ = writeln!(text, "thread t{thread} {{\n  local r, s");
        let operations = match (threads, is_simple) {
            (3, _) => 1,
            (_, true) => 2,
            (_, false) => rng.usize(1..=2),
        };
        for operation in 0..operations {
            let _ = writeln!(text, "  call op{operation}()");
            for _ in 0..if is_simple { 1 } else { rng.usize(1..=2) } {
                let (cell, other) = if rng.bool() { ("x", "y") } else { ("y", "x") };
                let value = rng.u8(1..=2);
                text += "  ";
                // Mostly stores and then loads, as in store buffering.
                let kind = match (is_simple && rng.u8(..4) > 0, operation) {
                    (true, 0) => 0,
                    (true, _) => 3,
                    (false, _) => rng.u8(..if is_simple { 7 } else { 9 }),
                };
                let statement = match kind {
                    0..=2 => format!("{cell} = {value}"),
                    3..=5 => format!("r = {cell}"),
                    6 => format!("r = fetch_add({cell}, {value})"),
                    7 => format!("{cell} = r + 1"),
                    _ => format!("s = {other}; if s == 1 {{ r = {cell} }} else {{ fence }}"),
                };
                text.push_str(&statement);
                text.push('\n');
            }
            text += "  return r, s\n";
        }
        text += "}\n";
    }
    text
}

/// A thread that goes round by itself keeps nobody from operations.
#[test]
fn others_go_round_forever() {
    let program = parse(
        "shared x: 0..=1
         thread p { loop { skip } }
         thread q { local r: 0..=1; call read(); r = x; return r }",
    );
    let asked = (Histories::Linearizable, Model::Tso);
    assert!(verdict(&program, &program, asked).holds());
}

/// An operation is explained by one with the same arguments, and by no other.
#[test]
fn arguments_count() {
    let text = |written: &str| {
        format!(
            "shared x: 0..=1
             thread p {{ local v: 0..=1; v = choose(0..2); call write(v); {written}; return }}
             thread q {{ local r: 0..=1; call read(); r = x; return r }}"
        )
    };
    let specification = parse(&text("x = v"));
    for (written, is_right) in [("x = 0", false), ("xchg(x, v)", true)] {
        let program = parse(&text(written));
        let asked = (Histories::Linearizable, Model::Sc);
        assert_eq!(verdict(&program, &specification, asked).holds(), is_right, "{written}");
    }
}

#[test]
fn random_programs_agree_with_all_orders_of_all_runs() {
    let mut rng = fastrand::Rng::with_seed(25);
    let mut counts: BTreeMap<(Histories, bool, bool), usize> = BTreeMap::new();
    for _ in 0..120 {
        let text = random_program(&mut rng);
        let program = parse(&text);
        let alone = Machine::new(&program, Model::Sc).expect("definite");
        let all = [Model::Sc, Model::Tso].map(|model| (model, all_histories(&program, model)));
        for asked in [Histories::Linearizable, Histories::SequentiallyConsistent] {
            let mut answers = Vec::new();
            for (model, all) in &all {
                let expected =
                    all.iter().all(|one| is_explained(&alone, &alone.initial(), one, asked));
                match verdict(&program, &program, (asked, *model)) {
                    Verdict::Holds(_) => assert!(expected, "{asked:?} {model:?}\n{text}"),
                    Verdict::Violated(run) => {
                        assert!(!expected, "{asked:?} {model:?}\n{text}");
                        let Ending::History(history) = &run.ending else { panic!("{run:?}") };
                        let calls = |one: &&analysis::histories::Occurrence| {
                            matches!(one.event, Event::Call { .. })
                        };
                        assert!(history.occurrences.iter().filter(calls).count() > 0);
                    }
                    Verdict::Undecided(reason) => panic!("{reason}\n{text}"),
                }
                answers.push(expected);
            }
            *counts.entry((asked, answers[0], answers[1])).or_default() += 1;
        }
    }
    // Each kind is there: fine under both, only under SC, under neither.
    for asked in [Histories::Linearizable, Histories::SequentiallyConsistent] {
        for (sc, tso) in [(true, true), (true, false), (false, false)] {
            let count = counts.get(&(asked, sc, tso)).copied().unwrap_or_default();
            assert!(count >= 3, "{asked:?} {sc} {tso}: {count}");
        }
    }
}

/// A client that never ends: sets of points are finite, so histories of any length are decided.
#[test]
fn clients_need_not_end() {
    let text = "shared x: 0..=1
        thread p { loop { call set(); store(x, 1, seq_cst); return } }
        thread q { local r: 0..=1; loop { call get(); r = x; return r } }";
    let program = parse(text);
    for model in [Model::Sc, Model::Tso] {
        assert!(verdict(&program, &program, (Histories::Linearizable, model)).holds());
    }
    let plain = parse(&text.replace("store(x, 1, seq_cst)", "x = 1"));
    assert!(verdict(&plain, &plain, (Histories::Linearizable, Model::Sc)).holds());
    let found = verdict(&plain, &plain, (Histories::Linearizable, Model::Tso));
    assert!(matches!(found, Verdict::Violated(_)), "{found:?}");
}

/// An operation that waits for another one is executed when it can be, and one that never returns needs
/// no explanation.
#[test]
fn operations_may_wait() {
    let program = parse(
        "shared full: 0..=1, item: 0..=1
         thread p { call put(1); item = 1; full = 1; return }
         thread q { local r: 0..=1; call get(); await full == 1; r = item; return r }
         thread s { local r: 0..=1; call never(); await full == 2; return r }",
    );
    for model in [Model::Sc, Model::Tso] {
        let found = verdict(&program, &program, (Histories::Linearizable, model));
        assert!(found.holds(), "{model:?}: {found:?}");
    }
}

/// What the sequential program does without end is not guessed.
#[test]
fn sequential_programs_without_end_are_undecided() {
    let program = parse("shared x; thread p { local r; call next(); r = x; x = r + 1; return r }");
    let endless =
        parse("shared x; thread p { local r; call next(); loop { x = x + 1 }; return r }");
    let asked = (Histories::Linearizable, Model::Sc);
    let found = verdict(&program, &endless, asked);
    assert!(matches!(found, Verdict::Undecided(Reason::SequentialRuns { .. })), "{found:?}");
}

#[test]
fn other_sequential_programs_need_the_same_threads() {
    let program = parse("shared x; thread p { call a(); x = 1; return }");
    let other = parse("shared x; thread q { call a(); x = 1; return }");
    let problem = analysis::histories::unanswerable(&program, &other);
    assert_eq!(problem.as_deref(), Some("the sequential program has no thread `p`"));
    let without = parse("shared x; thread p { x = 1 }");
    let problem = analysis::histories::unanswerable(&without, &without);
    assert_eq!(problem.as_deref(), Some("this program calls no operation"));
}
