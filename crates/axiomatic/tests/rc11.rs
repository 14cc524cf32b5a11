//! What C allows, on litmus tests in C: the verdicts that Lahav et al. (PLDI 2017) and the C standard
//! give, and those of IMM (Podkopaev et al., POPL 2019) beside them.

use std::fmt::Write;

use axiomatic::{Limits, Model, Outcomes, outcomes};
use frontend::{Language, Settings, load};
use program::{Program, Sources};

fn program(language: Language, text: &str) -> Program {
    let mut sources = Sources::new();
    let source = sources.add("test", text);
    load(&sources, source, language, &Settings::default())
        .unwrap_or_else(|errors| panic!("{errors:?} in {text}"))
}

/// A test with these threads, whose statements have short words for the operations: `R.acq x` is an
/// acquiring load of `x`, `W.rel x 1` a releasing store of 1, `F.sc` a fence, `ADD.rlx x` adds one,
/// `CAS.ar.rlx x 0 1` writes 1 if it finds 0 and is relaxed if it does not; `x` alone and `x = 1` are accesses that are not atomic. The result of the statement with the number n, if
/// it has one, is `rn`; what a compare-and-swap found is `en`.
fn text(threads: &[&[&str]], condition: &str) -> String {
    let order = |short: &str| {
        let orders = [
            ("rlx", "relaxed"),
            ("acq", "acquire"),
            ("rel", "release"),
            ("ar", "acq_rel"),
            ("sc", "seq_cst"),
        ];
        let found = orders.iter().find(|(known, _)| *known == short).expect("an order");
        format!("memory_order_{}", found.1)
    };
    let statement = |(number, words): (usize, &&str)| {
        let words: Vec<&str> = words.split_whitespace().collect();
        let (operation, short) = words[0].split_once('.').unwrap_or((words[0], "rlx"));
        let (short, failure) = short.split_once('.').unwrap_or((short, "rlx"));
        let (order, failure) = (order(short), order(failure));
        match (operation, &words[1..]) {
            ("R", [x]) => format!("int r{number} = atomic_load_explicit({x}, {order});"),
            ("W", [x, value]) => format!("atomic_store_explicit({x}, {value}, {order});"),
            ("ADD", [x]) => format!("int r{number} = atomic_fetch_add_explicit({x}, 1, {order});"),
            ("XCHG", [x, value]) => {
                format!("int r{number} = atomic_exchange_explicit({x}, {value}, {order});")
            }
            ("CAS", [x, expected, new]) => format!(
                "int e{number} = {expected}; int r{number} = \
                 atomic_compare_exchange_strong_explicit({x}, &e{number}, {new}, {order}, {failure});"
            ),
            ("F", []) => format!("atomic_thread_fence({order});"),
            ("IF", [register]) => format!("if ({register} == 1)"),
            (x, ["=", value]) => format!("*{x} = {value};"),
            (x, []) => format!("int r{number} = *{x};"),
            (_, _) => panic!("no statement: {words:?}"),
        }
    };
    let mut text = "C test\n{ }\n".to_owned();
    for (number, statements) in threads.iter().enumerate() {
        let body: Vec<String> = statements.iter().enumerate().map(statement).collect();
        let parameters = "atomic_int* x, atomic_int* y, atomic_int* z, int* d";
        let _ = writeln!(text, "P{number} ({parameters}) {{ {} }}", body.join(" "));
    }
    format!("{text}exists ({condition})\n")
}

fn asked(program: &Program, model: Model) -> Outcomes {
    outcomes(program, model, &Limits::default()).expect("tests are small")
}

/// Whether RC11 and IMM allow it; there is no race.
#[track_caller]
fn check(threads: &[&[&str]], condition: &str, rc11: bool, imm: bool) {
    let text = text(threads, condition);
    let program = program(Language::Litmus, &text);
    for (model, allowed) in [(Model::Rc11, rc11), (Model::Imm, imm)] {
        let found = asked(&program, model);
        assert_eq!(found.answer(&program).expect("tests ask").holds, allowed, "{model}: {text}");
        assert!(found.flags.is_empty(), "{model}: a race: {text}");
    }
}

