//! `reach` agrees with the manifests on assertions under SC, finds no deadlock in locks and mutual
//! exclusion, and says the same however many threads search.

use std::ops::ControlFlow;
use std::path::Path;

use analysis::{Ending, Limits, Options, Query, Reason, Report, Verdict, reach};
use program::Program;

use crate::{Assertions, checked, for_each_instance};

/// What one instance may take.
const LIMITS: Limits =
    Limits { memory: Some(2 << 30), process: None, deadline: None, states: Some(1_000_000) };

/// In these folders somebody always gets further. In others whoever serves may run out of work.
const GO_ON: &[&str] = &["locks", "mutex"];

/// Except in programs in which a thread may wait for ever, and which say so: for a time that is no definite one
/// here, for a ticket that there is not.
const MAY_WAIT: &[&str] =
    &["bakery.fw", "bakery-fenced.fw", "lamport-fast-1.fw", "lamport-fast-1-fenced.fw"];

/// Every so many instances are searched once more by several threads.
const AGAIN: usize = 12;

fn ask(program: &Program, query: &Query, threads: usize) -> Report {
    let options = Options { threads, limits: LIMITS, ..Options::default() };
    reach(program, query, &options, |_| ControlFlow::Continue(())).expect("a definite program")
}

/// Whether an error can be reached; nothing where the program is too large for a test.
fn fails(path: &Path, program: &Program, again: bool) -> Option<bool> {
    let errors = Query { faults: true, ..Query::default() };
    let all = Query { deadlocks: true, question: false, ..errors.clone() };
    let report = ask(program, &all, 1);
    if again {
        for threads in [2, 4] {
            let again = ask(program, &all, threads);
            assert_eq!(again.verdict, report.verdict, "{}", path.display());
            let states = |report: &Report| (report.statistics.states, report.statistics.depth);
            assert_eq!(states(&again), states(&report), "{}", path.display());
        }
    }
    let verdict = match report.verdict {
        Verdict::Violated(run) if matches!(run.ending, Ending::Deadlock(_)) => {
            let folder = path.parent().expect("a program of a folder");
            let may_wait = MAY_WAIT.iter().any(|name| path.ends_with(name))
                || !GO_ON.iter().any(|name| folder.ends_with(name));
            assert!(may_wait, "{} has a deadlock: {:?}", path.display(), run.ending);
            ask(program, &errors, 1).verdict
        }
        verdict @ (Verdict::Holds(_) | Verdict::Violated(_) | Verdict::Undecided(_)) => verdict,
    };
    match verdict {
        Verdict::Holds(_) => Some(false),
        Verdict::Violated(_) => Some(true),
        Verdict::Undecided(Reason::Limit(_)) => None,
        Verdict::Undecided(reason) => panic!("{}: {reason}", path.display()),
    }
}

#[test]
fn reach_agrees_on_assertions_and_finds_no_deadlock() {
    let (mut decided, mut known) = (0, 0);
    for_each_instance(|path, instance| {
        let said = match instance.assertions_sc {
            Assertions::Hold => false,
            Assertions::Fail => true,
            Assertions::Unknown => return,
        };
        let found = fails(path, &checked(path, instance), known % AGAIN == 0);
        let name = path.display();
        assert!(found.is_none_or(|found| found == said), "{name} {:?}: {found:?}", instance.set);
        known += 1;
        decided += usize::from(found.is_some());
    });
    assert!(decided * 10 >= known * 9, "only {decided} of {known} are decided");
}
