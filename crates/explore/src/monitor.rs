//! Time, and whoever watches: looked at every few hundred states by the thread that called.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::limits::{Limit, Limits, Progress};

/// Time between two reports.
const BETWEEN_REPORTS: Duration = Duration::from_millis(50);

pub(crate) struct Monitor<F> {
    started: Instant,
    time: Option<Duration>,
    next_report: Duration,
    watch: F,
}

/// The figures of [`Progress`] that the search knows.
#[derive(Clone, Copy)]
pub(crate) struct Figures {
    pub(crate) tracing: bool,
    pub(crate) states: usize,
    pub(crate) depth: u64,
    pub(crate) frontier: usize,
    pub(crate) bytes: usize,
}

impl<F: FnMut(&Progress) -> ControlFlow<()>> Monitor<F> {
    pub(crate) fn new(limits: &Limits, watch: F) -> Self {
        Self { started: Instant::now(), time: limits.time, next_report: BETWEEN_REPORTS, watch }
    }

    /// Looks at the clock, reports if it is time to, and says whether to stop.
    pub(crate) fn look(&mut self, figures: impl FnOnce() -> Figures) -> Option<Limit> {
        let elapsed = self.started.elapsed();
        if self.time.is_some_and(|time| elapsed >= time) {
            return Some(Limit::Time);
        }
        if elapsed < self.next_report {
            return None;
        }
        self.next_report = elapsed + BETWEEN_REPORTS;
        let Figures { tracing, states, depth, frontier, bytes } = figures();
        let (states, frontier) = (states as u64, frontier as u64);
        let progress = Progress { tracing, states, depth, frontier, bytes, elapsed };
        (self.watch)(&progress).is_break().then_some(Limit::Cancelled)
    }
}
