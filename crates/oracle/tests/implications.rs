//! What must hold of every program, checked on random and on all tiny ones.

use std::collections::BTreeSet;

use oracle::generate::random::{Shape, random_programs};
use oracle::generate::shrink::{hold_for_all, smallest};
use oracle::generate::tiny::{Alphabet, tiny_programs};
use oracle::{
    Candidate, Criterion, Exceeded, Limits, MemoryModel, breaks_within, edge_candidates,
    has_fragility_pattern, has_happens_before_cycle, has_triangular_race, label_candidates,
    minimum_fences, plain_configurations, verdicts,
};
use program::Program;

const LIMITS: Limits = Limits { max_states: 30_000, max_length: 200 };

/// Programs for which many sets of fences can be tried.
const SMALL: Shape = Shape { max_threads: 3, max_accesses: 6, max_scalars: 2, ..Shape::LOOP_FREE };

/// Fails with the smallest program that breaks a law, if one of `programs` does. Returns how many
/// were small enough to be checked.
fn check_all(
    programs: impl Iterator<Item = Program>,
    mut law: impl FnMut(&Program) -> Result<bool, Exceeded>,
) -> usize {
    hold_for_all(programs, |program| law(program).ok(), described)
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
/// equal final states; and the patterns of races and fragility occur where they should.
fn criteria_imply_weaker_ones(program: &Program) -> Result<bool, Exceeded> {
    let verdicts = verdicts(program, &LIMITS)?;
    let triangular_race = has_triangular_race(program, &LIMITS)?;
    let fragile = has_fragility_pattern(program, &LIMITS)?;
    let implications = [
        (verdicts.data_race_free, verdicts.triangular_race_free),
        (verdicts.triangular_race_free, verdicts.robust),
        (verdicts.triangular_race_free, verdicts.persistent),
        (verdicts.robust, verdicts.same_states),
        (verdicts.persistent, verdicts.same_states),
        (verdicts.same_states, verdicts.same_ends),
        (verdicts.sc_fault, verdicts.tso_fault),
    ];
    Ok(implications.iter().all(|(premise, conclusion)| !premise || *conclusion)
        && verdicts.triangular_race_free != triangular_race
        && verdicts.persistent != fragile)
}

#[test]
fn implications_hold_of_random_programs() {
    let programs = random_programs(1, Shape::default()).take(2000);
    let checked = check_all(programs, criteria_imply_weaker_ones);
    assert!(checked > 1800, "{checked}");
}

#[test]
fn implications_hold_of_programs_with_counted_loops() {
    let programs = random_programs(8, Shape::COUNTED).take(600);
    let checked = check_all(programs, |program| {
        let verdicts = verdicts(program, &LIMITS)?;
        let breaks = |criterion| breaks_within(program, criterion, &LIMITS);
        Ok(criteria_imply_weaker_ones(program)?
            && breaks(Criterion::Robust)? != verdicts.robust
            && breaks(Criterion::TriangularRaceFree)? != verdicts.triangular_race_free)
    });
    assert!(checked > 560, "{checked}");
}

/// What a few actions of a program with loops show is no more than what its states do.
#[test]
fn short_computations_break_nothing_that_holds() {
    let short = Limits { max_states: 30_000, max_length: 14 };
    let mut broken = 0;
    let checked = check_all(random_programs(9, Shape::LOOPING).take(400), |program| {
        let triangular_race = has_triangular_race(program, &LIMITS)?;
        let broken_criteria = [Criterion::TriangularRaceFree, Criterion::Robust]
            .map(|criterion| breaks_within(program, criterion, &short));
        let [triangular, robust] = broken_criteria;
        let (triangular, robust) = (triangular?, robust?);
        broken += usize::from(robust);
        Ok((!robust || triangular) && (!triangular || triangular_race))
    });
    assert!(checked > 380 && broken > 20, "{checked} {broken}");
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
fn sc_states_are_tso_states() {
    check_all(random_programs(4, Shape::default()).take(500), |program| {
        let reached = |model| plain_configurations(program, model, &LIMITS);
        Ok(reached(MemoryModel::Sc)?.is_subset(&reached(MemoryModel::Tso)?))
    });
}

#[test]
fn fences_everywhere_enforce_everything() {
    check_all(random_programs(5, SMALL).take(600), |program| {
        let all = |candidates: Vec<Candidate>| vec![candidates.concat()];
        for criterion in Criterion::ALL {
            for candidates in [label_candidates(program)?, edge_candidates(program)?] {
                if minimum_fences(program, criterion, &all(candidates), |_| 1, &LIMITS)?.is_none() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    });
}

#[test]
fn weaker_criteria_need_no_more_fences() {
    check_all(random_programs(6, SMALL).take(300), |program| {
        for candidates in [label_candidates(program)?, edge_candidates(program)?] {
            let mut fences = Vec::new();
            for criterion in Criterion::ALL {
                let set = minimum_fences(program, criterion, &candidates, |_| 1, &LIMITS)?;
                fences.push(set.expect("fences everywhere help").len());
            }
            let [triangular, robust, persistent, states, final_states] = fences[..] else {
                unreachable!("there are five criteria")
            };
            if triangular < robust.max(persistent)
                || robust.min(persistent) < states
                || states < final_states
            {
                return Ok(false);
            }
        }
        Ok(true)
    });
}

#[test]
fn random_programs_get_all_kinds_of_verdicts() {
    let mut seen = BTreeSet::new();
    for program in random_programs(3, Shape::default()).take(1500) {
        let Ok(verdicts) = verdicts(&program, &LIMITS) else { continue };
        let criteria = Criterion::ALL.map(|criterion| verdicts.holds(criterion));
        seen.insert((verdicts.data_race_free, criteria));
    }
    // In the order of `Criterion::ALL`; robustness and persistence are independent.
    let expected = BTreeSet::from([
        (false, [false, false, false, false, false]),
        (false, [false, false, false, false, true]),
        (false, [false, false, false, true, true]),
        (false, [false, false, true, true, true]),
        (false, [false, true, false, true, true]),
        (false, [false, true, true, true, true]),
        (false, [true, true, true, true, true]),
        (true, [true, true, true, true, true]),
    ]);
    assert_eq!(seen, expected);
}

#[test]
fn shrinking_finds_the_smallest_program_that_is_not_robust() {
    let is_fragile =
        |program: &Program| oracle::holds(program, Criterion::Robust, &LIMITS) == Ok(false);
    let fragile = random_programs(7, Shape::default()).filter(is_fragile);
    for program in fragile.take(20) {
        let small = smallest(&program, &mut |program| is_fragile(program));
        let edges: usize = small.templates().iter().map(|template| template.edges().len()).sum();
        let threads = small.threads().unwrap().len();
        assert!(edges <= 2 * threads, "{}", described(&small));
    }
}

#[test]
fn the_smallest_tiny_programs_that_are_not_robust() {
    let fragile: Vec<String> = tiny_programs(Alphabet::SIMPLE, 4)
        .filter(|program| oracle::holds(program, Criterion::Robust, &LIMITS) == Ok(false))
        .map(|program| program.name().to_owned())
        .collect();
    // One thread delays its store; how the other writes and what it does then hardly matters.
    let expected: Vec<String> = ["Load(0)", "Store(0, 1)", "CompareAndSwap(0, 0, 1)"]
        .iter()
        .flat_map(|second| {
            ["Store(1, 1)", "CompareAndSwap(1, 0, 1)"]
                .map(|first| format!("[Store(0, 1), Load(1)] | [{first}, {second}]"))
        })
        .collect();
    assert_eq!(fragile, expected);
}
