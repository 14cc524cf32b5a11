//! Persistence by abstraction.

use analysis::abstraction::{DecidedBy, Report, persistence_by_abstraction};
use analysis::{Criterion, Depth};
use report::check::Finding;

use super::super::doubt::outcome;
use super::super::progress::Progress;
use crate::arguments::check::Check;
use crate::input::Loaded;
use crate::output::Output;

/// The greatest depth that is tried by itself.
const MOST: usize = 8;

/// The answer for a program with a definite number of threads.
pub(super) fn answer(
    options: &Check,
    depth: Option<usize>,
    loaded: &Loaded,
    output: &mut Output,
) -> Finding {
    let mut progress = Progress::new(output);
    let depth = depth.map_or(Depth::Raised { most: MOST }, Depth::Fixed);
    let how = options.search.options();
    let report = persistence_by_abstraction(&loaded.program, depth, &how, |now| progress.show(now));
    progress.clear();
    let report = report.expect("a definite number of threads");
    let remark = Some(remark(&report));
    let outcome = outcome(report.verdict);
    let statistics = report.statistics;
    Finding { criterion: Criterion::Persistence, outcome, implied_by: None, remark, statistics }
}

/// Whose answer it is.
fn remark(report: &Report) -> String {
    let shown = || report.pivots.iter().filter(|pivot| pivot.doubt.is_none());
    let threads: usize = shown().map(|pivot| pivot.stands_for).sum();
    let all: usize = report.pivots.iter().map(|pivot| pivot.stands_for).sum();
    match report.decided_by {
        DecidedBy::Abstraction { depth: None } => {
            "shown by abstraction: each thread by itself, whatever the others do".to_owned()
        }
        DecidedBy::Abstraction { depth: Some(depth) } => {
            format!("shown by abstraction, with other threads exact for at most {depth} accesses")
        }
        DecidedBy::Program => "decided by exploring the program itself".to_owned(),
        DecidedBy::Nobody => {
            format!("the abstraction excludes it for {threads} of {all} threads")
        }
    }
}
