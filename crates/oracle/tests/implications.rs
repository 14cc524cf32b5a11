//! What must hold of every program, checked on random and on all tiny ones.

use std::collections::BTreeMap;

use oracle::generate::random::{Shape, random_programs};
use oracle::generate::shrink::smallest;
use oracle::generate::tiny::{Alphabet, tiny_programs};
use oracle::{
    Criterion, Exceeded, Limits, MemoryModel, edge_candidates, final_states,
    has_happens_before_cycle, has_triangular_race, label_candidates, minimum_fences,
    plain_configurations, verdicts,
};
use program::Program;

const LIMITS: Limits = Limits { max_states: 30_000, max_length: 200 };

/// Fails with the smallest program that breaks a law, if one of `programs` does. Returns how many
/// were small enough to be checked.
fn check_all(
    programs: impl Iterator<Item = Program>,
    law: impl Fn(&Program) -> Result<bool, Exceeded>,
) -> usize {
    let mut checked = 0;
    for program in programs {
        match law(&program) {
            Ok(true) => checked += 1,
            Err(_) => {}
            Ok(false) => {
                let small = smallest(&program, &mut |program| law(program) == Ok(false));
                panic!("the law does not hold of\n{}", described(&small));
            }
        }
    }
    checked
}

fn described(program: &Program) -> String {
    let mut lines = vec![format!("{:?}", verdicts(program, &LIMITS))];
    for template in program.templates() {
        lines.push(format!("{} {:?}", template.name(), template.count()));
        for edge in template.edges() {
            lines.push(format!("  {:?} -> {:?}: {:?}", edge.from, edge.to, edge.instruction));
        }
    }
    lines.join("\n")
}

/// Data-race freedom ⇒ triangular-race freedom ⇒ robustness and persistence ⇒ equal states ⇒
/// equal final states; and the pattern of a triangular race is one.
fn criteria_imply_weaker_ones(program: &Program) -> Result<bool, Exceeded> {
    let verdicts = verdicts(program, &LIMITS)?;
    let pattern = has_triangular_race(program, &LIMITS)?;
    let implications = [
        (verdicts.data_race_free, verdicts.triangular_race_free),
        (verdicts.triangular_race_free, verdicts.robust),
        (verdicts.triangular_race_free, verdicts.persistent),
        (verdicts.robust, verdicts.same_states),
        (verdicts.persistent, verdicts.same_states),
        (verdicts.same_states, verdicts.same_final_states),
        (verdicts.sc_fault, verdicts.tso_fault),
    ];
    Ok(implications.iter().all(|(premise, conclusion)| !premise || *conclusion)
        && verdicts.triangular_race_free != pattern)
}

#[test]
fn implications_hold_of_random_programs() {
    let programs = random_programs(1, Shape::default()).take(3000);
    let checked = check_all(programs, criteria_imply_weaker_ones);
    assert!(checked > 2500, "{checked}");
}

#[test]
fn implications_hold_of_tiny_programs() {
    check_all(tiny_programs(Alphabet::RICH, 3), criteria_imply_weaker_ones);
    check_all(tiny_programs(Alphabet::SIMPLE, 4), criteria_imply_weaker_ones);
}

#[test]
fn robustness_is_the_absence_of_happens_before_cycles() {
    let shape = Shape { sections: false, exclusives: false, max_threads: 3, ..Shape::default() };
    check_all(random_programs(2, shape).take(1500), |program| {
        let robust = oracle::holds(program, Criterion::Robust, &LIMITS)?;
        Ok(robust != has_happens_before_cycle(program, MemoryModel::Tso, &LIMITS)?
            && !has_happens_before_cycle(program, MemoryModel::Sc, &LIMITS)?)
    });
}

#[test]
fn verdicts_vary() {
    let mut counts: BTreeMap<[bool; 6], usize> = BTreeMap::new();
    for program in random_programs(3, Shape::default()).take(2000) {
        let Ok(v) = verdicts(&program, &LIMITS) else { continue };
        let key = [
            v.data_race_free,
            v.triangular_race_free,
            v.robust,
            v.persistent,
            v.same_states,
            v.same_final_states,
        ];
        *counts.entry(key).or_default() += 1;
    }
    eprintln!("{counts:#?}");
}
