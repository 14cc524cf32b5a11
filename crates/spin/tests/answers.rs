//! What Spin answers, on programs with known answers. Needs spin and gcc.

use std::process::Command;

use frontend::{Language, Settings, load};
use program::index::Idx;
use program::{LabelId, Observable, Program, Sources, StateProposition, TemplateId};
use spin::{Failure, Options, Query, Reason, Verdict, What, reach};

fn parse(text: &str) -> Program {
    let mut sources = Sources::new();
    let source = sources.add("test.fw", text);
    load(&sources, source, Language::Fw, &Settings::default())
        .unwrap_or_else(|errors| panic!("{errors:#?}"))
}

fn options(reduce: bool) -> Options {
    Options { reduce, optimise: false, table_bits: 18, ..Options::default() }
}

#[derive(Debug, PartialEq, Eq)]
enum Expected {
    Holds,
    Violated(What),
    Undecided(Reason),
}

fn check(program: &Program, query: &Query, expected: &Expected) {
    for reduce in [false, true] {
        let answer = reach(program, query, &options(reduce)).expect("an answer");
        let found = match answer.verdict {
            Verdict::Holds => Expected::Holds,
            Verdict::Violated(violation) => Expected::Violated(violation.what),
            Verdict::Undecided(reason) => Expected::Undecided(reason),
        };
        assert_eq!(found, *expected, "{}, reduce: {reduce}", program.name());
        assert!(answer.statistics.search.is_some(), "{:?}", answer.statistics);
        assert!(answer.statistics.preparation.is_some(), "{:?}", answer.statistics);
    }
}

fn faults() -> Query {
    Query { faults: true, ..Query::default() }
}

fn deadlocks() -> Query {
    Query { deadlocks: true, ..Query::default() }
}

fn goal(goal: StateProposition) -> Query {
    Query { goal: Some(goal), ..Query::default() }
}

/// The label of that name in the first template.
fn label(program: &Program, name: &str) -> LabelId {
    let labels = program.template(TemplateId::new(0)).labels();
    labels.enumerate().find(|(_, label)| label.name == name).expect("such a label").0
}

fn at(program: &Program, copy: u32, name: &str) -> StateProposition {
    StateProposition::At { template: TemplateId::new(0), copy, label: label(program, name) }
}

/// Less than what an equality compares with.
fn less(equals: &StateProposition) -> StateProposition {
    let StateProposition::Equals(seen, value) = equals else { panic!("{equals:?} is no equality") };
    StateProposition::Less(*seen, *value)
}

fn cell(program: &Program, name: &str, value: i32) -> StateProposition {
    let locations = program.memory().locations();
    let address = locations.iter().find(|location| location.name == name).expect("such").base;
    StateProposition::Equals(Observable::Cell(address), value.into())
}

fn register(program: &Program, copy: u32, name: &str, value: i32) -> StateProposition {
    let template = TemplateId::new(0);
    let registers = program.template(template).registers();
    let (register, _) =
        registers.enumerate().find(|(_, register)| register.name == name).expect("such");
    StateProposition::Equals(Observable::Register { template, copy, register }, value.into())
}

const RACE: &str = "shared x
    thread p[i in 0..2] { local r
      r = x
      x = r + 1
      end: skip
    }";

#[test]
fn assertions_hold_or_fail() {
    let atomic = parse("shared x; thread p[i in 0..2] { assert fetch_add(x, 1) < 2 }");
    check(&atomic, &faults(), &Expected::Holds);
    let racy = parse("shared x; thread p[i in 0..2] { assert fetch_add(x, 1) == 0 }");
    check(&racy, &faults(), &Expected::Violated(What::Fault));
    // Nobody asked.
    check(&racy, &deadlocks(), &Expected::Holds);
}

#[test]
fn choices_and_exclusive_accesses_are_part_of_a_run() {
    let text = "shared x; thread p { local r, s
        r = choose(3..=5)
        s = load(x, exclusive)
        s = store_exclusive(x, r)
        assert s == 1 || r != 4
      }";
    check(&parse(text), &faults(), &Expected::Violated(What::Fault));
}

#[test]
fn goals_are_reached_or_not() {
    let both = |first, second| StateProposition::All(vec![first, second]);
    let program = parse(RACE);
    let ended = |copy| at(&program, copy, "end");
    let cases = [
        (both(ended(0), ended(1)), true),
        (both(both(ended(0), ended(1)), cell(&program, "x", 1)), true),
        (both(both(ended(0), ended(1)), cell(&program, "x", 0)), false),
        (both(ended(0), register(&program, 0, "r", 1)), true),
        (both(ended(0), register(&program, 0, "r", 2)), false),
        (both(register(&program, 0, "r", 1), register(&program, 1, "r", 1)), false),
        (register(&program, 1, "i", 1), true),
        (register(&program, 1, "i", 0), false),
        (StateProposition::Not(Box::new(cell(&program, "x", 0))), true),
        (less(&cell(&program, "x", 0)), false),
        (less(&cell(&program, "x", 1)), true),
        (both(ended(0), less(&register(&program, 0, "r", 1))), true),
        (both(ended(0), less(&register(&program, 0, "r", 0))), false),
        (less(&register(&program, 1, "i", 1)), false),
        (less(&register(&program, 1, "i", 2)), true),
        (StateProposition::Any(vec![]), false),
        (StateProposition::All(vec![]), true),
    ];
    for (proposition, reached) in cases {
        let expected = if reached { Expected::Violated(What::Goal) } else { Expected::Holds };
        check(&program, &goal(proposition), &expected);
    }
}

