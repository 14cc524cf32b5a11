//! The search by Spin.

use analysis::{Limit, Query, Reason, Reductions, Statistics, Verdict, accept, available_memory};
use program::{Diagnostic, Diagnostics, Span};
use report::reach::Outcome;
use spin::{Failure, Options};

use super::{uncounted, undecided, under};
use crate::arguments::reach::Reach;
use crate::input::Loaded;

pub(super) fn search(
    options: &Reach,
    loaded: &Loaded,
    query: &Query,
) -> Result<(Outcome, Statistics), Diagnostics> {
    let program = &loaded.program;
    if let Err(parameterised) = program.threads() {
        return Ok(uncounted(&parameterised));
    }
    let defaults = Options::default();
    let memory = options.max_memory.or_else(available_memory);
    let how = Options {
        reduce: options.reductions != Reductions::NONE,
        timeout: options.timeout,
        memory: memory.and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(defaults.memory),
        ..defaults
    };
    let (faults, deadlocks) = (query.faults, query.deadlocks);
    let asked = spin::Query { faults, deadlocks, goal: query.goal.clone() };
    let answer = spin::reach(program, &asked, &how).map_err(diagnostics)?;
    let outcome = match answer.verdict {
        spin::Verdict::Holds if query.question => plain(
            "Spin finds nothing else, but is not asked about final states".to_owned(),
            "`--faults --deadlocks` leaves them out; `--engine fencewright` answers",
        ),
        spin::Verdict::Holds => under(options.model, Verdict::Holds),
        spin::Verdict::Violated(violation) => {
            match accept(program, query, &violation.computation) {
                Ok(Some(execution)) => under(options.model, Verdict::Violated(execution)),
                Ok(None) => return Err(diagnostics(Failure::EndsElsewhere(violation.what))),
                Err(parameterised) => return Ok(uncounted(&parameterised)),
            }
        }
        spin::Verdict::Undecided(spin::Reason::Memory) => undecided(&Reason::Limit(Limit::Memory)),
        spin::Verdict::Undecided(spin::Reason::Time) => undecided(&Reason::Limit(Limit::Time)),
        spin::Verdict::Undecided(
            reason @ (spin::Reason::Beyond32Bits
            | spin::Reason::BusyWaits
            | spin::Reason::BlockingUpdates),
        ) => plain(reason.to_string(), "`--engine fencewright` can do that"),
    };
    Ok((outcome, statistics(&answer.statistics)))
}

fn plain(reason: String, advice: &str) -> Outcome {
    Outcome::Undecided { reason, at: Span::NONE, advice: Some(advice.to_owned()) }
}

fn statistics(of_spin: &spin::Statistics) -> Statistics {
    Statistics {
        states: of_spin.states,
        transitions: of_spin.transitions,
        depth: of_spin.depth,
        peak_bytes: usize::try_from(of_spin.bytes).unwrap_or(usize::MAX),
        bits: 0,
        elapsed: of_spin.elapsed,
    }
}

/// Why Spin could not be asked.
fn diagnostics(failure: Failure) -> Diagnostics {
    match failure {
        Failure::NoPromela(errors) => errors,
        failure @ (Failure::Missing { .. }
        | Failure::Failed { .. }
        | Failure::NotUnderstood { .. }
        | Failure::Rejected { .. }
        | Failure::EndsElsewhere(_)
        | Failure::Files(_)) => vec![Diagnostic::new(Span::NONE, failure.to_string())],
    }
}
