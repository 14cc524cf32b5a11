//! How far enumeration goes, and what is said where it ends. Nothing is ever guessed.

use std::fmt;

/// How far to enumerate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The greatest number of states, each with the trace that led to it where traces are asked
    /// for, in one exploration under one memory model.
    pub max_states: usize,
    /// The greatest number of actions of one computation, where traces are asked for: a loop that
    /// can go on for ever has ever longer traces. Also the greatest number of stores in a buffer,
    /// which can grow for ever as well.
    pub max_length: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_states: 1_000_000, max_length: 200 }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exceeded {
    /// There are more states than [`Limits::max_states`], or there is no end of them in sight, since
    /// a buffer holds more than [`Limits::max_length`] stores.
    States,
    /// A computation is longer than [`Limits::max_length`].
    Length,
    /// A value of undeclared range left the 64-bit integers.
    Overflow,
    /// A template has any number of copies.
    AnyNumberOfCopies {
        /// The template's name.
        template: String,
    },
    /// Traces or races are asked for, and something is accessed across several cells: here an access has
    /// one cell.
    AccessAcross,
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::States => write!(f, "too many states to enumerate"),
            Self::Length => write!(f, "a computation is too long to enumerate"),
            Self::Overflow => write!(f, "a value overflows a 64-bit integer"),
            Self::AnyNumberOfCopies { template } => {
                write!(f, "thread `{template}` has any number of copies")
            }
            Self::AccessAcross => write!(f, "an access covers several cells"),
        }
    }
}
