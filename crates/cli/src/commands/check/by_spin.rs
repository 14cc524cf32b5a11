//! Robustness and persistence decided by Spin: the instrumented program of `instrument` reaches its
//! goal under SC exactly if the criterion is violated.
//!
//! Spin's run is one of the instrumented program. What is shown is found by Fencewright in the given
//! program; where that is too much for its limits, the answer is undecided, and says what Spin found.

use analysis::{Criterion, Verdict};
use instrument::{Goal, Impossible, Instrumented};
use program::{Diagnostic, Diagnostics, Observable, StateProposition};
use report::check::Finding;
use report::outcome::Outcome;

use super::{disagreement, finding, search};
use crate::arguments::check::Check;
use crate::commands::by_spin;
use crate::commands::doubt::{outcome, plain};
use crate::commands::progress::Progress;
use crate::input::Loaded;
use crate::output::Output;

/// Why Spin cannot be asked that.
pub(super) fn contradiction(options: &Check, criteria: &[Criterion]) -> Option<String> {
    if let Some(problem) = options.search.problem_of_spin() {
        return Some(problem.to_owned());
    }
    let other = criteria.iter().find(|criterion| match criterion {
        Criterion::Robustness | Criterion::Persistence => false,
        Criterion::Drf | Criterion::Trf | Criterion::States => true,
    })?;
    Some(format!("spin is asked about robustness and persistence only, not about {other}"))
}

pub(super) fn answers(
    options: &Check,
    criteria: &[Criterion],
    loaded: &Loaded,
    output: &mut Output,
) -> Result<Vec<Finding>, Diagnostics> {
    criteria.iter().map(|criterion| answer(options, *criterion, loaded, output)).collect()
}

fn answer(
    options: &Check,
    criterion: Criterion,
    loaded: &Loaded,
    output: &mut Output,
) -> Result<Finding, Diagnostics> {
    let program = &loaded.program;
    let instrumented = match criterion {
        Criterion::Persistence => instrument::persistence(program),
        Criterion::Robustness | Criterion::Drf | Criterion::Trf | Criterion::States => {
            instrument::robustness_single(program)
        }
    };
    let Instrumented { program, goal } = instrumented.map_err(|impossible| refused(&impossible))?;
    // Faults of the given program are faults of the instrumented one too, and not asked about.
    let goal = StateProposition::Equals(Observable::Cell(goal.address), Goal::VALUE);
    let asked = spin::Query { faults: false, deadlocks: false, goal: Some(goal) };
    let how = options.search.options_of_spin();
    let answer = spin::reach(&program, &asked, &how).map_err(by_spin::diagnostics)?;
    let statistics = by_spin::statistics(&answer.statistics);
    let (outcome, remark) = match answer.verdict {
        spin::Verdict::Holds => {
            // Where a translation ends Spin does not say.
            let mut progress = Progress::new(output);
            let how = options.search.options();
            let whole = analysis::whole(&loaded.program, &how, |now| progress.show(now));
            progress.clear();
            let (whole, _) = whole.expect("a definite number of threads");
            let verdict = Verdict::of_whole(whole);
            (outcome(verdict), "Spin finds no violation in the instrumented program")
        }
        spin::Verdict::Undecided(reason) => (by_spin::undecided(reason), ""),
        spin::Verdict::Violated(_) => {
            let own = search(options, &[criterion], loaded, output).into_iter();
            let own = own.map(|one| finding(&loaded.program, one)).next();
            let outcome = match own.map(|finding| finding.outcome) {
                Some(Outcome::Violated(evidence)) => Outcome::Violated(evidence),
                Some(Outcome::Holds(_)) | None => return Err(disagreement("Spin")),
                Some(Outcome::Undecided { reason, .. }) => plain(
                    format!(
                        "Spin finds a violation in the instrumented program, but the run of the \
                         program itself was not found: {reason}"
                    ),
                    "give Fencewright more memory or time to find the run",
                ),
            };
            (
                outcome,
                "Spin finds a violation in the instrumented program; the run is Fencewright's",
            )
        }
    };
    let remark = (!remark.is_empty()).then(|| remark.to_owned());
    Ok(Finding { criterion, outcome, implied_by: None, remark, statistics })
}

fn refused(impossible: &Impossible) -> Diagnostics {
    vec![Diagnostic::new(impossible.span(), impossible.to_string())]
}
