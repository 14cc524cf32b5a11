//! The methods of this crate.

use program::Parameterised;

use super::{Method, Remark, Reply, Said, Strength, Task, has_delays, has_pivots};
use crate::abstraction::{Depth, Report, persistence_by_abstraction};
use crate::criterion::Criterion;
use crate::evidence::{Evidence, lost};
use crate::patterns::Races;
use crate::proof::Basis;
use crate::robustness::robustness;
use crate::tso_only::{Seen, new_ends};
use crate::verdict::{Statistics, Verdict};
use crate::whole::whole;

/// Control flow alone: where no load can follow a store that still waits, nothing is overtaken.
#[derive(Debug, Default)]
pub struct ControlFlowAlone {
    /// What it settles, once that is known.
    settled: Option<Verdict<Evidence>>,
}

impl<Refusal: From<Parameterised>> Method<Refusal> for ControlFlowAlone {
    fn name(&self) -> &'static str {
        "control_flow"
    }

    fn strength(&self, criterion: Criterion) -> Option<Strength> {
        match criterion {
            Criterion::Trf | Criterion::Robustness | Criterion::Persistence => {
                Some(Strength::ShowsHolds)
            }
            Criterion::Drf | Criterion::States => None,
        }
    }

    fn answer(&mut self, _: Criterion, task: &mut Task<'_, '_>) -> Result<Reply, Refusal> {
        if let Some(verdict) = &self.settled {
            return Ok(Reply::settled(verdict.clone(), Statistics::default()));
        }
        if has_pivots(task.program) {
            return Ok(Reply::nothing());
        }
        let (whole, statistics) = whole(task.program, task.options, &mut *task.watch)?;
        let verdict = Verdict::of_whole(Basis::ControlFlow, whole);
        self.settled = Some(verdict.clone());
        Ok(Reply::settled(verdict, statistics))
    }
}

/// Static critical cycles (CAV'14): if none has a delay, there is no violation of robustness, however many
/// states there are.
#[derive(Clone, Copy, Debug)]
pub struct CriticalCycles;

impl<Refusal: From<Parameterised>> Method<Refusal> for CriticalCycles {
    fn name(&self) -> &'static str {
        "critical_cycles"
    }

    fn strength(&self, criterion: Criterion) -> Option<Strength> {
        match criterion {
            Criterion::Robustness => Some(Strength::ShowsHolds),
            Criterion::Drf | Criterion::Trf | Criterion::Persistence | Criterion::States => None,
        }
    }

    fn answer(&mut self, _: Criterion, task: &mut Task<'_, '_>) -> Result<Reply, Refusal> {
        if has_delays(task.program) {
            return Ok(Reply::nothing());
        }
        let (whole, statistics) = whole(task.program, task.options, &mut *task.watch)?;
        Ok(Reply::settled(Verdict::of_whole(Basis::NoCriticalCycle, whole), statistics))
    }
}

/// The patterns of races and of overtaking, in all states of SC: one search for all criteria.
#[derive(Debug, Default)]
pub struct Patterns {
    found: Option<Races>,
}

impl<Refusal: From<Parameterised>> Method<Refusal> for Patterns {
    fn name(&self) -> &'static str {
        "patterns"
    }

    fn strength(&self, criterion: Criterion) -> Option<Strength> {
        match criterion {
            Criterion::Drf | Criterion::Trf | Criterion::Persistence => Some(Strength::Decides),
            Criterion::Robustness | Criterion::States => None,
        }
    }

    fn answer(&mut self, criterion: Criterion, task: &mut Task<'_, '_>) -> Result<Reply, Refusal> {
        let Task { program, criteria, options, .. } = *task;
        let mut watch = &mut *task.watch;
        let found = match &mut self.found {
            Some(found) if found.is_about(criterion) => found,
            found => {
                found.insert(Races::look(program, (criterion, criteria), options, &mut watch)?)
            }
        };
        let (verdict, statistics) = found.verdict(criterion, (program, options), &mut watch)?;
        Ok(Reply::settled(verdict, statistics))
    }
}

/// All attacks of ESOP'13 in one search.
#[derive(Clone, Copy, Debug)]
pub struct Attacks;

impl<Refusal: From<Parameterised>> Method<Refusal> for Attacks {
    fn name(&self) -> &'static str {
        "attacks"
    }

    fn strength(&self, criterion: Criterion) -> Option<Strength> {
        match criterion {
            Criterion::Robustness => Some(Strength::Decides),
            Criterion::Drf | Criterion::Trf | Criterion::Persistence | Criterion::States => None,
        }
    }

    fn answer(&mut self, _: Criterion, task: &mut Task<'_, '_>) -> Result<Reply, Refusal> {
        let report = robustness(task.program, task.options, &mut *task.watch)?;
        Ok(Reply::settled(report.verdict.map(Evidence::Cycle), report.statistics))
    }
}

/// The final states of SC and of TSO, with buffers, compared: exact where buffers stay short.
#[derive(Clone, Copy, Debug)]
pub struct Buffers;

impl<Refusal: From<Parameterised>> Method<Refusal> for Buffers {
    fn name(&self) -> &'static str {
        "buffers"
    }

    fn strength(&self, criterion: Criterion) -> Option<Strength> {
        match criterion {
            Criterion::States => Some(Strength::Decides),
            Criterion::Drf | Criterion::Trf | Criterion::Robustness | Criterion::Persistence => {
                None
            }
        }
    }

    fn answer(&mut self, _: Criterion, task: &mut Task<'_, '_>) -> Result<Reply, Refusal> {
        let mut watch = &mut *task.watch;
        let asked = (task.options, 1);
        let (verdict, statistics) =
            new_ends(task.program, (Seen::Everything, true), asked, &mut watch)?;
        let verdict = verdict.map(|runs| {
            let run = runs.into_iter().next().unwrap_or_else(|| lost());
            Evidence::TsoOnly(Box::new(run))
        });
        Ok(Reply::settled(verdict, statistics))
    }
}

/// Persistence by abstraction: each thread with less and less simplified others, and the program itself
/// as far as it is small.
#[derive(Clone, Copy, Debug)]
pub struct Abstraction {
    /// For how many accesses the other threads are exact.
    pub depth: Depth,
}

impl<Refusal: From<Parameterised>> Method<Refusal> for Abstraction {
    fn name(&self) -> &'static str {
        "abstraction"
    }

    fn strength(&self, criterion: Criterion) -> Option<Strength> {
        match criterion {
            // The program itself is tried, as far as it is small.
            Criterion::Persistence => Some(Strength::Decides),
            Criterion::Drf | Criterion::Trf | Criterion::Robustness | Criterion::States => None,
        }
    }

    fn answer(&mut self, _: Criterion, task: &mut Task<'_, '_>) -> Result<Reply, Refusal> {
        let Task { program, options, .. } = *task;
        let report = persistence_by_abstraction(program, self.depth, options, &mut *task.watch)?;
        let remark = Some(remark(&report));
        let said = match report.verdict {
            Verdict::Undecided(reason) => Said::Open(Some(reason)),
            verdict @ (Verdict::Holds(_) | Verdict::Violated(_)) => Said::Settled(verdict),
        };
        Ok(Reply { said, statistics: report.statistics, remark })
    }
}

fn remark(report: &Report) -> Remark {
    let excluded = report.pivots.iter().filter(|pivot| pivot.doubt.is_none());
    Remark::Abstraction {
        decided_by: report.decided_by,
        excluded: excluded.map(|pivot| pivot.stands_for).sum(),
        threads: report.pivots.iter().map(|pivot| pivot.stands_for).sum(),
    }
}
