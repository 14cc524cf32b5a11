//! A translated program means the same: it has the same final contents of memory, under SC and
//! under TSO, as the oracle enumerates them.

use std::collections::BTreeSet;

use frontend::litmus::{Target, print_for};
use frontend::{Language, Settings, fw, load, print};
use oracle::generate::random::{Shape, random_programs};
use oracle::{Limits, MemoryModel, final_states};
use program::{Diagnostics, Expr, Instruction, Program, Sources, Template, Value};

const LIMITS: Limits = Limits { max_states: 30_000, max_length: 200 };

/// The cells of a program: the name of their location, their index there, their address.
fn cells(program: &Program) -> Vec<(String, u64, Value)> {
    let mut cells = Vec::new();
    for location in program.memory().locations() {
        for index in 0..location.cells() {
            let address = location.address(index.into()).expect("an index of the location");
            cells.push((location.name.clone(), index, address));
        }
    }
    cells
}

/// What can be in these cells in the end; nothing where the oracle cannot enumerate.
fn contents(
    program: &Program,
    model: MemoryModel,
    cells: &[Value],
) -> Option<BTreeSet<Vec<Value>>> {
    let states = final_states(program, model, &LIMITS).ok()?;
    let value = |cell: &Value, changed: Option<&Value>| {
        changed.copied().unwrap_or_else(|| program.memory().cell(*cell).expect("a cell").initial)
    };
    let row = |state: oracle::Configuration| {
        cells.iter().map(|cell| value(cell, state.cells.get(cell))).collect()
    };
    Some(states.into_iter().map(row).collect())
}

/// How many of some random programs a language can express and the oracle can enumerate; all of
/// them must mean the same.
fn check(language: Language) -> usize {
    let models = [MemoryModel::Sc, MemoryModel::Tso];
    check_with(language, &models, |program| print(program, language))
}

/// The same for a way of printing programs.
fn check_with(
    language: Language,
    models: &[MemoryModel],
    print: impl Fn(&Program) -> Result<String, Diagnostics>,
) -> usize {
    let shape = Shape { max_threads: 3, max_accesses: 5, ..Shape::default() };
    let mut compared = 0;
    for program in random_programs(11, shape).take(600) {
        let Ok(text) = print(&program) else { continue };
        let mut sources = Sources::new();
        let source = sources.add("translated", text.clone());
        let translated = load(&sources, source, language, &Settings::default())
            .unwrap_or_else(|errors| panic!("{text}\n{errors:#?}"));
        let original = cells(&program);
        let there = cells(&translated);
        let addresses: Vec<Value> = original.iter().map(|(_, _, address)| *address).collect();
        // Trencher's language has no names: addresses stay as they are.
        let translated_addresses: Vec<Value> = original
            .iter()
            .map(|(name, index, address)| {
                let same = there.iter().find(|(other, at, _)| (other, at) == (name, index));
                same.map_or(*address, |(_, _, address)| *address)
            })
            .collect();
        for model in models.iter().copied() {
            let before = contents(&program, model, &addresses);
            let after = contents(&translated, model, &translated_addresses);
            if let (Some(before), Some(after)) = (before, after) {
                assert_eq!(before, after, "{model:?}\n{}\n{text}", fw::print(&program));
                compared += 1;
            }
        }
    }
    compared
}

#[test]
fn fw_means_the_same() {
    assert!(check(Language::Fw) > 1000);
}

#[test]
fn trencher_means_the_same() {
    assert!(check(Language::Trencher) > 100);
}

#[test]
fn litmus_means_the_same() {
    assert!(check(Language::Litmus) > 100);
}

/// The program with the addresses of cells as numbers, as it would be if it were translated from C.
fn by_number(program: &Program) -> Program {
    let instruction = |instruction: &Instruction| {
        let address = instruction.memory_access().map(|(address, _)| address);
        let number = |expr: &Expr| match expr {
            Expr::Element(location, index)
                if address.is_some_and(|address| std::ptr::eq(address, expr)) =>
            {
                let Expr::Const(index) = **index else { return expr.clone() };
                let cell = program.memory().location(*location).address(index);
                cell.map_or_else(|_| expr.clone(), Expr::Const)
            }
            Expr::Const(_)
            | Expr::Register(_)
            | Expr::Element(..)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(_)
            | Expr::Cast(..) => expr.clone(),
        };
        instruction.rewritten(&number, &|_, access| access)
    };
    let template = |template: &Template| template.with_instructions(instruction);
    program.with_templates(program.templates().iter().map(template).collect())
}

#[test]
fn cells_that_are_accessed_by_number_are_named() {
    let models = [MemoryModel::Sc, MemoryModel::Tso];
    let print = |program: &Program| print(&by_number(program), Language::Litmus);
    assert!(check_with(Language::Litmus, &models, print) > 100);
}

/// Orders become what the mapping of an architecture makes of them, so only SC is the same.
#[test]
fn litmus_for_other_architectures_means_the_same_under_sc() {
    for target in [Target::AArch64, Target::Ppc, Target::RiscV] {
        let print = |program: &Program| print_for(program, target);
        assert!(check_with(Language::Litmus, &[MemoryModel::Sc], print) > 50, "{target:?}");
    }
}

#[test]
fn esop13_means_the_same() {
    assert!(check(Language::Esop13) > 100);
}

#[test]
fn esop15_means_the_same() {
    assert!(check(Language::Esop15) > 100);
}
