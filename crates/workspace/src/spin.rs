//! Spin as an engine: how it is asked, and what its answers mean here.

use analysis::portfolio::{Method, Portfolio, Remark, Reply, Strength, Task};
use analysis::{
    Basis, Criterion, Engine, Limit, Limits, Options, Reason, Reductions, Statistics, Verdict,
};
use instrument::{Goal, Instrumented};
use program::{Diagnostic, Diagnostics, Observable, Parameterised, Span, StateProposition};
use spin::Failure;
use web_time::Instant;

use crate::check::disagreement;
use crate::host::Host;
use crate::instrumented::refused;

/// How Spin searches.
pub(crate) fn options(how: &Options) -> spin::Options {
    let defaults = spin::Options::default();
    let Limits { memory, deadline, .. } = how.limits;
    spin::Options {
        reduce: how.reductions != Reductions::NONE,
        timeout: deadline.map(|end| end.saturating_duration_since(Instant::now())),
        memory: memory.and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(defaults.memory),
        ..defaults
    }
}

/// Why Spin does not know.
pub(crate) fn reason(reason: spin::Reason) -> Reason {
    match reason {
        spin::Reason::Memory => Reason::Limit(Limit::Memory),
        spin::Reason::Time => Reason::Limit(Limit::Time),
        reason @ (spin::Reason::Beyond32Bits
        | spin::Reason::BusyWaits
        | spin::Reason::BlockingUpdates) => {
            Reason::NotByEngine { engine: Engine::Spin, what: reason.to_string() }
        }
    }
}

pub(crate) fn statistics(of_spin: &spin::Statistics) -> Statistics {
    Statistics {
        states: of_spin.states,
        transitions: of_spin.transitions,
        depth: of_spin.depth,
        peak_bytes: usize::try_from(of_spin.bytes).unwrap_or(usize::MAX),
        bits: 0,
        elapsed: of_spin.elapsed,
        engine: Engine::Spin,
    }
}

/// Why Spin could not be asked.
pub(crate) fn diagnostics(failure: Failure) -> Diagnostics {
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

/// Why there is no answer.
pub(crate) enum NoAnswer {
    Refused(Diagnostics),
    Parameterised(Parameterised),
}

impl From<Parameterised> for NoAnswer {
    fn from(parameterised: Parameterised) -> Self {
        Self::Parameterised(parameterised)
    }
}

impl From<Diagnostics> for NoAnswer {
    fn from(errors: Diagnostics) -> Self {
        Self::Refused(errors)
    }
}

/// Robustness and persistence decided by Spin: the instrumented program of `instrument` reaches its goal
/// under SC exactly if the criterion is violated.
///
/// Spin's run is one of the instrumented program. What is shown is found by Fencewright in the given
/// program; where that is too much for its limits, the answer is undecided, and says what Spin found.
pub(crate) struct BySpin<'a> {
    pub(crate) host: &'a dyn Host,
}

impl Method<NoAnswer> for BySpin<'_> {
    fn name(&self) -> &'static str {
        Engine::Spin.name()
    }

    fn strength(&self, criterion: Criterion) -> Option<Strength> {
        match criterion {
            Criterion::Robustness | Criterion::Persistence => Some(Strength::Decides),
            Criterion::Drf | Criterion::Trf | Criterion::States => None,
        }
    }

    fn answer(&mut self, criterion: Criterion, task: &mut Task<'_, '_>) -> Result<Reply, NoAnswer> {
        let Task { program: given, options: how, .. } = *task;
        let instrumented = match criterion {
            Criterion::Persistence => instrument::persistence(given),
            Criterion::Robustness | Criterion::Drf | Criterion::Trf | Criterion::States => {
                instrument::robustness_single(given)
            }
        };
        let Instrumented { program, goal } =
            instrumented.map_err(|impossible| refused(&impossible))?;
        // Faults of the given program are faults of the instrumented one too, and not asked about.
        let goal = StateProposition::Equals(Observable::Cell(goal.address), Goal::VALUE);
        let asked = spin::Query { faults: false, deadlocks: false, goal: Some(goal) };
        let answer = self.host.spin(&program, &asked, &options(how)).map_err(diagnostics)?;
        let (verdict, remark) = match answer.verdict {
            spin::Verdict::Holds => {
                // Where a translation ends Spin does not say.
                let (whole, _) = analysis::whole(given, how, &mut *task.watch)?;
                let basis = Basis::Exhausted { engine: Engine::Spin };
                (Verdict::of_whole(basis, whole), Some(Remark::SpinFindsNone))
            }
            spin::Verdict::Undecided(why) => (Verdict::Undecided(reason(why)), None),
            spin::Verdict::Violated(_) => {
                let criteria = &[criterion];
                let mut own =
                    Task { program: given, criteria, options: how, watch: &mut *task.watch };
                let own = Portfolio::<NoAnswer>::exact().answer(&mut own)?.into_iter().next();
                let verdict = match own.map(|own| own.verdict) {
                    Some(Verdict::Violated(evidence)) => Verdict::Violated(evidence),
                    Some(Verdict::Holds(_)) | None => return Err(disagreement("Spin").into()),
                    Some(Verdict::Undecided(why)) => {
                        let why = Box::new(why);
                        Verdict::Undecided(Reason::NoRunFound { engine: Engine::Spin, why })
                    }
                };
                (verdict, Some(Remark::SpinFindsOne))
            }
        };
        let statistics = statistics(&answer.statistics);
        Ok(Reply { remark, ..Reply::settled(verdict, statistics) })
    }
}
