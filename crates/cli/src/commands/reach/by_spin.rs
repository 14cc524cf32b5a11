//! The search by Spin.

use std::ops::ControlFlow;

use analysis::{Query, Statistics, Verdict, accept};
use program::Diagnostics;
use spin::Failure;

use super::{Found, under};
use crate::arguments::reach::Reach;
use crate::commands::by_spin;
use crate::commands::doubt::{plain, uncounted};
use crate::input::Loaded;

pub(super) fn search(
    options: &Reach,
    loaded: &Loaded,
    query: &Query,
) -> Result<Found, Diagnostics> {
    let program = &loaded.program;
    if let Err(parameterised) = program.threads() {
        return Ok(Found::new(uncounted(&parameterised), Statistics::default()));
    }
    let (faults, deadlocks) = (query.faults, query.deadlocks);
    let asked = spin::Query { faults, deadlocks, goal: query.goal.clone() };
    let answer = spin::reach(program, &asked, &options.search.options_of_spin())
        .map_err(by_spin::diagnostics)?;
    let outcome = match answer.verdict {
        spin::Verdict::Holds if query.question => plain(
            "Spin finds nothing else, but is not asked about final states".to_owned(),
            "`--faults --deadlocks` leaves them out; `--engine fencewright` answers",
        ),
        spin::Verdict::Holds => {
            // Where a translation ends Spin does not say.
            let how = options.search.options();
            let whole = analysis::whole(program, &how, |_| ControlFlow::Continue(()));
            let (whole, _) = whole.expect("a definite number of threads");
            under(options.model, Verdict::of_whole(whole))
        }
        spin::Verdict::Violated(violation) => {
            match accept(program, query, &violation.computation) {
                Ok(Some(execution)) => under(options.model, Verdict::Violated(execution)),
                Ok(None) => {
                    return Err(by_spin::diagnostics(Failure::EndsElsewhere(violation.what)));
                }
                Err(parameterised) => {
                    return Ok(Found::new(uncounted(&parameterised), Statistics::default()));
                }
            }
        }
        spin::Verdict::Undecided(reason) => by_spin::undecided(reason),
    };
    Ok(Found::new(outcome, by_spin::statistics(&answer.statistics)))
}
