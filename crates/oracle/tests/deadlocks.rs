//! What counts as a deadlock, under SC and under TSO.

use frontend::{Language, Settings, load};
use oracle::{Limits, MemoryModel, has_deadlock};
use program::Sources;

/// The threads of a program over `x`, `y` and `z`, and whether it has a deadlock under SC and TSO.
#[track_caller]
fn check(threads: &str, expected: [bool; 2]) {
    let text = format!("shared x, y, z\n{threads}");
    let mut sources = Sources::new();
    let source = sources.add("test", text.as_str());
    let program = load(&sources, source, Language::Fw, &Settings::default())
        .unwrap_or_else(|errors| panic!("{errors:#?}"));
    let found = [MemoryModel::Sc, MemoryModel::Tso]
        .map(|model| has_deadlock(&program, model, &Limits::default()).expect("few states"));
    assert_eq!(found, expected, "{text}");
}

#[test]
fn an_await_that_nobody_ends() {
    check("thread p { await x == 1 }", [true, true]);
    check("thread p { await x == 1 }\nthread q { x = 1 }", [false, false]);
    // Somebody else still moves, and may go on for ever.
    check("thread p { await x == 1 }\nthread q { while true { y = 1; fence } }", [false, false]);
    // A spinning loop that is not meant as waiting is none.
    check("thread p { local a; while a == 0 { a = x } }", [false, false]);
    // Nobody waits who was stopped.
    check("thread p { assert false; await x == 1 }", [false, false]);
}

#[test]
fn an_assumption_that_stays_false_is_no_waiting_but_others_wait_for_it() {
    check("thread p { assume x == 1 }", [false, false]);
    check("thread p { assume x == 1; y = 1 }\nthread q { await y == 1 }", [true, true]);
}

#[test]
fn a_memory_lock_that_is_never_given_back() {
    let holder = "thread p { lock_memory; assume x == 1; unlock_memory }";
    let with = |other: &str| format!("{holder}\nthread q {{ local a; {other} }}");
    check(holder, [false, false]);
    for kept_out in ["a = y", "lock_memory; unlock_memory", "xchg(y, 1)", "arw(y, 0, 1)"] {
        check(&with(kept_out), [true, true]);
    }
    // A blocking update that waits for a value waits for that alone.
    check(&with("arw(y, 5, 1)"), [false, false]);
    // The store goes into the buffer and the thread ends, or needs the buffer empty.
    check(&with("y = 1"), [true, false]);
    check(&with("y = 1; fence"), [true, true]);
    // The store may have reached memory before the lock was taken.
    check(&with("y = 1; a = y"), [true, true]);
}

#[test]
fn a_deadlock_that_needs_two_early_loads() {
    let thread = |name: &str, own: &str, other: &str| {
        format!(
            "thread {name} {{ local a; {own} = 1; a = {other}; \
             if a == 0 {{ await z == 1 }} else {{ z = 1 }} }}\n"
        )
    };
    check(&(thread("p", "x", "y") + &thread("q", "y", "x")), [false, true]);
}
