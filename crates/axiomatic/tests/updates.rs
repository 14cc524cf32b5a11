//! What updates and exclusive accesses do not order: programs in which an order that only looks
//! harmless would forbid a state that the architecture allows, and the reverse.

use axiomatic::{Limits, Model, outcomes};
use frontend::{Language, Settings, load};
use program::Sources;

#[track_caller]
fn check(model: Model, language: Language, text: &str, allowed: bool) {
    let mut sources = Sources::new();
    let source = sources.add("test", text);
    let program = load(&sources, source, language, &Settings::default());
    let program = program.unwrap_or_else(|errors| panic!("{errors:?} in {text}"));
    let outcomes = outcomes(&program, model, &Limits::default()).expect("tests are small");
    assert_eq!(outcomes.answer(&program).expect("tests ask").holds, allowed, "{model}: {text}");
}

/// Message passing whose flag is read by an update that acquires: only if its result is received.
#[test]
fn an_update_without_a_result_does_not_acquire_on_aarch64() {
    let test = |update: &str| {
        format!(
            "shared x, y
             thread p {{ x = 1; store(y, 1, release) }}
             thread q {{ local a, r; {update}; r = x }}
             exists y == 2 && q.r == 0"
        )
    };
    check(Model::AArch64, Language::Fw, &test("xchg(y, 2, acquire)"), true);
    check(Model::AArch64, Language::Fw, &test("fetch_add(y, 1, acquire)"), true);
    check(Model::AArch64, Language::Fw, &test("a = xchg(y, 2, acquire)"), false);
}

/// Independent readers that read with updates. What makes them sequentially consistent is a `sync`
/// before their read and an `isync` behind them, which does not make what they read known to all.
#[test]
fn an_update_is_no_sync_behind_its_read_on_power() {
    let test = |order: &str, between: &str| {
        let reader = |name: &str, first: &str, second: &str| {
            format!(
                "thread {name} {{ local r, s; r = fetch_add({first}, 0, {order}); {between}; \
                 s = {second} }}\n"
            )
        };
        format!(
            "shared x, y\nthread o {{ x = 1 }}\nthread p {{ y = 1 }}\n{}{}\
             exists q.r == 1 && q.s == 0 && r.r == 1 && r.s == 0",
            reader("q", "x", "y"),
            reader("r", "y", "x")
        )
    };
    check(Model::Power, Language::Fw, &test("seq_cst", "skip"), true);
    check(Model::Power, Language::Fw, &test("relaxed", "fence"), false);
}

/// The `dmb` of an update that acquires stands behind its write, not between its read and its write.
#[test]
fn no_dmb_stands_between_the_read_and_the_write_of_an_update_on_armv7() {
    let test = |relay: &str| {
        format!(
            "shared x, y
             thread p {{ y = 1; fence; x = 1 }}
             thread q {{ local a; {relay} }}
             thread r {{ local b, c; b = x; c = mem[&y + (b ^ b)] }}
             exists q.a == 1 && r.b == 2 && r.c == 0"
        )
    };
    check(Model::ArmV7, Language::Fw, &test("a = xchg(x, 2, acquire)"), true);
    check(Model::ArmV7, Language::Fw, &test("a = xchg(x, 2)"), true);
    check(Model::ArmV7, Language::Fw, &test("a = x; fence; x = 2"), false);
}

/// Message passing whose first write is a store-conditional: a branch on its success orders the second
/// write behind it (rule 11), and nothing else does.
#[test]
fn a_branch_on_the_success_of_a_store_conditional_orders_writes_on_riscv() {
    let test = |branch: &[&str]| {
        let writer = [&["lr.w x7,0(x5)", "sc.w x8,x6,0(x5)"], branch, &["sw x6,0(x10)"]].concat();
        let reader = ["lw x11,0(x10)", "fence r,r", "lw x12,0(x5)"];
        let rows: Vec<String> = writer
            .iter()
            .enumerate()
            .map(|(row, left)| format!(" {left} | {} ;", reader.get(row).copied().unwrap_or("")))
            .collect();
        format!(
            "RISCV test\n{{ 0:x5=x; 0:x6=1; 0:x10=y; 1:x5=x; 1:x10=y; }}\n P0 | P1 ;\n{}\n\
             exists (0:x8=0 /\\ 1:x11=1 /\\ 1:x12=0)\n",
            rows.join("\n")
        )
    };
    check(Model::RiscV, Language::Litmus, &test(&["bne x8,x0,L", "L:"]), false);
    check(Model::RiscV, Language::Litmus, &test(&[]), true);
    // A branch on what was read is none on the success.
    check(Model::RiscV, Language::Litmus, &test(&["bne x7,x0,L", "L:"]), true);
}
