//! The search by Fencewright itself.

use analysis::{Criterion, Query, Verdict, check, reach, reach_under_tso};

use super::{Found, under};
use crate::arguments::Model;
use crate::arguments::reach::Reach;
use crate::commands::doubt::uncounted;
use crate::commands::progress::Progress;
use crate::input::Loaded;
use crate::output::Output;

pub(super) fn search(
    options: &Reach,
    loaded: &Loaded,
    query: &Query,
    output: &mut Output,
) -> Found {
    let how = options.search.options();
    let mut progress = Progress::new(output);
    let found = reach(&loaded.program, query, &how, |now| progress.show(now)).and_then(|report| {
        let statistics = report.statistics;
        match (options.model, &report.verdict) {
            // A program with the same states under TSO needs no search under TSO.
            (Model::Tso, Verdict::Holds(_)) => {
                for because in [Criterion::Persistence, Criterion::Robustness] {
                    let watch = |now: &analysis::Progress| progress.show(now);
                    let checked = check(&loaded.program, &[because], &how, watch)?;
                    if checked.iter().all(|one| one.verdict.holds()) {
                        let outcome = under(Model::Sc, report.verdict);
                        return Ok(Found { outcome, because: Some(because), statistics });
                    }
                }
                let watch = |now: &analysis::Progress| progress.show(now);
                let report = reach_under_tso(&loaded.program, query, &how, watch)?;
                Ok(Found::new(under(Model::Sc, report.verdict), report.statistics))
            }
            (Model::Tso, Verdict::Violated(_) | Verdict::Undecided(_)) | (Model::Sc, _) => {
                Ok(Found::new(under(options.model, report.verdict), statistics))
            }
        }
    });
    progress.clear();
    found.unwrap_or_else(|parameterised| {
        Found::new(uncounted(&parameterised), analysis::Statistics::default())
    })
}
