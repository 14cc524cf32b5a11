//! Stronger models allow less.

use std::collections::BTreeSet;

use axiomatic::{FinalState, Limits, Model, outcomes};
use oracle::generate::random::{Shape, random_programs};
use oracle::generate::tiny::{Alphabet, tiny_programs};
use program::Program;

fn allowed(program: &Program, model: Model) -> BTreeSet<FinalState> {
    let found = outcomes(program, model, &Limits::default());
    found.expect("small programs have few executions").states.into_keys().collect()
}

#[track_caller]
fn check(program: &Program, stronger: Model, weaker: &[Model]) {
    let few = allowed(program, stronger);
    for weaker in weaker {
        let many = allowed(program, *weaker);
        assert!(few.is_subset(&many), "{stronger} allows more than {weaker}: {program:#?}");
    }
}

#[test]
fn every_model_allows_what_sequential_consistency_does() {
    let shape = Shape { max_threads: 3, max_accesses: 6, sections: false, ..Shape::LOOP_FREE };
    for program in random_programs(7, shape).take(1000) {
        check(&program, Model::Sc, &Model::MACHINES);
        check(&program, Model::Tso, &[Model::Pso]);
    }
}

/// Without orders and with full fences only, which are the same everywhere.
#[test]
fn weak_models_allow_what_total_store_order_does() {
    let weak = [Model::Pso, Model::Power, Model::ArmV7, Model::AArch64, Model::RiscV];
    for program in tiny_programs(Alphabet::SIMPLE, 4) {
        check(&program, Model::Tso, &weak);
    }
    for program in tiny_programs(Alphabet::RICH, 3) {
        check(&program, Model::Tso, &weak);
    }
}