/// How many pairs of accesses race in the execution that is shown, if any do.
fn racing(program: &Program) -> usize {
    let found = asked(program, Model::Rc11);
    assert!(found.flags.values().all(|raised| raised.undefined));
    found.flags.get("data race").map_or(0, |raised| raised.pairs.len())
}

#[track_caller]
fn check_race(threads: &[&[&str]], races: bool) {
    let text = text(threads, "true");
    assert_eq!(racing(&program(Language::Litmus, &text)) > 0, races, "{text}");
}

#[test]
fn messages_arrive_with_release_and_acquire() {
    let seen = "1:r0=1 /\\ 1:r1=0";
    check(&[&["W.rlx x 1", "W.rel y 1"], &["R.acq y", "R.rlx x"]], seen, false, false);
    check(&[&["W.rlx x 1", "W.rlx y 1"], &["R.acq y", "R.rlx x"]], seen, true, true);
    check(&[&["W.rlx x 1", "W.rel y 1"], &["R.rlx y", "R.rlx x"]], seen, true, true);
    let fenced: [&[&str]; 2] =
        [&["W.rlx x 1", "F.rel", "W.rlx y 1"], &["R.rlx y", "F.acq", "R.rlx x"]];
    check(&fenced, "1:r0=1 /\\ 1:r2=0", false, false);
    let half: [&[&str]; 2] =
        [&["W.rlx x 1", "F.acq", "W.rlx y 1"], &["R.rlx y", "F.acq", "R.rlx x"]];
    check(&half, "1:r0=1 /\\ 1:r2=0", true, true);
    let both: [&[&str]; 2] = [&["W.rlx x 1", "F.ar", "W.rlx y 1"], &["R.rlx y", "F.ar", "R.rlx x"]];
    check(&both, "1:r0=1 /\\ 1:r2=0", false, false);
}

/// A compare-and-swap that fails is a load with an order of its own.
#[test]
fn a_comparison_that_fails_has_the_order_of_failure() {
    for (orders, acquires) in [
        ("rlx.rlx", false),
        ("acq.rlx", false),
        ("ar.rlx", false),
        ("sc.rlx", false),
        ("rlx.acq", true),
        ("rel.acq", true),
        ("ar.acq", true),
        ("sc.acq", true),
        ("rlx.sc", true),
        ("sc.sc", true),
    ] {
        let swap = format!("CAS.{orders} y 0 2");
        let handed: [&[&str]; 2] = [&["d = 1", "W.rel y 1"], &[&swap, "IF e0", "d = 2"]];
        check_race(&handed, !acquires);
        let read: [&[&str]; 2] = [&["W.rlx x 1", "W.rel y 1"], &[&swap, "R.rlx x"]];
        check(&read, "1:e0=1 /\\ 1:r1=0", !acquires, !acquires);
    }
    for (orders, allowed) in
        [("rlx.sc", false), ("ar.sc", false), ("sc.sc", false), ("sc.acq", true), ("sc.rlx", true)]
    {
        let (to_y, to_x) = (format!("CAS.{orders} y 5 6"), format!("CAS.{orders} x 5 6"));
        let buffers: [&[&str]; 2] = [&["W.sc x 1", &to_y], &["W.sc y 1", &to_x]];
        check(&buffers, "0:e1=0 /\\ 1:e1=0", allowed, allowed);
    }
}

#[test]
fn release_sequences_go_through_updates() {
    let through = |update| -> [Vec<&str>; 3] {
        [vec!["W.rlx x 1", "W.rel y 1"], vec![update], vec!["R.acq y", "R.rlx x"]]
    };
    let seen = "2:r0=2 /\\ 2:r1=0";
    for (update, allowed) in [("ADD.rlx y", false), ("W.rlx y 2", true)] {
        let threads = through(update);
        let threads: Vec<&[&str]> = threads.iter().map(Vec::as_slice).collect();
        check(&threads, seen, allowed, allowed);
    }
    let own: [&[&str]; 2] = [&["W.rlx x 1", "W.rel y 1", "W.rlx y 2"], &["R.acq y", "R.rlx x"]];
    check(&own, "1:r0=2 /\\ 1:r1=0", false, false);
}

