//! What dependencies, exclusives and atomic updates order, on litmus tests in the syntax of each
//! architecture. `exists` is allowed or not.

use axiomatic::{Axioms, Limits, Model, NoAnswer, outcomes};
use frontend::{Language, Settings, load};
use oracle::generate::straight::{Op, straight_line};
use program::{Program, Sources};

fn program(language: Language, text: &str) -> Program {
    let mut sources = Sources::new();
    let source = sources.add("test", text);
    match load(&sources, source, language, &Settings::default()) {
        Ok(program) => program,
        Err(errors) => panic!("{errors:?} in {text}"),
    }
}

#[track_caller]
fn check(model: Model, text: &str, allowed: bool) {
    let program = program(Language::Litmus, text);
    let outcomes = outcomes(&program, model, &Limits::default()).expect("tests are small");
    let answer = outcomes.answer(&program).expect("tests ask");
    assert_eq!(answer.holds, allowed, "{model}: {text}");
}

/// Message passing on Arm: `y` is written by a store-release, and these instructions of the other
/// thread, whose X1 is the address of `y`, X3 that of `x` and X5, X6 those of `z` and `a`, lead from
/// the read of `y` (W0) to something about `x`.
fn after_reading_y(reader: &[&str], seen: &str) -> String {
    let writer = ["MOV W0,#1", "STR W0,[X3]", "MOV W2,#1", "STLR W2,[X1]"];
    let rows = writer.len().max(reader.len());
    let cell = |column: &[&str], row: usize| column.get(row).copied().unwrap_or("").to_owned();
    let table: Vec<String> =
        (0..rows).map(|row| format!(" {} | {} ;", cell(&writer, row), cell(reader, row))).collect();
    format!(
        "AArch64 test\n{{ 0:X1=y; 0:X3=x; 1:X1=y; 1:X3=x; 1:X5=z; 1:X6=a; 1:X8=1; }}\n \
         P0 | P1 ;\n{}\nexists ({seen})\n",
        table.join("\n")
    )
}

#[test]
fn a_picked_value_orders_writes_but_not_reads() {
    let picked_address = ["LDR W0,[X1]", "CMP W0,#1", "CSEL X2,X3,X5,EQ", "LDR W7,[X2]"];
    check(Model::AArch64, &after_reading_y(&picked_address, "1:X0=1 /\\ 1:X7=0"), true);
    let picked_value = ["LDR W0,[X1]", "CMP W0,#1", "CSEL W2,W8,W9,EQ", "STR W2,[X3]"];
    check(Model::AArch64, &after_reading_y(&picked_value, "1:X0=1 /\\ x=1 /\\ 1:X2=1"), true);
    let overwritten = ["LDR W0,[X1]", "CMP W0,#1", "MOV W9,#2", "CSEL W2,W9,W8,EQ", "STR W2,[X3]"];
    check(Model::AArch64, &after_reading_y(&overwritten, "1:X0=1 /\\ x=1"), false);
    let branch = ["LDR W0,[X1]", "CMP W0,#1", "B.NE L", "L:", "LDR W7,[X3]"];
    check(Model::AArch64, &after_reading_y(&branch, "1:X0=1 /\\ 1:X7=0"), true);
    let barrier = ["LDR W0,[X1]", "CMP W0,#1", "B.NE L", "L:", "ISB", "LDR W7,[X3]"];
    check(Model::AArch64, &after_reading_y(&barrier, "1:X0=1 /\\ 1:X7=0"), false);
}

#[test]
fn updates_without_a_result_do_not_acquire() {
    let acquire = ["MOV W4,#2", "SWPA W4,W0,[X1]", "LDR W7,[X3]"];
    check(Model::AArch64, &after_reading_y(&acquire, "1:X0=1 /\\ 1:X7=0"), false);
    let dropped = ["MOV W4,#2", "SWPA W4,WZR,[X1]", "LDR W7,[X3]"];
    check(Model::AArch64, &after_reading_y(&dropped, "y=2 /\\ 1:X7=0"), true);
    let plain = ["MOV W4,#2", "SWP W4,W0,[X1]", "LDR W7,[X3]"];
    check(Model::AArch64, &after_reading_y(&plain, "1:X0=1 /\\ 1:X7=0"), true);
    let fenced = ["MOV W4,#2", "SWP W4,W0,[X1]", "DMB LD", "LDR W7,[X3]"];
    check(Model::AArch64, &after_reading_y(&fenced, "1:X0=1 /\\ 1:X7=0"), false);
    let fenced_and_dropped = ["MOV W4,#2", "SWP W4,WZR,[X1]", "DMB LD", "LDR W7,[X3]"];
    check(Model::AArch64, &after_reading_y(&fenced_and_dropped, "y=2 /\\ 1:X7=0"), true);
}

