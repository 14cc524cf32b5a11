//! `reach` agrees with the manifests: on assertions under SC, and that nothing deadlocks that is
//! meant to go on.

use std::ops::ControlFlow;
use std::path::Path;

use analysis::{Limits, Options, Query, Reason, Report, Verdict, reach};
use program::Program;

use crate::{Assertions, Instance, checked, for_each_instance};

/// What one instance may take.
const LIMITS: Limits = Limits { memory: Some(2 << 30), time: None, states: Some(3_000_000) };

fn ask(program: &Program, query: &Query, threads: usize) -> Report {
    let options = Options { threads, limits: LIMITS, ..Options::default() };
    reach(program, query, &options, |_| ControlFlow::Continue(())).expect("a definite program")
}

/// What `reach` says; nothing where the instance is too large for a test.
fn reachable(path: &Path, instance: &Instance, query: &Query) -> Option<bool> {
    let program = checked(path, instance);
    match ask(&program, query, 1).verdict {
        Verdict::Holds => Some(false),
        Verdict::Violated(_) => Some(true),
        Verdict::Undecided(Reason::Limit(_)) => None,
        Verdict::Undecided(reason) => {
            panic!("{} {:?}: {reason}", path.display(), instance.set)
        }
    }
}

#[test]
fn reach_agrees_on_assertions() {
    let (mut decided, mut known) = (0, 0);
    let query = Query { faults: true, ..Query::default() };
    for_each_instance(|path, instance| {
        let said = match instance.assertions_sc {
            Assertions::Hold => false,
            Assertions::Fail => true,
            Assertions::Unknown => return,
        };
        known += 1;
        let start = std::time::Instant::now();
        let found = reachable(path, instance, &query);
        eprintln!(
            "{} {:?} {found:?} {:.2}",
            path.display(),
            instance.set,
            start.elapsed().as_secs_f64()
        );
        decided += usize::from(found.is_some());
        assert!(
            found.is_none_or(|found| found == said),
            "{} {:?}: {found:?}",
            path.display(),
            instance.set
        );
    });
    assert!(decided * 10 >= known * 9, "only {decided} of {known} are decided");
}

#[test]
fn nothing_that_is_meant_to_go_on_deadlocks() {
    let query = Query { deadlocks: true, ..Query::default() };
    for_each_instance(|path, instance| {
        let found = reachable(path, instance, &query);
        if found != Some(false) {
            eprintln!("DEAD {} {:?}: {found:?}", path.display(), instance.set);
        }
    });
}
