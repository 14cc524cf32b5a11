//! Where the oracle can enumerate, it agrees.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use frontend::{Language, Settings, load};

use oracle::{
    Candidate, Criterion, Limits, MemoryModel, has_data_race, has_fragility_pattern,
    has_triangular_race, holds, label_candidates, minimum_fences, reachable_faults,
};
use program::{Program, Sources, Template};

use crate::{Answer, Assertions, Instance, checked, for_each_instance, load_with};

/// Small enough for all instances to be tried in seconds.
const LIMITS: Limits = Limits { max_states: 20_000, max_length: 120 };
/// More sets of positions than this are not tried one by one.
const MOST_CANDIDATES: usize = 12;

#[test]
fn the_oracle_agrees_on_races_robustness_and_persistence() {
    let mut decided = [0; 6];
    let mut different = Vec::new();
    for_each_instance(|path, instance| {
        let program = loaded(path, instance);
        let name = |criterion: &str| format!("{} {:?}, {criterion}", path.display(), instance.set);
        let results = [
            ("drf", instance.drf, has_data_race(&program, &LIMITS).map(|race| !race)),
            // By definition, where all computations can be enumerated, which loops rule out.
            ("trf", instance.trf, holds(&program, Criterion::TriangularRaceFree, &LIMITS)),
            ("robustness", instance.robustness, holds(&program, Criterion::Robust, &LIMITS)),
            ("persistence", instance.persistence, holds(&program, Criterion::Persistent, &LIMITS)),
            // By pattern, for which the states under SC are enough.
            ("trf", instance.trf, has_triangular_race(&program, &LIMITS).map(|race| !race)),
            (
                "persistence",
                instance.persistence,
                has_fragility_pattern(&program, &LIMITS).map(|fragile| !fragile),
            ),
        ];
        for ((criterion, said, found), decided) in results.into_iter().zip(&mut decided) {
            // Where the oracle cannot enumerate, it has nothing to say.
            let Ok(found) = found else { continue };
            *decided += 1;
            if said != if found { Answer::Yes } else { Answer::No } {
                different
                    .push(format!("{}: {said:?}, but the oracle says {found}", name(criterion)));
            }
        }
    });
    assert!(different.is_empty(), "{different:#?}");
    assert!(decided.iter().all(|decided| *decided > 50), "{decided:?}");
}

#[test]
fn the_oracle_agrees_on_assertions() {
    let mut decided = 0;
    for_each_instance(|path, instance| {
        let program = checked(path, instance);
        for (model, said) in
            [(MemoryModel::Sc, instance.assertions_sc), (MemoryModel::Tso, instance.assertions_tso)]
        {
            let Ok(faults) = reachable_faults(&program, model, &LIMITS) else { continue };
            decided += 1;
            let found = if faults.is_empty() { Assertions::Hold } else { Assertions::Fail };
            assert_eq!(said, found, "{} {:?}, {model:?}", path.display(), instance.set);
        }
    });
    assert!(decided > 100, "{decided}");
}

#[test]
fn the_oracle_agrees_on_the_least_number_of_fences() {
    let mut decided = 0;
    for_each_instance(|path, instance| {
        let Some(fences) = &instance.fences else { return };
        let program = loaded(path, instance);
        for (criterion, said) in [
            (Criterion::Robust, fences.robustness),
            (Criterion::Persistent, fences.persistence),
            (Criterion::TriangularRaceFree, fences.trf),
        ] {
            let Some(said) = said else { continue };
            let Some(found) = fewest(&program, criterion) else { continue };
            decided += 1;
            let name = path.display();
            assert_eq!(Ok(said), u32::try_from(found), "{name} {:?}, {criterion:?}", instance.set);
        }
    });
    assert!(decided > 50, "{decided}");
}

/// ESOP'15, Section 3: of all places for one fence in the program of Fig. 2, the one after `z = 1`
/// makes it persistent, and no other does.
#[test]
fn the_running_example_of_esop15_needs_its_one_fence() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/papers/esop15-fig2-simple.fw");
    let text = crate::read(&path);
    let fragile = |text: &str| {
        let mut sources = Sources::new();
        let source = sources.add("fig2.fw", text);
        let program =
            load(&sources, source, Language::Fw, &Settings::default()).expect("a program");
        has_fragility_pattern(&program, &LIMITS).expect("few states under SC")
    };
    assert!(fragile(&text));
    let program = load_with(&path, &BTreeMap::new()).expect("a program");
    let edges = program.templates().iter().flat_map(Template::edges);
    let points: BTreeSet<u32> =
        edges.filter_map(|edge| edge.after.ok()).map(|point| point.offset).collect();
    let enough: Vec<&str> = points
        .into_iter()
        .map(|offset| text.split_at(offset as usize))
        .filter(|(before, after)| !fragile(&format!("{before}; fence; {after}")))
        .map(|(before, _)| before.lines().last().unwrap_or_default().trim())
        .collect();
    assert_eq!(enough.len(), 1, "{enough:?}");
    assert!(enough[0].ends_with("z = 1"), "{enough:?}");
}

fn fewest(program: &Program, criterion: Criterion) -> Option<usize> {
    let candidates: Vec<Candidate> = label_candidates(program).ok()?;
    if candidates.len() > MOST_CANDIDATES {
        return None;
    }
    minimum_fences(program, criterion, &candidates, |_| 1, &LIMITS).ok()?.map(|fences| fences.len())
}

fn loaded(path: &Path, instance: &Instance) -> Program {
    load_with(path, &instance.set).unwrap_or_else(|errors| panic!("{errors:#?}"))
}
