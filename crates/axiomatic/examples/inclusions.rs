//! Which model allows no more than which other, on many random programs.
//!
//! `cargo run -p fencewright-axiomatic --example inclusions -- WHAT SEED COUNT`, where WHAT is one of
//!
//! - `as-written`: SC ⊆ TSO ⊆ PSO ⊆ RMO, and SC ⊆ every other machine, on programs with orders and fences of all kinds;
//! - `sparc`: SC ⊆ TSO ⊆ PSO ⊆ RMO alone, on the same programs;
//! - `plain`: TSO ⊆ PSO, Power, `ARMv7`, `AArch64` with and without LSE, RISC-V, on the same programs with plain
//!   accesses and full fences: there each machine keeps no more in order than x86 does;
//! - `machines`: the axioms of SC and TSO allow exactly what machines with and without store buffers reach;
//! - `across`: the same for accesses of different sizes to the same bytes, and SC ⊆ `AArch64`;
//! - `divided`: what is accessed by bytes, and always as a whole, is as if it were whole;
//! - `compiled`: machines show no more of a program in C, as compilers map its orders, than C allows: RC11
//!   without NO-THIN-AIR; x86 and SPARC's PSO also RC11 itself.
//!
//! It panics at the first program of which that is not so, and prints it.

#![allow(clippy::print_stdout, reason = "a program to be run by hand")]

#[path = "../tests/compiled/mod.rs"]
mod compiled;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use axiomatic::{FinalState, Limits, Model, outcomes};
use oracle::generate::across::{random_programs_across, whole_and_divided};
use oracle::generate::random::{Shape, random_programs};
use oracle::{MemoryModel, final_states};
use program::change::{Change, apply};
use program::{Access, FenceKind, Instruction, Order, Program, Value};

const SHAPE: Shape = Shape { max_threads: 3, max_accesses: 6, sections: false, ..Shape::LOOP_FREE };

/// All models of machines but SC and TSO.
const WEAK: [Model; 7] = [
    Model::Pso,
    Model::Rmo,
    Model::Power,
    Model::ArmV7,
    Model::AArch64,
    Model::AArch64Lse,
    Model::RiscV,
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, seed, count] = arguments.as_slice() else {
        return println!(
            "usage: inclusions as-written|sparc|plain|machines|across|divided|compiled SEED COUNT"
        );
    };
    let (Ok(seed), Ok(count)) = (seed.parse(), count.parse()) else {
        return println!("a seed and a count are numbers");
    };
    let begun = Instant::now();
    let programs = || random_programs(seed, SHAPE).take(count);
    let seen: usize = match what.as_str() {
        "as-written" => programs().map(|program| as_written(&program)).sum(),
        "sparc" => programs().map(|program| sparc(&program).0).sum(),
        "plain" => programs().map(|program| plain(&program)).sum(),
        "machines" => programs().map(|program| equal_to_machines(&program)).sum(),
        "across" => random_programs_across(seed)
            .take(count)
            .map(|program| equal_to_machines(&program) + within_arm(&program))
            .sum(),
        "divided" => programs().map(|program| divided(&program)).sum(),
        "compiled" => {
            compiled::check_random(seed, count / 2, false)
                + compiled::check_random(seed + 1, count - count / 2, true)
        }
        _ => return println!("no such comparison: {what}"),
    };
    let told = match what.as_str() {
        "compiled" => "programs that RC11 with NO-THIN-AIR does not allow everything of",
        _ => "final states compared",
    };
    println!("{what}, seed {seed}: {count} programs, {seen} {told}, {:.0?}", begun.elapsed());
}

fn allowed(program: &Program, model: Model) -> BTreeSet<FinalState> {
    let found = outcomes(program, model, &Limits::default());
    found.expect("small programs have few executions").states.into_keys().collect()
}

#[track_caller]
fn within(
    program: &Program,
    (few, stronger): (&BTreeSet<FinalState>, Model),
    weaker: Model,
) -> usize {
    let many = allowed(program, weaker);
    assert!(few.is_subset(&many), "{stronger} allows more than {weaker}: {program:#?}");
    many.len()
}

