//! Time, memory of the process, and whoever watches: looked at every few hundred states by the thread
//! that called.

use std::ops::ControlFlow;
use std::time::Duration;

use web_time::Instant;

use crate::limits::{Limit, Limits, Lookout, Progress};

/// Time between two reports.
const BETWEEN_REPORTS: Duration = Duration::from_millis(50);

pub(crate) struct Monitor<F> {
    started: Instant,
    lookout: Lookout,
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
        let (started, lookout) = (Instant::now(), Lookout::new(limits));
        Self { started, lookout, next_report: BETWEEN_REPORTS, watch }
    }

    /// Somebody who looks at the limits while the search waits.
    pub(crate) fn lookout(&mut self) -> &mut Lookout {
        &mut self.lookout
    }

    /// Looks at the clock, reports if it is time to, and says whether to stop.
    pub(crate) fn look(&mut self, figures: impl FnOnce() -> Figures) -> Option<Limit> {
        let now = Instant::now();
        if let Err(limit) = self.lookout.look(now) {
            return Some(limit);
        }
        let elapsed = now - self.started;
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