#[test]
fn an_acquire_may_read_from_its_own_thread() {
    let update = ["MOV W4,#2", "SWP W4,W0,[X1]", "LDAR W9,[X1]", "LDR W7,[X3]"];
    check(Model::AArch64, &after_reading_y(&update, "1:X0=1 /\\ 1:X7=0"), false);
    let store = ["LDR W0,[X1]", "CBNZ W0,L", "L:", "STR W8,[X5]", "LDAR W9,[X5]", "LDR W7,[X3]"];
    check(Model::AArch64, &after_reading_y(&store, "1:X0=1 /\\ 1:X7=0"), true);
}

#[test]
fn what_a_picked_value_reaches_through_memory_orders_writes() {
    let through = |read_back| {
        let pick = ["LDR W0,[X1]", "CMP W0,#1", "CSEL W2,W8,W9,EQ", "STR W2,[X5]"];
        let write = [read_back, "MOV W10,#2", "STR W10,[X3]"];
        after_reading_y(&[&pick[..], &write[..]].concat(), "1:X0=1 /\\ x=1")
    };
    check(Model::AArch64, &through("LDAR W4,[X5]"), false);
    check(Model::AArch64, &through("LDR W4,[X5]"), true);
}

#[test]
fn a_value_depends_on_what_an_update_added_to() {
    // From the read of `y` through the sum in `y`, read back, to an address.
    let through = ["LDADD W8,W0,[X1]", "LDR W4,[X1]", "EOR W5,W4,W4", "LDR W7,[X3,W5,SXTW]"];
    check(Model::AArch64, &after_reading_y(&through, "1:X0=1 /\\ 1:X4=2 /\\ 1:X7=0"), false);
    let exchanged = ["SWP W8,W0,[X1]", "LDR W4,[X1]", "EOR W5,W4,W4", "LDR W7,[X3,W5,SXTW]"];
    check(Model::AArch64, &after_reading_y(&exchanged, "1:X0=1 /\\ 1:X4=1 /\\ 1:X7=0"), true);
}

fn store_buffering_on_arm(middle: &str) -> String {
    format!(
        "AArch64 test\n{{ 0:X1=x; 0:X3=y; 0:X5=z; 1:X1=y; 1:X3=x; 1:X5=a; }}\n P0 | P1 ;\n \
         MOV W0,#1 | MOV W0,#1 ;\n STR W0,[X1] | STR W0,[X1] ;\n {middle} | {middle} ;\n \
         LDR W2,[X3] | LDR W2,[X3] ;\nexists (0:X2=0 /\\ 1:X2=0)\n"
    )
}

#[test]
fn an_update_that_acquires_and_releases_is_a_fence() {
    check(Model::AArch64, &store_buffering_on_arm("LDADDAL W0,W4,[X5]"), false);
    check(Model::AArch64, &store_buffering_on_arm("LDADDA W0,W4,[X5]"), true);
    check(Model::AArch64, &store_buffering_on_arm("LDADDL W0,W4,[X5]"), true);
}

#[test]
fn exclusives_are_atomic() {
    let arm = "AArch64 test\n{ 0:X1=x; 1:X1=x; }\n P0 | P1 ;\n LDXR W0,[X1] | LDXR W0,[X1] ;\n \
               ADD W2,W0,#1 | ADD W2,W0,#1 ;\n STXR W3,W2,[X1] | STXR W3,W2,[X1] ;\n";
    let lost = format!("{arm}exists (0:X3=0 /\\ 1:X3=0 /\\ x=1)\n");
    let both = format!("{arm}exists (0:X3=0 /\\ 1:X3=0 /\\ x=2)\n");
    let failed = format!("{arm}exists (0:X3=1 /\\ 1:X3=1 /\\ x=0)\n");
    for model in Model::ALL {
        check(model, &lost, false);
        check(model, &both, true);
        check(model, &failed, true);
    }
}

/// Store buffering on RISC-V, where these instructions stand for one thread: x5 is the address of
/// what it writes, x10 that of what it reads (into x12), and x6 is 1.
fn store_buffering_on_riscv(thread: &[&str], other: &[&str], written: &str) -> String {
    let rows = thread.len().max(other.len());
    let cell = |column: &[&str], row: usize| column.get(row).copied().unwrap_or("").to_owned();
    let table: Vec<String> =
        (0..rows).map(|row| format!(" {} | {} ;", cell(thread, row), cell(other, row))).collect();
    format!(
        "RISCV test\n{{ 0:x5=x; 0:x6=1; 0:x10=y; 0:x20=z; 1:x5=y; 1:x6=1; 1:x10=x; 1:x20=a; }}\n \
         P0 | P1 ;\n{}\nexists (0:x12=0 /\\ 1:x12=0{written})\n",
        table.join("\n")
    )
}