/// How many final states were compared, and those under SC.
fn sparc(program: &Program) -> (usize, BTreeSet<FinalState>) {
    let (sc, tso) = (allowed(program, Model::Sc), allowed(program, Model::Tso));
    assert!(sc.is_subset(&tso), "{program:#?}");
    let pso = allowed(program, Model::Pso);
    assert!(tso.is_subset(&pso), "{program:#?}");
    (pso.len() + within(program, (&pso, Model::Pso), Model::Rmo), sc)
}

fn as_written(program: &Program) -> usize {
    let (compared, sc) = sparc(program);
    let others = WEAK.into_iter().skip(2);
    compared + others.map(|model| within(program, (&sc, Model::Sc), model)).sum::<usize>()
}

fn plain(program: &Program) -> usize {
    let mut changes = Vec::new();
    for (template, data) in program.templates().enumerate() {
        for (edge, data) in data.edges().enumerate() {
            let access = |_: &program::Expr, how: Access| Access {
                order: Order::Relaxed,
                failure: None,
                ..how
            };
            let is_fence = matches!(data.instruction, Instruction::Fence(_));
            let plain = data.instruction.rewritten(&Clone::clone, &access);
            let plain = if is_fence { Instruction::Fence(FenceKind::Full) } else { plain };
            changes.push((template, Change::Become(edge, plain)));
        }
    }
    let program = apply(program, &changes).program;
    let tso = allowed(&program, Model::Tso);
    WEAK.into_iter().map(|model| within(&program, (&tso, Model::Tso), model)).sum()
}

/// Programs with too many states for the machine are left out, and count nothing.
fn equal_to_machines(program: &Program) -> usize {
    let limits = oracle::Limits { max_states: 100_000, ..oracle::Limits::default() };
    let mut seen = 0;
    for (axioms, machine) in [(Model::Sc, MemoryModel::Sc), (Model::Tso, MemoryModel::Tso)] {
        let Ok(reached) = final_states(program, machine, &limits) else { return seen };
        let state = |state: oracle::Configuration| FinalState {
            registers: state.threads.iter().map(|thread| thread.registers.clone()).collect(),
            cells: state.cells,
        };
        let reached: BTreeSet<FinalState> = reached.into_iter().map(state).collect();
        assert_eq!(allowed(program, axioms), reached, "{axioms}: {program:#?}");
        seen += reached.len();
    }
    seen
}

fn within_arm(program: &Program) -> usize {
    let sc = allowed(program, Model::Sc);
    let models = [Model::AArch64, Model::AArch64Lse];
    models.into_iter().map(|model| within(program, (&sc, Model::Sc), model)).sum()
}

fn divided(program: &Program) -> usize {
    let [whole, divided] = whole_and_divided(program);
    let models = [Model::Sc, Model::Tso, Model::AArch64, Model::AArch64Lse];
    let same = |model: Model| {
        let seen = elements(&whole, model);
        assert_eq!(seen, elements(&divided, model), "{model}: {divided:#?}");
        seen.len()
    };
    models.into_iter().map(same).sum()
}

/// What registers and whole elements hold in the end.
fn elements(program: &Program, model: Model) -> BTreeSet<(Vec<Value>, BTreeMap<String, Value>)> {
    let found = outcomes(program, model, &Limits::default()).expect("few executions");
    let memory = program.memory();
    let state = |state: &FinalState| {
        let registers = state.registers.iter().flatten().copied().collect();
        let mut elements = BTreeMap::new();
        for location in memory.locations() {
            for index in 0..location.cells() {
                let address = location.address(index.into()).expect("a cell");
                let value = state.see(program, &found.threads, memory.element_of(address));
                // Two bytes may be read as signed or not.
                elements.insert(location.element_name(index), value & 0xffff);
            }
        }
        (registers, elements)
    };
    found.states.keys().map(state).collect()
}
