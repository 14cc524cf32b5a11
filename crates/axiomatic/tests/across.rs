//! Accesses of different widths to the same bytes.

use std::collections::{BTreeMap, BTreeSet};

use axiomatic::{FinalState, Limits, Model, NoAnswer, outcomes};
use oracle::generate::across::{random_programs_across, whole_and_divided};
use oracle::generate::random::{Shape, random_programs};
use oracle::{MemoryModel, final_states, reachable_errors};
use program::{EdgeId, Program, ThreadId, Value};

fn allowed(program: &Program, model: Model) -> axiomatic::Outcomes {
    outcomes(program, model, &Limits::default()).expect("small programs have few executions")
}

/// The axioms of SC and TSO allow the final states and the errors that machines reach.
fn check(program: &Program) -> bool {
    let limits = oracle::Limits { max_states: 100_000, ..oracle::Limits::default() };
    for (axioms, machine) in [(Model::Sc, MemoryModel::Sc), (Model::Tso, MemoryModel::Tso)] {
        let Ok(reached) = final_states(program, machine, &limits) else { return false };
        let state = |state: oracle::Configuration| FinalState {
            registers: state.threads.iter().map(|thread| thread.registers.clone()).collect(),
            cells: state.cells,
        };
        let reached: BTreeSet<FinalState> = reached.into_iter().map(state).collect();
        let allowed = allowed(program, axioms);
        let errors: BTreeSet<(ThreadId, EdgeId)> =
            allowed.errors.keys().map(|error| (error.thread, error.edge)).collect();
        let states: BTreeSet<FinalState> = allowed.states.into_keys().collect();
        assert_eq!(states, reached, "{axioms}: {program:#?}");
        let expected = reachable_errors(program, machine, &limits).expect("as many states");
        assert_eq!(errors, expected, "{axioms}: {program:#?}");
    }
    true
}

#[test]
fn axioms_and_machines_agree() {
    check_random(3000);
}

#[test]
#[ignore = "takes minutes"]
fn axioms_and_machines_agree_on_many_programs() {
    check_random(30_000);
}

fn check_random(count: usize) {
    let decided = random_programs_across(1).take(count).filter(check).count();
    assert!(decided * 100 >= count * 99, "only {decided} of {count} programs were decided");
}

#[test]
fn stronger_models_allow_less() {
    for program in random_programs_across(2).take(1000) {
        let states = |model| -> BTreeSet<FinalState> {
            allowed(&program, model).states.into_keys().collect()
        };
        let (sc, tso, arm) = (states(Model::Sc), states(Model::Tso), states(Model::AArch64Lse));
        assert!(sc.is_subset(&tso), "{program:#?}");
        // What is compiled for Arm may also reorder what TSO keeps in order.
        assert!(sc.is_subset(&arm), "{program:#?}");
    }
}

/// What registers and whole elements hold in the end.
fn seen(program: &Program, model: Model) -> BTreeSet<(Vec<Value>, BTreeMap<String, Value>)> {
    let found = allowed(program, model);
    let memory = program.memory();
    let state = |state: &FinalState| {
        let registers = state.registers.iter().flatten().copied().collect();
        let mut elements = BTreeMap::new();
        for location in memory.locations() {
            for index in 0..location.cells() {
                let address = location.address(index.into()).expect("a cell");
                let observable = memory.element_of(address);
                let value = state.see(program, &found.threads, observable);
                // Two bytes may be read as signed or not.
                elements.insert(location.element_name(index), value & 0xffff);
            }
        }
        (registers, elements)
    };
    found.states.keys().map(state).collect()
}

#[test]
fn divided_cells_that_are_accessed_as_a_whole_are_whole() {
    let shape = Shape { max_threads: 3, max_accesses: 5, sections: false, ..Shape::LOOP_FREE };
    let mut states = 0;
    for program in random_programs(3, shape).take(1500) {
        let [whole, divided] = whole_and_divided(&program);
        for model in [Model::Sc, Model::Tso, Model::AArch64, Model::AArch64Lse] {
            let seen_whole = seen(&whole, model);
            assert_eq!(seen_whole, seen(&divided, model), "{model}: {divided:#?}");
            states += seen_whole.len();
        }
    }
    assert!(states > 8000, "only {states} states were compared");
}

#[test]
fn what_is_not_settled_is_refused() {
    let program = random_programs_across(4).next().expect("endlessly many");
    for model in Model::ALL {
        let answer = outcomes(&program, model, &Limits::default());
        let is_refused = matches!(answer, Err(NoAnswer::AccessAcross { .. }));
        let is_settled =
            matches!(model, Model::Sc | Model::Tso | Model::AArch64 | Model::AArch64Lse);
        assert_eq!(is_refused, !is_settled, "{model}");
    }
}
