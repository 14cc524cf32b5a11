//! How far enumeration goes, and why there may be no answer. Nothing is ever guessed.

use std::fmt;
use std::ops::ControlFlow;

use program::{Parameterised, Span};

use crate::relation::EventSet;

/// How far to enumerate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The greatest number of candidate executions, complete or not.
    pub max_executions: u64,
    /// How often a thread may come to the head of a loop; if nothing is said, [`MOST_ROUNDS`] times, as
    /// long as that is little work. Rounds that change nothing do not count.
    pub unroll: Option<usize>,
}

/// How often loops are followed if nothing is said.
pub const MOST_ROUNDS: usize = 16;

/// The candidate executions after which loops are not followed further if nothing is said.
pub(crate) const LITTLE_WORK: u64 = 20_000;

impl Default for Limits {
    fn default() -> Self {
        Self { max_executions: 50_000_000, unroll: None }
    }
}

/// How far to enumerate, and whoever may end it.
pub(crate) struct Budget<'w> {
    pub(crate) limits: Limits,
    pub(crate) go_on: &'w mut dyn FnMut() -> ControlFlow<()>,
}

impl Budget<'_> {
    /// Asks whether to take another step.
    pub(crate) fn step(&mut self) -> Result<(), NoAnswer> {
        match (self.go_on)() {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(NoAnswer::Stopped),
        }
    }
}

/// What a thread was not followed beyond.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bound {
    /// It goes round in a loop more often than [`Limits::unroll`] says.
    Rounds {
        /// The thread.
        thread: String,
        /// A label in the loop.
        label: String,
        /// Where the label is.
        span: Span,
    },
    /// An execution has more events than a set can hold.
    Events,
    /// A bound of the front end is exceeded.
    FrontEnd {
        /// Which.
        what: String,
        /// Where.
        span: Span,
    },
    /// A value of undeclared range leaves the 64-bit integers.
    Overflow {
        /// Where.
        span: Span,
    },
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rounds { thread, label, .. } => {
                write!(
                    f,
                    "thread `{thread}` can go round in a loop through `{label}` more often than it was followed"
                )
            }
            Self::Events => {
                write!(f, "there are executions of more than {} events", EventSet::MAX_EVENTS)
            }
            Self::FrontEnd { what, .. } => write!(f, "there can be {what}"),
            Self::Overflow { .. } => write!(f, "a value overflows a 64-bit integer"),
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// A template has any number of copies.
    Parameterised(Parameterised),
    /// A thread has a locked section, which the axioms do not speak of.
    LockedSection {
        /// The thread's template.
        template: String,
        /// Where the lock is taken or given back.
        span: Span,
    },
    /// Something is accessed across several cells, of which the model says nothing that is settled.
    AccessAcross {
        /// The model.
        model: String,
        /// Where.
        span: Span,
    },
    /// A thread chooses among too many values.
    TooManyRuns {
        /// The thread.
        thread: String,
    },
    /// There are more candidate executions than [`Limits::max_executions`].
    TooManyExecutions,
    /// Whoever asked has ended it.
    Stopped,
    /// The model cannot be evaluated on some execution.
    Model {
        /// Why.
        why: String,
    },
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parameterised(inner) => inner.fmt(f),
            Self::LockedSection { template, .. } => {
                write!(f, "thread `{template}` has a locked section, which no axiom speaks of")
            }
            Self::AccessAcross { model, .. } => write!(
                f,
                "the same bytes are accessed with different widths, and what that means under `{model}` \
                 is not settled"
            ),
            Self::TooManyRuns { thread } => {
                write!(f, "thread `{thread}` has too many runs to enumerate")
            }
            Self::TooManyExecutions => write!(f, "there are too many executions to enumerate"),
            Self::Stopped => write!(f, "the enumeration was ended"),
            Self::Model { why } => write!(f, "the model has no answer: {why}"),
        }
    }
}

impl std::error::Error for NoAnswer {}