#[test]
fn a_thread_is_at_no_label_once_a_fault_has_stopped_it() {
    let program = parse("shared x; thread p { local r; here: assert r == 1; there: x = 1 }");
    check(&program, &goal(at(&program, 0, "there")), &Expected::Holds);
    let stopped = StateProposition::Not(Box::new(at(&program, 0, "here")));
    check(&program, &goal(stopped), &Expected::Violated(What::Goal));
}

#[test]
fn a_chosen_register_can_be_part_of_a_goal() {
    let program = parse("shared x; thread p { local r; r = choose(0..=3); x = r }");
    check(&program, &goal(register(&program, 0, "r", 3)), &Expected::Violated(What::Goal));
    check(&program, &goal(register(&program, 0, "r", 4)), &Expected::Holds);
}

#[test]
fn a_goal_that_mentions_nothing_real_is_an_error() {
    let program = parse(RACE);
    let template = TemplateId::new(0);
    let nobody = StateProposition::At { template, copy: 2, label: label(&program, "end") };
    let answer = reach(&program, &goal(nobody), &options(true));
    assert!(matches!(answer, Err(Failure::NoPromela(_))), "{answer:?}");
}

#[test]
fn deadlocks_are_found_where_spin_can_see_them() {
    let hand_over =
        "shared x; thread p { local r; waiting here: assume r == 1 }; thread q { x = 1 }";
    check(&parse(hand_over), &deadlocks(), &Expected::Violated(What::Deadlock));
    // A false assumption elsewhere is none.
    let filtered = "shared x; thread p { local r; here: assume r == 1 }; thread q { x = 1 }";
    check(&parse(filtered), &deadlocks(), &Expected::Holds);
    // A fault inside a locked section leaves the lock behind.
    let dies = "shared x; thread p { atomic { x = 1; assert x == 2 } }; thread q { x = 3 }";
    check(&parse(dies), &deadlocks(), &Expected::Violated(What::Deadlock));
    let busy = "shared x; thread p { await x == 1 }";
    check(&parse(busy), &deadlocks(), &Expected::Undecided(Reason::BusyWaits));
}

#[test]
fn more_than_32_bits_are_undecided() {
    let program = parse("shared x; thread p { local r = 1; while r != 0 { r = r * 65536 } }");
    check(&program, &faults(), &Expected::Undecided(Reason::Beyond32Bits));
}

#[test]
fn long_runs_are_followed_to_their_end() {
    let program = parse(
        "shared x; thread p { local r; while r < 50000 { r = r + 1 }; x = r; assert x != 50000 }",
    );
    check(&program, &faults(), &Expected::Violated(What::Fault));
    let harmless = parse("shared x; thread p { local r; while r < 50000 { r = r + 1 }; x = r }");
    let unreduced = reach(&harmless, &faults(), &options(false)).expect("an answer");
    assert!(matches!(unreduced.verdict, Verdict::Holds));
    assert!(unreduced.statistics.states > 100_000, "{:?}", unreduced.statistics);
}

#[test]
fn limits_are_said() {
    let program =
        parse("shared x; thread p[i in 0..4] { local r; while 1 == 1 { r = r + 1; x = r } }");
    let small = Options { memory: 32 << 20, table_bits: 10, ..options(false) };
    let answer = reach(&program, &faults(), &small).expect("an answer");
    let is_memory = matches!(answer.verdict, Verdict::Undecided(Reason::Memory));
    assert!(is_memory, "{answer:?}");
    let brief = Some(std::time::Duration::from_millis(50));
    let brief = Options { cpu_limit: brief, ..options(false) };
    let answer = reach(&program, &faults(), &brief).expect("an answer");
    assert!(matches!(answer.verdict, Verdict::Undecided(Reason::Time)), "{answer:?}");
    let quick = Options { timeout: Some(std::time::Duration::from_millis(1)), ..options(false) };
    let answer = reach(&program, &faults(), &quick).expect("an answer");
    assert!(matches!(answer.verdict, Verdict::Undecided(Reason::Time)), "{answer:?}");
}

#[test]
#[ignore = "runs in a process without PATH, started by the next test"]
fn in_a_process_without_path() {
    let answer = reach(&parse(RACE), &faults(), &options(true));
    let Err(failure @ Failure::Missing { command: "spin", .. }) = answer else {
        panic!("{answer:?}")
    };
    assert!(failure.to_string().contains("apt install spin gcc"), "{failure}");
}

#[test]
fn a_missing_spin_is_an_error_that_says_what_to_install() {
    let this = std::env::current_exe().expect("this test");
    let arguments = ["--exact", "in_a_process_without_path", "--ignored"];
    let ran = Command::new(this).args(arguments).env("PATH", "/nowhere").output().expect("it runs");
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && said.contains("1 passed"), "{said}");
}
