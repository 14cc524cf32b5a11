//! How far a search may go, and how far it has come.
//!
//! Time ends at a moment and memory is that of the process: so searches that follow each other, and
//! whatever is done before, between and after them, share one budget. Whoever works for long looks at
//! it now and then ([`Lookout`]).

use std::fmt;
use std::time::Duration;

use web_time::Instant;

use crate::available::memory_in_use;

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
    /// Bytes that the whole process may have in use, whoever uses them
    /// ([`memory_in_use`]).
    pub process: Option<usize>,
    /// When to stop, wherever the search is then.
    pub deadline: Option<Instant>,
    /// Different states. A system that has no more is exhausted, not stopped.
    pub states: Option<u64>,
}

impl Limits {
    /// Bytes that one search may reserve now.
    pub(crate) fn bytes(&self) -> Option<usize> {
        let left = |most: usize| Some(most.saturating_sub(memory_in_use()?));
        self.memory.into_iter().chain(self.process.and_then(left)).min()
    }
}

/// Shortest and longest time between two looks at the memory of the process.
const BETWEEN_LOOKS: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(50));
/// Nobody fills more bytes than this in a microsecond.
const FASTEST: usize = 4 << 10;
/// Steps between two looks at the clock.
const STEPS: u32 = 32;

/// Somebody who looks at the time and at the memory of the process while something else is done. That
/// may be asked after every small step.
#[derive(Clone, Debug)]
pub struct Lookout {
    limits: Limits,
    steps: u32,
    next: Instant,
}

impl Lookout {
    /// Looks out for these limits, those on states apart.
    pub fn new(limits: &Limits) -> Self {
        Self { limits: *limits, steps: 0, next: Instant::now() }
    }

    /// The limit that is reached, if one is. Most of the time nobody looks.
    #[inline]
    pub fn step(&mut self) -> Result<(), Limit> {
        if self.steps > 0 {
            self.steps -= 1;
            return Ok(());
        }
        self.steps = STEPS;
        self.look(Instant::now())
    }

    /// The limit that is reached now, if one is.
    pub fn look(&mut self, now: Instant) -> Result<(), Limit> {
        if self.limits.deadline.is_some_and(|deadline| now >= deadline) {
            return Err(Limit::Time);
        }
        if let Some(most) = self.limits.process
            && now >= self.next
        {
            let left = memory_in_use().map_or(usize::MAX, |used| most.saturating_sub(used));
            if left == 0 {
                return Err(Limit::Memory);
            }
            self.next = now + time_to_fill(left);
        }
        Ok(())
    }
}

/// How long so many bytes suffice, at least: nobody has to look before that.
pub fn time_to_fill(bytes: usize) -> Duration {
    let (shortest, longest) = BETWEEN_LOOKS;
    let microseconds = u64::try_from(bytes / FASTEST).unwrap_or(u64::MAX);
    Duration::from_micros(microseconds).clamp(shortest, longest)
}

/// Why a search went no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// [`Limits::memory`] or [`Limits::process`], or the system has no more.
    Memory,
    /// [`Limits::deadline`].
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