/// Only what stands before a release and behind an acquire is ordered; a fence makes the accesses on its
/// far side do what it says, an access only itself.
#[test]
fn a_release_is_of_what_precedes_and_an_acquire_of_what_follows() {
    let seen = "1:r0=1 /\\ 1:r1=0";
    check(&[&["W.rel x 1", "W.rlx y 1"], &["R.acq y", "R.rlx x"]], seen, true, true);
    check(&[&["W.rlx x 1", "W.rel y 1"], &["R.rlx y", "R.acq x"]], seen, true, true);
    check(&[&["W.sc x 1", "W.rlx y 1"], &["R.rlx y", "R.sc x"]], seen, true, true);
    // A load is no release, of whatever order.
    let loaded: [&[&str]; 2] = [&["W.rlx x 1", "R.sc y", "W.rlx y 1"], &["R.acq y", "R.rlx x"]];
    check(&loaded, seen, true, true);
}

#[test]
fn release_sequences_go_on() {
    let seen = "2:r0=3 /\\ 2:r1=0";
    // Through two updates, and from a later store of the thread that released.
    let twice: [&[&str]; 4] =
        [&["W.rlx x 1", "W.rel y 1"], &["ADD.rlx y"], &["R.acq y", "R.rlx x"], &["ADD.rlx y"]];
    check(&twice, seen, false, false);
    let later: [&[&str]; 3] =
        [&["W.rlx x 1", "W.rel y 1", "W.rlx y 2"], &["ADD.rlx y"], &["R.acq y", "R.rlx x"]];
    check(&later, seen, false, false);
    // To the thread that updates.
    let own: [&[&str]; 2] = [&["W.rlx x 1", "W.rel y 1"], &["ADD.rlx y", "R.acq y", "R.rlx x"]];
    check(&own, "1:r0=1 /\\ 1:r1=2 /\\ 1:r2=0", false, false);
    // A store behind the update continues it in IMM alone.
    let behind: [&[&str]; 3] =
        [&["W.rlx x 1", "W.rel y 1"], &["ADD.rlx y", "W.rlx y 3"], &["R.acq y", "R.rlx x"]];
    check(&behind, "1:r0=1 /\\ 2:r0=3 /\\ 2:r1=0", true, false);
}

/// Through an access that is not atomic nothing is handed on; there is a race besides.
#[test]
fn what_is_not_atomic_does_not_synchronise() {
    let written: [&[&str]; 2] = [&["W.rlx x 1", "F.rel", "d = 1"], &["R.acq d", "R.rlx x"]];
    let read: [&[&str]; 2] = [&["W.rlx x 1", "W.rel d 1"], &["d", "F.acq", "R.rlx x"]];
    for (threads, seen) in [(written, "1:r0=1 /\\ 1:r1=0"), (read, "1:r0=1 /\\ 1:r2=0")] {
        let text = text(&threads, seen);
        let program = program(Language::Litmus, &text);
        let found = asked(&program, Model::Rc11);
        assert!(found.answer(&program).expect("tests ask").holds, "{text}");
        assert!(racing(&program) > 0, "{text}");
    }
}

