//! How far a search may go, and how far it has come.

use std::fmt;
use std::time::Duration;

/// How far a search may go; nothing means no limit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Bytes for states: the set, the frontiers and what is under way between them, each counted
    /// before it is reserved. Beyond it come only stacks of threads and allocators' own needs, and
    /// for a moment the first mebibyte of the set, when it moves to memory that grows in place.
    ///
    /// Without this limit the operating system decides, and it may end the process:
    /// [`available_memory`](crate::available_memory) is a good limit.
    pub memory: Option<usize>,
    /// Time since the beginning of the search, that for the path included.
    pub time: Option<Duration>,
    /// Different states. A system that has no more is exhausted, not stopped.
    pub states: Option<u64>,
}

/// Why a search went no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// [`Limits::memory`], or the system has no more.
    Memory,
    /// [`Limits::time`].
    Time,
    /// [`Limits::states`].
    States,
    /// Whoever watched the progress asked for it.
    Cancelled,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Memory => "the memory limit was reached",
            Self::Time => "the time limit was reached",
            Self::States => "the limit on the number of states was reached",
            Self::Cancelled => "the search was cancelled",
        })
    }
}

/// How far a search has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Whether a goal is known to exist, and the path to it is being looked for: the other figures
    /// begin anew then.
    pub tracing: bool,
    /// Different states found.
    pub states: u64,
    /// Steps from an initial state to those that are expanded now.
    pub depth: u64,
    /// States found for the next level and those of this one that nobody has begun with, roughly.
    pub frontier: u64,
    /// Bytes reserved for states.
    pub bytes: usize,
    /// Time since the beginning.
    pub elapsed: Duration,
}
