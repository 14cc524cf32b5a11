//! The search by Fencewright itself.

use analysis::{Options, Query, Statistics, available_memory, reach};
use report::reach::Outcome;

use super::progress::Progress;
use super::{uncounted, under};
use crate::arguments::reach::Reach;
use crate::input::Loaded;
use crate::output::Output;

pub(super) fn search(
    options: &Reach,
    loaded: &Loaded,
    query: &Query,
    output: &mut Output,
) -> (Outcome, Statistics) {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let how = Options {
        reductions: options.reductions,
        threads: options.threads.map_or_else(processors, usize::from),
        limits: analysis::Limits {
            memory: options.max_memory.or_else(available_memory),
            time: options.timeout,
            states: options.max_states,
        },
        ..Options::default()
    };
    let mut progress = Progress::new(output);
    let found = reach(&loaded.program, query, &how, |now| progress.show(now));
    progress.clear();
    match found {
        Ok(report) => (under(options.model, report.verdict), report.statistics),
        Err(parameterised) => uncounted(&parameterised),
    }
}
