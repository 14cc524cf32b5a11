//! Fencewright's own engine, in this process.
//!
//! What is counted is the processor time of all threads that search, from the program to the
//! verdict: building the automata, which is to Fencewright what compilation is to Spin, is part of it.
//! To ask for that time costs as much as a small exploration does, so small ones are repeated until
//! they have taken long enough, and the mean counts.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use analysis::{Limit, Limits, Options, Query, Reason, Reductions, Verdict, reach};
use program::Program;

use crate::measured::{Budget, Explorer, Measured, Outcome};
use crate::processor_time::processor_time;

/// How long explorations are repeated: so long that one which is disturbed does not count for much.
const LONG_ENOUGH: Duration = Duration::from_millis(20);

/// Fencewright with so many threads.
pub(crate) struct Fencewright {
    pub(crate) threads: usize,
}

impl Explorer for Fencewright {
    fn name(&self) -> &'static str {
        "Fencewright"
    }

    fn run(&mut self, program: &Program, reductions: bool, budget: &Budget) -> Outcome {
        // As Spin is asked.
        let query = Query { faults: true, ..Query::default() };
        // One thread searches in this one.
        let clock = || processor_time(self.threads == 1);
        let started = clock();
        let spent = || clock().zip(started).map(|(now, started)| now.saturating_sub(started));
        let options = Options {
            reductions: if reductions { Reductions::ALL } else { Reductions::NONE },
            threads: self.threads,
            limits: Limits {
                memory: usize::try_from(budget.memory).ok(),
                // A machine may be busy; but not that busy.
                deadline: Some(Instant::now() + budget.time * 10),
                ..Limits::default()
            },
            ..Options::default()
        };
        let watch = |_: &analysis::Progress| {
            if spent().is_some_and(|spent| spent > budget.time) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let mut wall_seconds = 0.0;
        let mut times = 0.0;
        let (report, cpu_seconds) = loop {
            let report = reach(program, &query, &options, watch)
                .unwrap_or_else(|error| panic!("{}: {error}", program.name()));
            wall_seconds += report.statistics.elapsed.as_secs_f64();
            times += 1.0;
            // The clock is not looked at before it is likely to be time.
            if wall_seconds >= LONG_ENOUGH.as_secs_f64() {
                break (report, spent().as_ref().map_or(f64::NAN, Duration::as_secs_f64) / times);
            }
        };
        let statistics = report.statistics;
        match report.verdict {
            Verdict::Holds(_) => Outcome::Explored(Measured {
                states: statistics.states,
                cpu_seconds,
                wall_seconds: wall_seconds / times,
                bytes: statistics.peak_bytes as u64,
                preparation_seconds: 0.0,
            }),
            Verdict::Undecided(Reason::Limit(Limit::Time | Limit::Cancelled)) => Outcome::OverTime,
            Verdict::Undecided(Reason::Limit(Limit::Memory)) => Outcome::OverMemory,
            Verdict::Undecided(
                reason @ (Reason::Limit(Limit::States)
                | Reason::AccessAcross { .. }
                | Reason::Overflow { .. }
                | Reason::Bound { .. }
                | Reason::TooManyChoices { .. }
                | Reason::TooWide { .. }
                | Reason::OnlyAbstract { .. }
                | Reason::NoFiniteRange(_)
                | Reason::BufferGrows { .. }
                | Reason::TooManySets { .. }
                | Reason::Parameterised(_)
                | Reason::AnyNumber(_)
                | Reason::NoMethod
                | Reason::NotByEngine { .. }
                | Reason::FinalStatesNotAsked { .. }
                | Reason::NoRunFound { .. }
                | Reason::NotCheckedAgain { .. }
                | Reason::SequentialRuns { .. }
                | Reason::OnlyUnderSc),
            ) => panic!("{}: {reason}", program.name()),
            Verdict::Violated(_) => panic!("{} violates mutual exclusion", program.name()),
        }
    }
}
