//! Stronger models allow less.

use std::collections::BTreeSet;

use axiomatic::{FinalState, Limits, Model, outcomes};
use oracle::generate::random::{Shape, random_programs};
use oracle::generate::tiny::{Alphabet, tiny_programs};
use program::{Instruction, Program, Update};

fn allowed(program: &Program, model: Model) -> BTreeSet<FinalState> {
    let found = outcomes(program, model, &Limits::default());
    found.expect("small programs have few executions").states.into_keys().collect()
}

#[track_caller]
fn check(program: &Program, few: &BTreeSet<FinalState>, stronger: Model, weaker: &[Model]) {
    for weaker in weaker {
        let many = allowed(program, *weaker);
        assert!(few.is_subset(&many), "{stronger} allows more than {weaker}: {program:#?}");
    }
}

/// Whether there is an update that compares: compiled to a loop, it has a branch, on which later writes
/// depend, and compiled to an instruction it has none.
fn compares(program: &Program) -> bool {
    let edges = program.templates().iter().flat_map(program::Template::edges);
    edges.into_iter().any(|edge| {
        let Instruction::Update { update, .. } = &edge.instruction else { return false };
        match update {
            Update::CompareAndSwap { .. } | Update::BlockingReadWrite { .. } => true,
            Update::Exchange(_) | Update::Fetch { .. } => false,
        }
    })
}

/// Whatever accesses and fences a program has: every machine allows what SC does, PSO what TSO does, RMO what PSO does, and an
/// update that is a loop without a comparison what one that is an instruction does.
fn inclusions(seed: u64, count: usize) {
    let shape = Shape { max_threads: 3, max_accesses: 6, sections: false, ..Shape::LOOP_FREE };
    for program in random_programs(seed, shape).take(count) {
        let of_sc = allowed(&program, Model::Sc);
        let machines = [Model::Power, Model::ArmV7, Model::AArch64, Model::RiscV];
        check(&program, &of_sc, Model::Sc, &machines);
        let of_tso = allowed(&program, Model::Tso);
        assert!(of_sc.is_subset(&of_tso), "{program:#?}");
        let of_pso = allowed(&program, Model::Pso);
        assert!(of_tso.is_subset(&of_pso), "{program:#?}");
        check(&program, &of_pso, Model::Pso, &[Model::Rmo]);
        let of_lse = allowed(&program, Model::AArch64Lse);
        assert!(of_sc.is_subset(&of_lse), "{program:#?}");
        if !compares(&program) {
            check(&program, &of_lse, Model::AArch64Lse, &[Model::AArch64]);
        }
    }
}

#[test]
fn stronger_models_allow_less() {
    inclusions(7, 1000);
}

#[test]
#[ignore = "takes half an hour"]
fn stronger_models_allow_less_of_very_many_programs() {
    inclusions(8, 100_000);
}

/// Without orders and with full fences only, which are the same everywhere.
#[test]
fn weak_models_allow_what_total_store_order_does() {
    let weak = [Model::Pso, Model::Rmo, Model::Power, Model::ArmV7, Model::AArch64, Model::RiscV];
    let alphabets = [(Alphabet::SIMPLE, 4), (Alphabet::RICH, 3)];
    for program in alphabets.into_iter().flat_map(|(alphabet, most)| tiny_programs(alphabet, most))
    {
        check(&program, &allowed(&program, Model::Tso), Model::Tso, &weak);
    }
}
