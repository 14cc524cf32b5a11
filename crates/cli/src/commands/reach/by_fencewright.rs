//! The search by Fencewright itself.

use analysis::{Criterion, Query, Verdict, check, reach};

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
            (Model::Tso, Verdict::Holds) => {
                let states = &[Criterion::States];
                let same = check(&loaded.program, states, &how, |now| progress.show(now))?;
                let because = same.first().and_then(|checked| checked.implied_by);
                let outcome = match because {
                    Some(_) => under(Model::Sc, report.verdict),
                    None => under(Model::Tso, report.verdict),
                };
                Ok(Found { outcome, because, statistics })
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