#[test]
fn riscv_respects_the_success_of_a_store_conditional() {
    let other = ["sw x6,0(x5)", "fence rw,rw", "lw x12,0(x10)"];
    let dependent =
        ["lr.w x7,0(x5)", "sc.w x8,x6,0(x5)", "xor x9,x8,x8", "add x11,x10,x9", "lw x12,0(x11)"];
    let independent = ["lr.w x7,0(x5)", "sc.w x8,x6,0(x5)", "lw x12,0(x10)"];
    let succeeded = " /\\ 0:x8=0";
    check(Model::RiscV, &store_buffering_on_riscv(&dependent, &other, succeeded), false);
    check(Model::RiscV, &store_buffering_on_riscv(&independent, &other, succeeded), true);
}

#[test]
fn riscv_updates_are_one_operation() {
    let dependent = ["amoswap.w x7,x6,(x5)", "xor x9,x7,x7", "add x11,x10,x9", "lw x12,0(x11)"];
    check(Model::RiscV, &store_buffering_on_riscv(&dependent, &dependent, ""), false);
    let plain = ["amoswap.w x7,x6,(x5)", "lw x12,0(x10)"];
    check(Model::RiscV, &store_buffering_on_riscv(&plain, &plain, ""), true);
    let acquire = ["amoswap.w.aq x7,x6,(x5)", "lw x12,0(x10)"];
    check(Model::RiscV, &store_buffering_on_riscv(&acquire, &acquire, ""), false);
    let between = ["sw x6,0(x5)", "amoadd.w.aqrl x7,x6,(x20)", "lw x12,0(x10)"];
    check(Model::RiscV, &store_buffering_on_riscv(&between, &between, ""), false);
}

#[test]
fn riscv_orders_a_load_after_the_update_it_reads_from() {
    let test = |first: &str, second: &str| {
        format!(
            "RISCV test\n{{ 0:x5=x; 0:x6=1; 0:x7=y; 1:x5=x; 1:x6=2; 1:x7=y; }}\n P0 | P1 ;\n \
             sw x6,0(x5) | {first} ;\n fence w,w | {second} ;\n sw x6,0(x7) | lw x9,0(x7) ;\n \
             | xor x10,x9,x9 ;\n | add x11,x5,x10 ;\n | lw x12,0(x11) ;\n\
             exists (1:x8=1 /\\ 1:x9=2 /\\ 1:x12=0)\n"
        )
    };
    check(Model::RiscV, &test("amoswap.w x8,x6,(x7)", ""), false);
    check(Model::RiscV, &test("lw x8,0(x7)", "sw x6,0(x7)"), true);
}

#[test]
fn locked_sections_are_refused() {
    let section = straight_line("section", &[&[Op::Lock, Op::Store(0, 1), Op::Unlock]]);
    let refused = outcomes(&section, Model::Sc, &Limits::default());
    assert!(matches!(refused, Err(NoAnswer::LockedSection { .. })), "{refused:?}");
}

#[test]
fn huge_choices_are_refused() {
    let text = "shared x\nthread P { local a\n a = choose(0..=1000000000000)\n x = a }\n";
    let refused = outcomes(&program(Language::Fw, text), Model::Sc, &Limits::default());
    assert!(matches!(refused, Err(NoAnswer::TooManyRuns { .. })), "{refused:?}");
}

#[test]
fn circular_values_are_not_made_up() {
    let text = "shared x\nshared y\nthread P { local a\n a = x\n y = a + 1 }\n\
                thread Q { local a\n a = y\n x = a + 1 }\n";
    let program = program(Language::Fw, text);
    for model in Model::ALL {
        let outcomes = outcomes(&program, model, &Limits::default()).expect("it is small");
        let cells: Vec<Vec<_>> =
            outcomes.states.keys().map(|state| state.cells.values().copied().collect()).collect();
        assert!(cells.iter().all(|cells| cells.iter().all(|value| *value <= 2)), "{cells:?}");
    }
}

#[test]
fn every_outcome_has_a_witness_that_the_model_allows() {
    let program = program(Language::Litmus, &store_buffering_on_arm("NOP"));
    for model in Model::ALL {
        let outcomes = outcomes(&program, model, &Limits::default()).expect("it is small");
        assert!(!outcomes.states.is_empty());
        for execution in outcomes.states.values() {
            assert!(
                (execution.is_coherent() || model == Model::Rmo)
                    && execution.is_coherent_but_for_reads()
                    && execution.is_atomic()
                    && model.judge(execution).is_ok_and(|said| said.is_allowed())
            );
        }
    }
}
