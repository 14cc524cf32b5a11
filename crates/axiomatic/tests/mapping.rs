//! What compilers make of C's orders is right: a program of atomic accesses shows on a machine, as it is
//! compiled for it (`program::mapping`), nothing that the models of the language do not allow.
//!
//! - Podkopaev, Lahav, Vafeiadis (POPL 2019) prove that machines are within IMM. IMM has what follows an
//!   update come after its read, as after a branch on what was read. The loops that compilers emit
//!   branch on the success of the store alone, and single instructions do not branch at all: with updates
//!   machines are not within IMM.
//! - Lahav et al. (PLDI 2017) prove that x86 and Power are within RC11 without NO-THIN-AIR. With it Power
//!   is not, nor is any machine that buffers loads, unless compilers put a branch after each relaxed load;
//!   they do not.

mod compiled;

use axiomatic::{Limits, Model, outcomes};
use compiled::{MACHINES, check, check_random, program, weak_rc11};

#[test]
fn machines_show_what_the_language_allows() {
    assert!(check_random(1, 400, false) > 0, "some programs buffer loads");
    assert!(check_random(2, 200, true) > 0, "some programs buffer loads");
}

#[test]
#[ignore = "takes minutes"]
fn machines_show_what_the_language_allows_of_many_programs() {
    assert!(check_random(3, 20_000, false) > 0);
    assert!(check_random(4, 10_000, true) > 0);
}

/// Relaxed load buffering: real, and out of RC11.
#[test]
fn machines_buffer_loads_and_rc11_does_not() {
    let thread = |name: &str, from: &str, to: &str| {
        format!(
            "{name} (atomic_int* x, atomic_int* y) {{\n  int r = atomic_load_explicit({from}, \
             memory_order_relaxed);\n  atomic_store_explicit({to}, 1, memory_order_relaxed);\n}}\n"
        )
    };
    let text = format!(
        "C LB\n{{ }}\n{}{}exists (0:r=1 /\\ 1:r=1)\n",
        thread("P0", "x", "y"),
        thread("P1", "y", "x")
    );
    let buffering = check(&text, false, &weak_rc11());
    let all = [Model::Power, Model::ArmV7, Model::AArch64, Model::AArch64Lse, Model::RiscV];
    assert_eq!(buffering, all);
}

/// A relaxed update and a store after it, which machines reorder: real, and out of IMM.
#[test]
fn machines_pass_updates_and_imm_does_not() {
    let text = "C LB+update\n{ }\nP0 (atomic_int* x, atomic_int* y) {\n  int r = \
                atomic_exchange_explicit(x, 2, memory_order_relaxed);\n  \
                atomic_store_explicit(y, 1, memory_order_relaxed);\n}\n\
                P1 (atomic_int* x, atomic_int* y) {\n  int r = atomic_load_explicit(y, \
                memory_order_relaxed);\n  atomic_store_explicit(x, r, memory_order_relaxed);\n}\n\
                exists (0:r=1 /\\ 1:r=1)\n";
    let program = program(text);
    let holds = |model: Model| {
        let found = outcomes(&program, model, &Limits::default()).expect("a small test");
        found.answer(&program).expect("a question").holds
    };
    assert!(!holds(Model::Imm) && !holds(Model::Rc11));
    let shown: Vec<Model> = MACHINES.into_iter().filter(|machine| holds(*machine)).collect();
    let all = [Model::Power, Model::ArmV7, Model::AArch64, Model::AArch64Lse, Model::RiscV];
    assert_eq!(shown, all);
}
