//! The goal of an instrumented program is reachable, by our engine, exactly if the manifest says no;
//! and spin finds its assertion violated exactly then.

use std::ops::ControlFlow;

use analysis::{Limits, Options, Progress, Query, Verdict, reach};
use instrument::{Goal, Instrumented, persistence, robustness_single};
use program::{Observable, StateProposition};

use crate::by_spin::finds_a_fault;
use crate::{Answer, for_each_instance, load_with};

/// Small enough for all instances to be tried in seconds.
const MAX_STATES: u64 = 20_000;
/// So many of the smallest programs are given to spin.
const FOR_SPIN: usize = 12;

/// Whether the goal is reachable under SC, and in how many states that was seen; nothing if there
/// are too many.
fn reaches(instrumented: &Instrumented) -> Option<(bool, u64)> {
    let suc = Observable::Cell(instrumented.goal.address);
    let goal = Some(StateProposition::Equals(suc, Goal::VALUE));
    let query = Query { goal, ..Query::default() };
    let limits = Limits { states: Some(MAX_STATES), ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let watch = |_: &Progress| ControlFlow::Continue(());
    let report = reach(&instrumented.program, &query, &options, watch).expect("definite threads");
    match report.verdict {
        Verdict::Holds(_) => Some((false, report.statistics.states)),
        Verdict::Violated(_) => Some((true, report.statistics.states)),
        Verdict::Undecided(_) => None,
    }
}

#[test]
fn goals_are_reachable_where_the_manifests_say_no() {
    let mut different = Vec::new();
    let mut decided = Vec::new();
    let mut counts = [0, 0];
    for_each_instance(|path, instance| {
        let program = load_with(path, &instance.set).expect("a program of the corpus");
        let asked = [
            ("robustness", instance.robustness, robustness_single(&program)),
            ("persistence", instance.persistence, persistence(&program)),
        ];
        for ((criterion, said, instrumented), count) in asked.into_iter().zip(&mut counts) {
            let instrumented = instrumented.expect("there is room");
            let Some((reached, states)) = reaches(&instrumented) else { continue };
            *count += 1;
            let name = format!("{} {:?}, {criterion}", path.display(), instance.set);
            if said != if reached { Answer::No } else { Answer::Yes } {
                different.push(format!("{name}: {said:?}, but reachable is {reached}"));
            }
            decided.push((reached, states, name, instrumented));
        }
    });
    assert!(different.is_empty(), "{different:#?}");
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");

    let mut asked = [0, 0];
    decided.sort_by_key(|(_, states, ..)| *states);
    for (reached, _, name, instrumented) in decided {
        let count = &mut asked[usize::from(reached)];
        if *count == FOR_SPIN / 2 {
            continue;
        }
        let Ok(promela) = frontend::promela::print(&instrumented.with_assertion()) else {
            continue;
        };
        let Some(found) = finds_a_fault("instrumented", &name, &promela) else { continue };
        assert_eq!(found, reached, "{name}: spin disagrees");
        *count += 1;
    }
    assert!(asked.iter().all(|count| *count > FOR_SPIN / 4), "{asked:?}");
}