#[test]
fn sequentially_consistent_accesses_are_in_one_order() {
    let sb =
        |write, read, other| -> [Vec<&str>; 2] { [vec![write, read], vec!["W.sc y 1", other]] };
    let seen = "0:r1=0 /\\ 1:r1=0";
    for (write, read, other, allowed) in [
        ("W.sc x 1", "R.sc y", "R.sc x", false),
        ("W.rel x 1", "R.sc y", "R.sc x", true),
        ("W.sc x 1", "R.acq y", "R.sc x", true),
        ("W.sc x 1", "R.sc y", "R.acq x", true),
    ] {
        let threads = sb(write, read, other);
        let threads: Vec<&[&str]> = threads.iter().map(Vec::as_slice).collect();
        check(&threads, seen, allowed, allowed);
    }
    let fenced: [&[&str]; 2] =
        [&["W.rlx x 1", "F.sc", "R.rlx y"], &["W.rlx y 1", "F.sc", "R.rlx x"]];
    check(&fenced, "0:r2=0 /\\ 1:r2=0", false, false);
    let weak: [&[&str]; 2] = [&["W.rlx x 1", "F.ar", "R.rlx y"], &["W.rlx y 1", "F.ar", "R.rlx x"]];
    check(&weak, "0:r2=0 /\\ 1:r2=0", true, true);
    let iriw = |write, read| -> [Vec<String>; 4] {
        let to = |operation: &str, what: &str| format!("{operation} {what}");
        [
            vec![to(write, "x 1")],
            vec![to(write, "y 1")],
            vec![to(read, "x"), to(read, "y")],
            vec![to(read, "y"), to(read, "x")],
        ]
    };
    for (write, read, allowed) in [("W.rel", "R.acq", true), ("W.sc", "R.sc", false)] {
        let threads = iriw(write, read);
        let threads: Vec<Vec<&str>> =
            threads.iter().map(|ops| ops.iter().map(String::as_str).collect()).collect();
        let threads: Vec<&[&str]> = threads.iter().map(Vec::as_slice).collect();
        let seen = "2:r0=1 /\\ 2:r1=0 /\\ 3:r0=1 /\\ 3:r1=0";
        check(&threads, seen, allowed, allowed);
    }
}

/// Coherence of relaxed accesses (COHERENCE in PLDI 2017), and SC restored by fences alone (its §4 and Fig. 3).
#[test]
fn coherence_and_fences() {
    let written: [&[&str]; 1] = [&["W.rlx x 1", "W.rlx x 2"]];
    check(&written, "x=1", false, false);
    let read: [&[&str]; 2] = [&["W.rlx x 1", "W.rlx x 2"], &["R.rlx x", "R.rlx x"]];
    check(&read, "1:r0=2 /\\ 1:r1=1", false, false);
    let own: [&[&str]; 2] = [&["W.rlx x 1", "R.rlx x"], &["W.rlx x 2"]];
    check(&own, "0:r1=2 /\\ x=1", false, false);
    let before: [&[&str]; 2] = [&["R.rlx x", "W.rlx x 1"], &["W.rlx x 2"]];
    check(&before, "0:r0=1", false, false);
    check(&before, "0:r0=2 /\\ x=2", false, false);
    let two: [&[&str]; 2] =
        [&["W.rlx x 1", "F.sc", "W.rlx y 2"], &["W.rlx y 1", "F.sc", "W.rlx x 2"]];
    check(&two, "x=1 /\\ y=1", false, false);
    let iriw: [&[&str]; 4] = [
        &["W.rlx x 1"],
        &["W.rlx y 1"],
        &["R.rlx x", "F.sc", "R.rlx y"],
        &["R.rlx y", "F.sc", "R.rlx x"],
    ];
    check(&iriw, "2:r0=1 /\\ 2:r2=0 /\\ 3:r0=1 /\\ 3:r2=0", false, false);
}

