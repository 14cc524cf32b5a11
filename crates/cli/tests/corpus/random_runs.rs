//! Random runs contradict nothing.

use analysis::{Ending, simulate};
use semantics::Model;

use crate::{Assertions, checked, for_each_instance};

/// Runs of each instance under SC, and how long they may be.
const SC_RUNS: u64 = 40;
const SC_STEPS: usize = 500;
/// Runs under TSO among which one must go wrong where the manifest says so. They go wrong early.
const TSO_RUNS: u64 = 3000;
const TSO_STEPS: usize = 600;

/// Programs that go wrong too rarely for random runs to show it.
const RARE: &[&str] = &["chase-lev.fw"];

#[test]
fn assertions_hold_in_random_runs_under_sc() {
    for_each_instance(|path, instance| {
        if instance.assertions_sc != Assertions::Hold {
            return;
        }
        let program = checked(path, instance);
        for seed in 0..SC_RUNS {
            let run = simulate(&program, Model::Sc, seed, SC_STEPS).expect("a definite program");
            let fine = !matches!(run.ending, Ending::Fault { .. } | Ending::Limit { .. });
            assert!(fine, "{} {:?}, seed {seed}: {:?}", path.display(), instance.set, run.ending);
        }
    });
}

#[test]
fn assertions_that_fail_under_tso_fail_in_some_random_run() {
    for_each_instance(|path, instance| {
        let rare = RARE.iter().any(|rare| path.ends_with(rare));
        if instance.assertions_tso != Assertions::Fail || rare {
            return;
        }
        let program = checked(path, instance);
        let fails = |seed: &u64| {
            let run = simulate(&program, Model::Tso, *seed, TSO_STEPS).expect("a definite program");
            matches!(run.ending, Ending::Fault { .. })
        };
        let found = (0..TSO_RUNS).find(fails);
        assert!(found.is_some(), "{} {:?}", path.display(), instance.set);
    });
}
