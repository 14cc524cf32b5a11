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

/// Message passing whose flag is read by an update that acquires, also if nobody looks at its result:
/// locks, and what waits for a thread, are such updates.
#[test]
fn an_update_of_a_language_acquires_with_and_without_a_result() {
    let test = |update: &str| {
        format!(
            "shared x, y
             thread p {{ x = 1; store(y, 1, release) }}
             thread q {{ local a, r; {update}; r = x }}
             exists y == 2 && q.r == 0"
        )
    };
    for model in [Model::Power, Model::ArmV7, Model::AArch64, Model::AArch64Lse, Model::RiscV] {
        for acquires in ["xchg(y, 2, acquire)", "fetch_add(y, 1, acquire)", "arw(y, 1, 2, acquire)"]
        {
            check(model, Language::Fw, &test(acquires), false);
        }
        check(model, Language::Fw, &test("a = xchg(y, 2, acquire)"), false);
        check(model, Language::Fw, &test("a = xchg(y, 2, relaxed)"), true);
    }
}

const MACHINES: [Model; 5] =
    [Model::Power, Model::ArmV7, Model::AArch64, Model::AArch64Lse, Model::RiscV];

/// Message passing whose flag is read by a comparison that fails. Where the order is a barrier, it is
/// that of the failure; where instructions have it, they have it either way.
#[test]
fn a_comparison_that_fails_acquires_as_compilers_emit_it() {
    for (orders, allowed) in [
        ("relaxed", &MACHINES[..]),
        ("release", &MACHINES),
        ("acquire", &[]),
        ("seq_cst", &[]),
        ("acquire, failing(relaxed)", &[Model::Power, Model::ArmV7]),
        ("acq_rel, failing(relaxed)", &[Model::Power, Model::ArmV7]),
        ("seq_cst, failing(relaxed)", &[Model::Power, Model::ArmV7]),
        ("relaxed, failing(acquire)", &[]),
        ("release, failing(acquire)", &[]),
        ("seq_cst, failing(acquire)", &[]),
        ("relaxed, failing(seq_cst)", &[]),
    ] {
        let test = format!(
            "shared x, y
             thread p {{ store(x, 1, relaxed); store(y, 1, release) }}
             thread q {{ local a, r; a = cmpxchg(y, 0, 2, {orders}); r = load(x, relaxed) }}
             exists q.a == 1 && q.r == 0"
        );
        for model in MACHINES {
            check(model, Language::Fw, &test, allowed.contains(&model));
        }
    }
}

/// Store buffering whose loads are comparisons that fail.
#[test]
fn a_comparison_that_fails_is_sequentially_consistent_if_its_failure_is() {
    for orders in ["relaxed, failing(seq_cst)", "acq_rel, failing(seq_cst)", "seq_cst"] {
        let thread = |name: &str, one: &str, other: &str| {
            format!(
                "thread {name} {{ local r; store({one}, 1, seq_cst); \
                 r = cmpxchg({other}, 5, 6, {orders}) }}\n"
            )
        };
        let test = format!(
            "shared x, y\n{}{}exists p.r == 0 && q.r == 0",
            thread("p", "x", "y"),
            thread("q", "y", "x")
        );
        for model in MACHINES {
            check(model, Language::Fw, &test, false);
        }
    }
}

/// Store buffering around an exchange to another cell. Compiled to one instruction it orders the store
/// before the load; the store-exclusive of a loop lets the load pass.
#[test]
fn a_loop_of_exclusives_is_no_fence_on_aarch64() {
    let thread = |name: &str, one: &str, other: &str, own: &str| {
        format!(
            "thread {name} {{ local a, r; store({one}, 1, relaxed); a = xchg({own}, 1, seq_cst); \
             r = load({other}, relaxed) }}\n"
        )
    };
    let test = format!(
        "shared x, y, v, w\n{}{}exists p.r == 0 && q.r == 0",
        thread("p", "x", "y", "v"),
        thread("q", "y", "x", "w")
    );
    check(Model::AArch64, Language::Fw, &test, true);
    check(Model::AArch64Lse, Language::Fw, &test, false);
}

/// A fence that acquires and releases is a full one where there is nothing between.
#[test]
fn a_fence_that_acquires_and_releases_is_as_compilers_emit_it() {
    let test = "shared x, y
         thread p { local r; x = 1; fence(lightweight); r = y }
         thread q { local r; y = 1; fence(lightweight); r = x }
         exists p.r == 0 && q.r == 0";
    for (model, allowed) in [
        (Model::Tso, true),
        (Model::Power, true),
        (Model::ArmV7, false),
        (Model::AArch64, false),
        (Model::AArch64Lse, false),
        (Model::RiscV, true),
    ] {
        check(model, Language::Fw, test, allowed);
    }
}

/// Annotations of plain accesses are not `RCsc` (rule 7 speaks of AMOs, `lr` and `sc`).
#[test]
fn annotations_of_plain_accesses_are_rcpc_on_riscv() {
    let test = |store: &str, load: &str| {
        format!(
            "RISCV test\n{{ 0:x5=x; 0:x7=y; 1:x5=y; 1:x7=x; }}\n P0 | P1 ;\n ori x6,x0,1 | ori x6,x0,1 ;\n\
             {store} | {store} ;\n {load} | {load} ;\nexists (0:x8=0 /\\ 1:x8=0)\n"
        )
    };
    check(Model::RiscV, Language::Litmus, &test("sw.rl x6,0(x5)", "lw.aq x8,0(x7)"), true);
    check(Model::RiscV, Language::Litmus, &test("amoswap.w.rl x9,x6,(x5)", "lw.aq x8,0(x7)"), true);
    let (store, load) = ("amoswap.w.rl x9,x6,(x5)", "lr.w.aq x8,(x7)");
    check(Model::RiscV, Language::Litmus, &test(store, load), false);
    let (store, load) = ("amoswap.w x9,x6,(x5)", "lr.w x8,(x7)");
    check(Model::RiscV, Language::Litmus, &test(store, load), true);
}