/// The examples of the paper: what the first C11 had wrong.
#[test]
fn sequential_consistency_is_repaired() {
    // Z6.U: compiled to Power with leading fences this happens, so C must allow it.
    let z6u: [&[&str]; 3] =
        [&["W.sc x 1", "W.rel y 1"], &["ADD.sc y", "R.rlx y"], &["W.sc y 3", "R.sc x"]];
    check(&z6u, "1:r0=1 /\\ 1:r1=3 /\\ 2:r1=0", true, true);
    // RWC and W+RWC with fences, which the first C11 allowed.
    let rwc: [&[&str]; 3] =
        [&["W.rlx x 1"], &["R.rlx x", "F.sc", "R.rlx y"], &["W.rlx y 1", "F.sc", "R.rlx x"]];
    check(&rwc, "1:r0=1 /\\ 1:r2=0 /\\ 2:r2=0", false, false);
    let wrwc: [&[&str]; 3] = [
        &["W.rlx x 1", "W.rel z 1"],
        &["R.acq z", "F.sc", "R.rlx y"],
        &["W.rlx y 1", "F.sc", "R.rlx x"],
    ];
    check(&wrwc, "1:r0=1 /\\ 1:r2=0 /\\ 2:r2=0", false, false);
    let iriw: [&[&str]; 4] =
        [&["W.sc x 1"], &["W.sc y 1"], &["R.acq x", "R.sc y"], &["R.acq y", "R.sc x"]];
    check(&iriw, "2:r0=1 /\\ 2:r1=0 /\\ 3:r0=1 /\\ 3:r1=0", true, true);
    // Happens-before between two steps to other cells, from one SC access to another.
    let around: [&[&str]; 3] =
        [&["W.sc z 1", "W.sc x 1"], &["W.sc x 2", "W.rel y 1"], &["R.acq y", "R.sc z"]];
    check(&around, "x=2 /\\ 2:r0=1 /\\ 2:r1=0", false, false);
    // A fence on one side, accesses on the other.
    let mixed: [&[&str]; 2] = [&["W.rlx x 1", "F.sc", "W.rlx y 1"], &["W.sc y 2", "R.sc x"]];
    check(&mixed, "y=2 /\\ 1:r1=0", false, false);
    let two: [&[&str]; 2] = [&["W.sc x 1", "W.sc y 2"], &["W.sc y 1", "W.sc x 2"]];
    check(&two, "x=1 /\\ y=1", false, false);
    let two: [&[&str]; 2] = [&["W.rel x 1", "W.rel y 2"], &["W.rel y 1", "W.rel x 2"]];
    check(&two, "x=1 /\\ y=1", true, true);
}

#[test]
fn load_buffering_tells_rc11_from_imm() {
    let seen = "0:r0=1 /\\ 1:r0=1";
    check(&[&["R.rlx x", "W.rlx y 1"], &["R.rlx y", "W.rlx x 1"]], seen, false, true);
    check(&[&["R.acq x", "W.rlx y 1"], &["R.acq y", "W.rlx x 1"]], seen, false, false);
    check(&[&["R.rlx x", "W.rel y 1"], &["R.rlx y", "W.rel x 1"]], seen, false, false);
    check(&[&["R.rlx x", "W.rlx y r0"], &["R.rlx y", "W.rlx x 1"]], seen, false, true);
    check(&[&["R.rlx x", "W.rlx y r0"], &["R.rlx y", "W.rlx x r0"]], seen, false, false);
    let branching: [&[&str]; 2] =
        [&["R.rlx x", "IF r0", "W.rlx y 1"], &["R.rlx y", "IF r0", "W.rlx x 1"]];
    check(&branching, seen, false, false);
    let fenced: [&[&str]; 2] =
        [&["R.rlx x", "F.acq", "W.rlx y 1"], &["R.rlx y", "F.rel", "W.rlx x 1"]];
    check(&fenced, seen, false, false);
    // A detour: what is written and what is then read of the cell are as if one came from the other.
    let detour: [&[&str]; 3] = [
        &["R.rlx x", "W.rlx y r0+1", "R.rlx y", "W.rlx z r2"],
        &["W.rlx y 1"],
        &["R.rlx z", "W.rlx x r0"],
    ];
    check(&detour, "0:r0=1 /\\ 0:r2=1 /\\ 2:r0=1 /\\ y=1", false, false);
    // A way from one fence to the other over what a third thread computes.
    let around: [&[&str]; 3] = [
        &["R.rlx z", "F.sc", "R.rlx y"],
        &["W.rlx y 1", "F.sc", "W.rlx x 1"],
        &["R.rlx x", "W.rlx z r0"],
    ];
    check(&around, "0:r0=1 /\\ 0:r2=0 /\\ 2:r0=1", true, false);
}

