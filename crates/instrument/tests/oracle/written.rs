//! Programs written to tell right from wrong where random ones hardly do.

use frontend::{Language, Settings, load};
use oracle::{Criterion, holds};
use program::{Program, Sources};

use crate::{LIMITS, check};

fn program(text: &str) -> Program {
    let mut sources = Sources::new();
    let source = sources.add("written.fw", text);
    load(&sources, source, Language::Fw, &Settings::default())
        .unwrap_or_else(|errors| panic!("{text}: {errors:#?}"))
}

#[track_caller]
fn check_robust(robust: bool, text: &str) {
    let program = program(text);
    assert_eq!(holds(&program, Criterion::Robust, &LIMITS), Ok(robust), "{text}");
    let decided = check(std::iter::once(program));
    assert!(decided.iter().all(|one| one.reachable + one.unreachable == 1), "{text}: {decided:?}");
}

/// `p` stores to `x` and loads `y`; `helper` is what another thread does.
fn against(shared: &str, helper: &str) -> String {
    format!("shared {shared}\nthread p {{ local r; x = 1; r = y }}\nthread q {{ {helper} }}")
}

#[test]
fn a_load_whose_value_does_not_fit_has_read() {
    check_robust(false, &against("x = 7, y", "local s: 2..=3 = 2; y = 1; s = x"));
}

#[test]
fn an_update_that_stops_its_thread_has_read() {
    let x = "x: 0..=3 = 3, y";
    check_robust(false, &against(x, "y = 1; fetch_add(x, 9)"));
    check_robust(false, &against(x, "y = 1; xchg(x, 9)"));
    check_robust(false, &against(x, "y = 1; cas(x, 3, 9)"));
    check_robust(false, &against(x, "y = 1; arw(x, 3, 9)"));
    check_robust(true, &against(x, "y = 1; arw(x, 2, 9)"));
    check_robust(false, &against(x, "local s: 0..=0; y = 1; s = xchg(x, 1)"));
    check_robust(false, &against(x, "local s: 0..=0; y = 1; s = cas(x, 2, 1)"));
    // It has not written, so it is no reason for a load to join the chain.
    let chain = |update: &str| {
        format!(
            "shared x, y, z: 0..=3
             thread p {{ local r; x = 1; r = z }}
             thread q {{ {update} }}
             thread s {{ local a, b; a = z; b = x }}"
        )
    };
    check_robust(true, &chain("xchg(z, 9)"));
    check_robust(false, &chain("xchg(z, 3)"));
}

#[test]
fn a_delayed_value_wraps_as_a_stored_one_does() {
    let text = |expected: u32| {
        format!(
            "shared x: u8, y
             thread p {{ local a, r; x = 257; a = x; assume a == {expected}; r = y }}
             thread q {{ local s; y = 1; fence; s = x }}"
        )
    };
    check_robust(false, &text(1));
    check_robust(true, &text(257));
}

#[test]
fn a_section_is_one_action() {
    let section =
        |body: &str| against("x, y", &format!("local a, b; lock_memory; {body}; unlock_memory"));
    check_robust(false, &section("b = x; y = 1"));
    check_robust(false, &section("y = 1; b = x"));
    // The mark that the attacker's load left is a reason to join also after the section has read.
    check_robust(false, &section("a = y; y = 1; b = x"));
    check_robust(true, &section("b = x; a = y"));
    // Its own marks are none.
    check_robust(true, &section("x = 2; a = x; x = 3"));
    // A section that does not end keeps the attacker's store from memory.
    check_robust(true, &section("y = 1; b = x; assume b == 1"));
    check_robust(true, &section("y = 1; b = x; assert b == 1"));
}

#[test]
fn marks_of_one_section_count_for_the_next() {
    let text = |last: &str| {
        format!(
            "shared x, y, z
             thread p {{ local r; x = 1; r = y }}
             thread q {{ lock_memory; z = 1; y = 1; unlock_memory }}
             thread s {{ local a, b; lock_memory; {last}; unlock_memory }}"
        )
    };
    check_robust(false, &text("b = x; a = z"));
    check_robust(false, &text("b = x; z = 2"));
    check_robust(true, &text("a = z; z = 2"));
}

#[test]
fn the_status_of_an_exclusive_store_may_change_its_address() {
    check_robust(
        false,
        "shared a[2], y
         thread p { local r; a[1] = 1; r = y }
         thread q { local v, s = 1; v = load(a[1], exclusive); y = 1; s = store_exclusive(a[s], 2) }",
    );
}

#[test]
fn an_access_of_a_wrong_width_is_none() {
    let text = |bytes: u32| {
        format!(
            "shared x, y: u8
             thread p {{ local r; x = 1; r = load(y, bytes({bytes})) }}
             thread q {{ local s; y = 1; s = x }}"
        )
    };
    check_robust(true, &text(4));
    check_robust(false, &text(1));
}

#[test]
fn every_value_fits() {
    check_robust(
        false,
        "shared x, y, big: u64 = 18446744073709551615
         thread p { local r; x = 1; r = y }
         thread q { local b: u64, s; y = 1; b = big; fence; s = x }",
    );
}

#[test]
fn addresses_may_be_values_and_values_addresses() {
    let text = |memory: &str| {
        format!(
            "{memory}
             shared x, y, pointer
             thread p {{ local r, a; pointer = &x; fence; a = pointer; mem[a] = 1; r = y }}
             thread q {{ local s, a; y = 1; fence; a = pointer; s = mem[a] }}"
        )
    };
    check_robust(false, &text(""));
    check_robust(false, &text("memory unbounded"));
}