/// Store buffering in which each thread looks at its own store first. What it hands on to its own load
/// starts no dependency: neither a branch and an `ISB`, nor an address, order the store.
#[test]
fn a_pick_dependency_does_not_start_at_a_write_on_aarch64() {
    let test = |between: &str| {
        format!(
            "AArch64 test\n{{ 0:X1=x; 0:X3=y; 0:X6=z; 1:X1=y; 1:X3=x; 1:X6=z; }}\n P0 | P1 ;\n\
             MOV W0,#1 | MOV W0,#1 ;\n STR W0,[X1] | STR W0,[X1] ;\n LDR W2,[X1] | LDR W2,[X1] ;\n\
             {between}\n LDR W4,[X3] | LDR W4,[X3] ;\n\
             exists (0:X2=1 /\\ 0:X4=0 /\\ 1:X2=1 /\\ 1:X4=0)\n"
        )
    };
    let branch = " CBNZ W2,L0 | CBNZ W2,L1 ;\n L0: | L1: ;\n ISB | ISB ;";
    check(Model::AArch64, Language::Litmus, &test(branch), true);
    let select = " CMP W2,#1 | CMP W2,#1 ;\n CSEL W5,W0,W2,EQ | CSEL W5,W0,W2,EQ ;\n \
                  CBNZ W5,L0 | CBNZ W5,L1 ;\n L0: | L1: ;\n ISB | ISB ;";
    check(Model::AArch64, Language::Litmus, &test(select), true);
    check(Model::AArch64, Language::Litmus, &test(" DMB SY | DMB SY ;"), false);
}

/// An address that a read picks orders the read before later writes, though not before the read at that
/// address; and a branch on what it picks, with an `ISB`, orders it before later reads.
#[test]
fn a_pick_orders_what_follows_the_access_or_the_barrier_on_aarch64() {
    let picked = "CMP W0,#1 | CSEL X7,X5,X6,EQ";
    let load_buffering = |middle: &str| {
        let steps: Vec<String> =
            [picked.split(" | ").collect(), vec![middle, "MOV W2,#1", "STR W2,[X3]"]]
                .concat()
                .into_iter()
                .map(|step| format!(" | {step} ;\n"))
                .collect();
        format!(
            "AArch64 test\n{{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x; 1:X5=z; 1:X6=w; }}\n P0 | P1 ;\n \
             LDR W0,[X1] | LDR W0,[X1] ;\n DMB SY | ;\n MOV W2,#1 | ;\n STR W2,[X3] | ;\n{}\
             exists (0:X0=1 /\\ 1:X0=1)\n",
            steps.concat()
        )
    };
    check(Model::AArch64, Language::Litmus, &load_buffering("LDR W8,[X7]"), false);
    check(Model::AArch64, Language::Litmus, &load_buffering("LDR W8,[X5]"), true);
    let message_passing = |barrier: &str| {
        format!(
            "AArch64 test\n{{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x; 1:X5=1; 1:X6=2; }}\n P0 | P1 ;\n \
             MOV W0,#1 | LDR W0,[X1] ;\n STR W0,[X1] | CMP W0,#1 ;\n DMB SY | CSEL W7,W5,W6,EQ ;\n \
             STR W0,[X3] | CBNZ W7,L0 ;\n | L0: ;\n | {barrier} ;\n | LDR W4,[X3] ;\n\
             exists (1:X0=1 /\\ 1:X4=0)\n"
        )
    };
    check(Model::AArch64, Language::Litmus, &message_passing("ISB"), false);
    check(Model::AArch64, Language::Litmus, &message_passing("NOP"), true);
}

/// A comparison that succeeds hands on what was expected, one that fails what was read.
#[test]
fn a_successful_cas_hands_on_what_it_expected_on_aarch64() {
    let test = |expected: u32, read: u32| {
        format!(
            "AArch64 test\n{{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x; 1:X2={expected}; }}\n P0 | P1 ;\n\
             MOV W0,#1 | CAS W2,W5,[X1] ;\n STR W0,[X1] | EOR W6,W2,W2 ;\n \
             STLR W0,[X3] | LDR W4,[X3,W6,SXTW] ;\nexists (1:X2={read} /\\ 1:X4=0)\n"
        )
    };
    check(Model::AArch64, Language::Litmus, &test(1, 1), true);
    check(Model::AArch64, Language::Litmus, &test(7, 1), false);
    // Or what was read: then what was expected, read from `y`, orders nothing.
    let expected_was_read = "AArch64 test\n{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x; 1:X6=z; z=1; }\n P0 | P1 ;\n \
         MOV W0,#1 | LDR W2,[X1] ;\n STR W0,[X1] | CAS W2,W5,[X6] ;\n STLR W0,[X3] | EOR W7,W2,W2 ;\n \
         | LDR W4,[X3,W7,SXTW] ;\nexists (1:X2=1 /\\ z=0 /\\ 1:X4=0)\n";
    check(Model::AArch64, Language::Litmus, expected_was_read, true);
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
    // So does a value that is computed from it (rule 10), or an address (rule 9).
    check(Model::RiscV, Language::Litmus, &test(&["add x6,x6,x8"]), false);
    check(Model::RiscV, Language::Litmus, &test(&["add x10,x10,x8"]), false);
    check(Model::RiscV, Language::Litmus, &test(&["add x9,x6,x8"]), true);
    // A branch on what was read is none on the success.
    check(Model::RiscV, Language::Litmus, &test(&["bne x7,x0,L", "L:"]), true);
}