/// Load buffering whose second thread releases what it writes: whether IMM forbids it is a matter of the
/// first alone. RC11 forbids it always.
#[test]
fn what_imm_keeps_in_order() {
    for (first, seen, allowed) in [
        (&["R.rlx x", "W.rlx y 1"][..], "", true),
        (&["R.rlx x", "W.rlx y r0"], "", false),
        (&["R.rlx x", "IF r0", "W.rlx y 1"], "", false),
        // Dependencies through a write and a read of the thread, and not only half of the way.
        (&["R.rlx x", "W.rlx z r0", "R.rlx z", "W.rlx y r2"], "0:r2=1", false),
        (&["R.rlx x", "W.rlx z r0", "R.acq z", "W.rlx y 1"], "0:r2=1", true),
        (&["R.rlx x", "W.rel z 1", "R.rlx z", "W.rlx y r2"], "0:r2=1", true),
        // A release holds back what follows it in its own cell only.
        (&["R.rlx x", "W.rel y 2", "W.rlx y 1"], "", false),
        (&["R.rlx x", "W.rel z 1", "W.rlx y 1"], "", true),
        // An update is read and written in a loop that ends with a branch, also if it fails.
        (&["ADD.rlx x", "W.rlx y 1"], "", false),
        (&["CAS.rlx.rlx x 5 6", "W.rlx y 1"], "", false),
    ] {
        let register = if first[0].starts_with("CAS") { "e0" } else { "r0" };
        let more = if seen.is_empty() { String::new() } else { format!(" /\\ {seen}") };
        let seen = format!("0:{register}=1 /\\ 1:r0=1{more}");
        check(&[first, &["R.rlx y", "W.rel x 1"]], &seen, false, allowed);
    }
    // A load of a pair of exclusives is followed by a branch, wherever the store is.
    for (load, allowed) in [("load(x, exclusive)", false), ("load(x, relaxed)", true)] {
        let text = format!(
            "shared x, y
             thread p {{ local r; r = {load}; store(y, 1, relaxed) }}
             thread q {{ local r; r = load(y, relaxed); store(x, 1, release) }}
             exists p.r == 1 && q.r == 1"
        );
        let program = program(Language::Fw, &text);
        let found = asked(&program, Model::Imm);
        assert_eq!(found.answer(&program).expect("tests ask").holds, allowed, "{text}");
    }
    // A detour is one thread's.
    let others: [&[&str]; 3] =
        [&["R.rlx y", "W.rlx x r0"], &["W.rlx x 2"], &["R.rlx x", "W.rlx y r0-1"]];
    check(&others, "0:r0=1 /\\ 2:r0=2 /\\ x=2", true, true);
}

#[test]
fn accesses_to_one_cell_are_coherent_and_updates_atomic() {
    check(&[&["W.rlx x 1"], &["R.rlx x", "R.rlx x"]], "1:r0=1 /\\ 1:r1=0", false, false);
    check(&[&["W.rlx x 1", "W.rlx x 2"]], "x=1", false, false);
    check(&[&["ADD.rlx x"], &["ADD.rlx x"]], "x=1", false, false);
    check(&[&["XCHG.rlx x 1"], &["XCHG.rlx x 2"]], "0:r0=0 /\\ 1:r0=0", false, false);
    check(&[&["ADD.rlx x"], &["ADD.rlx x"]], "0:r0=0 /\\ 1:r0=1", true, true);
}

