//! How far a search may go, and how far it has come.

use std::fmt;
use std::time::Duration;

/// How far a search may go; nothing means no limit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Bytes for states: the set, growth included, is never let beyond it by more than what the
    /// threads grow at the same moment; the states under way are counted after each chunk, so that
    /// the successors of one chunk can exceed it.
    pub memory: Option<usize>,
    /// Time since the beginning of the search.
    pub time: Option<Duration>,
    /// Different states.
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
    /// Different states found.
    pub states: u64,
    /// Steps from an initial state to those that are expanded now.
    pub depth: u64,
    /// States found that are still to be expanded.
    pub frontier: u64,
    /// Bytes reserved for states.
    pub bytes: usize,
    /// Time since the beginning.
    pub elapsed: Duration,
}
