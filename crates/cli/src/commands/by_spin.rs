//! What Spin answers, in our words.

use analysis::{Limit, Reason, Statistics};
use program::{Diagnostic, Diagnostics, Span};
use report::outcome::Outcome;
use spin::Failure;

use super::doubt::{self, plain};

pub(super) fn undecided<E>(reason: spin::Reason) -> Outcome<E> {
    match reason {
        spin::Reason::Memory => doubt::undecided(&Reason::Limit(Limit::Memory)),
        spin::Reason::Time => doubt::undecided(&Reason::Limit(Limit::Time)),
        reason @ (spin::Reason::Beyond32Bits
        | spin::Reason::BusyWaits
        | spin::Reason::BlockingUpdates) => {
            plain(reason.to_string(), "`--engine fencewright` can do that")
        }
    }
}

pub(super) fn statistics(of_spin: &spin::Statistics) -> Statistics {
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
pub(super) fn diagnostics(failure: Failure) -> Diagnostics {
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