#[test]
fn data_races_leave_nothing_defined() {
    let message =
        |write, read| -> [Vec<&str>; 2] { [vec!["d = 1", write], vec![read, "IF r0", "d = 2"]] };
    for (write, read, races) in [
        ("W.rel x 1", "R.acq x", false),
        ("W.rlx x 1", "R.acq x", true),
        ("W.rel x 1", "R.rlx x", true),
        ("W.sc x 1", "R.sc x", false),
    ] {
        let threads = message(write, read);
        let threads: Vec<&[&str]> = threads.iter().map(Vec::as_slice).collect();
        check_race(&threads, races);
    }
    check_race(&[&["d = 1"], &["d = 2"]], true);
    check_race(&[&["d"], &["d"]], false);
    check_race(&[&["d = 1"], &["W.rlx d 2"]], true);
    check_race(&[&["W.rlx d 1"], &["R.rlx d"]], false);
    check_race(&[&["d = 1", "d"], &["W.rlx x 1"]], false);
    // A thread that reads what it must not and then goes on as if it had not races all the same.
    check_race(&[&["d = 1", "W.rel x 1"], &["R.acq x", "d"]], true);
}

#[test]
fn a_race_is_one_also_before_a_thread_is_stuck() {
    let waiting = "shared x, d\nthread p { d = 1; assume x == 7; }\nthread q { d = 2; }\n";
    assert_eq!(racing(&program(Language::Fw, waiting)), 1, "before an endless wait");
    let failing = "shared d\nthread p { d = 1; assert false; }\nthread q { d = 2; }\n";
    assert_eq!(racing(&program(Language::Fw, failing)), 1, "before an error");
    let behind = "shared x, d\nthread p { assume x == 7; d = 1; }\nthread q { d = 2; }\n";
    assert_eq!(racing(&program(Language::Fw, behind)), 0, "behind an endless wait");
    let waits = "shared x, d\nthread p { d = 1; store(x, 1, release); }\n\
                 thread q { local r; r = load(x, acquire); assume r == 1; d = 2; }\n";
    assert_eq!(racing(&program(Language::Fw, waits)), 0, "behind a wait for a release");
}

#[test]
fn fences_that_c_does_not_have_are_refused() {
    let fenced = "shared x\nthread p { x = 1; fence(store_store); x = 2; }\n";
    let program = program(Language::Fw, fenced);
    for model in [Model::Rc11, Model::Imm] {
        assert!(outcomes(&program, model, &Limits::default()).is_err(), "{model}");
    }
}

/// A lock keeps others out and hands on what was written under it, in C and as it is compiled; without it the same
/// threads race.
#[test]
fn locks_order_what_is_done_under_them() {
    let thread = |name: &str, before: &str, after: &str| {
        format!("P{name} (int* n, spinlock_t* l) {{ {before} int r = *n; *n = r + 1; {after} }}\n")
    };
    let test = |before: &str, after: &str| {
        let threads = [thread("0", before, after), thread("1", before, after)].concat();
        program(Language::Litmus, &format!("C locks\n{{ }}\n{threads}forall (n=2)\n"))
    };
    let locked = test("spin_lock(l);", "spin_unlock(l);");
    for model in Model::ALL {
        let found = outcomes(&locked, model, &Limits::default()).expect("few executions");
        assert!(found.flags.is_empty() && found.bound.is_none(), "{model}");
        assert_eq!(found.states.len(), 2, "{model}: who comes first");
        assert!(found.answer(&locked).expect("a question").holds, "{model}");
    }
    let racing = outcomes(&test("", ""), Model::Rc11, &Limits::default()).expect("few executions");
    assert!(racing.flags.values().any(|raised| raised.undefined));
}

#[test]
fn a_for_loop_counts() {
    let text = "C counts\n{ }\nP0 (atomic_int* x) { int s = 0; for (int i = 1; i < 4; i++) { s += i; \
                atomic_store(x, i); } }\nP1 (atomic_int* x) { int r = atomic_load(x); }\nforall (0:s=6)\n";
    let counts = program(Language::Litmus, text);
    let found = outcomes(&counts, Model::Rc11, &Limits::default()).expect("few executions");
    assert!(found.bound.is_none() && found.states.len() == 4);
    assert!(found.answer(&counts).expect("a question").holds);
}
