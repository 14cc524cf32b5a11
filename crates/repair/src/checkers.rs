//! Who knows violations: the analyses, asked about one criterion.

use std::ops::ControlFlow;

use analysis::abstraction::walks_of_pivots;
use analysis::parameterised::{self, is_parameterised};
use analysis::tso_only::{SafetyViolation, TsoOnlyRun, check_safety};
use analysis::{
    Criterion, Evidence, Histories, Options, Progress, Reason, Statistics, Verdict, histories,
    violations,
};
use program::{Parameterised, Program};
use semantics::Model;
use web_time::Instant;

use crate::delayed::{BufferedSpan, buffered_spans};
use crate::optimal::{Checker, Violation};

/// How many violations are wanted of one search.
const AT_ONCE: usize = 32;

/// The exact analysis of a criterion.
pub struct Exact<'a, F> {
    /// The criterion.
    pub criterion: Criterion,
    /// How to search.
    pub options: &'a Options,
    /// Who is told of the progress.
    pub watch: F,
}

impl<F: FnMut(&Progress) -> ControlFlow<()>> Checker for Exact<'_, F> {
    fn deadline(&self) -> Option<Instant> {
        self.options.limits.deadline
    }

    fn violations(
        &mut self,
        program: &Program,
    ) -> Result<(Verdict<Vec<Violation>>, Statistics), Parameterised> {
        let asked = (self.options, AT_ONCE);
        if is_parameterised(program) {
            return self.of_any_number(program);
        }
        let (verdict, statistics) = violations(program, self.criterion, asked, &mut self.watch)?;
        let of_run = |evidence: Evidence| Violation {
            buffered_spans: buffered_spans(program, &evidence.execution().computation),
            instance: None,
            evidence: Some(evidence),
        };
        Ok((verdict.map(|all| all.into_iter().map(of_run).collect()), statistics))
    }
}

impl<F: FnMut(&Progress) -> ControlFlow<()>> Exact<'_, F> {
    /// Violations of an instance, if any number of threads has one: a violating run of an instance with
    /// some decisions made is one of the program, so its row counts as any other.
    fn of_any_number(
        &mut self,
        program: &Program,
    ) -> Result<(Verdict<Vec<Violation>>, Statistics), Parameterised> {
        let criteria = &[self.criterion];
        let checked = parameterised::check(program, criteria, self.options, &mut self.watch);
        let Some(one) = checked.into_iter().next() else {
            return Ok((Verdict::Undecided(Reason::NoMethod), Statistics::default()));
        };
        let mut statistics = one.statistics;
        let (found, instance) = match (one.verdict, one.instance) {
            (Verdict::Violated(evidence), Some(instance)) => (evidence, instance.program),
            (verdict, _) => return Ok((verdict.map(|_| Vec::new()), statistics)),
        };
        let asked = (self.options, AT_ONCE);
        let (all, did) = violations(&instance, self.criterion, asked, &mut self.watch)?;
        statistics.include(&did);
        let all = match all {
            Verdict::Violated(all) => all,
            Verdict::Holds(_) | Verdict::Undecided(_) => vec![found],
        };
        let of_run = |evidence: Evidence| Violation {
            buffered_spans: buffered_spans(&instance, &evidence.execution().computation),
            instance: Some(instance.clone()),
            evidence: Some(evidence),
        };
        Ok((Verdict::Violated(all.into_iter().map(of_run).collect()), statistics))
    }
}

/// Assertions, and what the program asks of its final states: they are to hold under TSO as they do
/// under SC. What goes wrong under SC passes no place, so nothing repairs it.
pub struct Safety<'a, F> {
    /// How to search.
    pub options: &'a Options,
    /// Who is told of the progress.
    pub watch: F,
}

impl<F: FnMut(&Progress) -> ControlFlow<()>> Checker for Safety<'_, F> {
    fn deadline(&self) -> Option<Instant> {
        self.options.limits.deadline
    }

    fn violations(
        &mut self,
        program: &Program,
    ) -> Result<(Verdict<Vec<Violation>>, Statistics), Parameterised> {
        let (verdict, statistics, instance) = if is_parameterised(program) {
            let options = self.options;
            let (verdict, did, found) =
                parameterised::check_safety(program, options, &mut self.watch);
            (verdict, did, found.map(|found| found.program))
        } else {
            let (verdict, statistics) = check_safety(program, self.options, &mut self.watch)?;
            (verdict, statistics, None)
        };
        let violation = |wrong| {
            let run = match wrong {
                SafetyViolation::UnderSc(execution) => TsoOnlyRun { execution, trace: None },
                SafetyViolation::UnderTso(run) => run,
            };
            let ran = instance.as_ref().unwrap_or(program);
            let buffered_spans = buffered_spans(ran, &run.execution.computation);
            let evidence = Some(Evidence::TsoOnly(Box::new(run)));
            vec![Violation { buffered_spans, instance: instance.clone(), evidence }]
        };
        Ok((verdict.map(violation), statistics))
    }
}

/// That a sequential order explains every history of operations under TSO. What none explains under SC passes
/// no place, so nothing repairs it.
pub struct Explained<'a, F> {
    /// In which sense.
    pub asked: Histories,
    /// The sequential program.
    pub specification: &'a Program,
    /// How to search.
    pub options: &'a Options,
    /// Who is told of the progress.
    pub watch: F,
}

impl<F: FnMut(&Progress) -> ControlFlow<()>> Checker for Explained<'_, F> {
    fn deadline(&self) -> Option<Instant> {
        self.options.limits.deadline
    }

    fn violations(
        &mut self,
        program: &Program,
    ) -> Result<(Verdict<Vec<Violation>>, Statistics), Parameterised> {
        let mut statistics = Statistics::default();
        let mut last = Verdict::Undecided(Reason::NoMethod);
        for model in [Model::Sc, Model::Tso] {
            let asked = (self.asked, model);
            let report =
                histories(program, self.specification, asked, self.options, &mut self.watch)?;
            statistics.include(&report.statistics);
            last = report.verdict;
            if !last.holds() {
                break;
            }
        }
        let violation = |execution: analysis::Execution| {
            let buffered_spans = buffered_spans(program, &execution.computation);
            let evidence = TsoOnlyRun { execution, trace: None };
            let evidence = Some(Evidence::TsoOnly(Box::new(evidence)));
            vec![Violation { buffered_spans, instance: None, evidence }]
        };
        Ok((last.map(violation), statistics))
    }
}

/// Persistence by observation abstraction (ESOP'15, §10), with a look at the program itself where an
/// abstract one has a violation: if a bounded search decides, that counts. Otherwise the violation may
/// be the abstraction's alone, and then fewer fences may do; what is called repaired is.
pub struct Abstract<'a, F> {
    /// For how many accesses the other threads are exact; the last that is given counts.
    pub depths: Vec<usize>,
    /// How many states of the program itself are explored.
    pub states: u64,
    /// How to search.
    pub options: &'a Options,
    /// Who is told of the progress.
    pub watch: F,
}

impl<F: FnMut(&Progress) -> ControlFlow<()>> Abstract<'_, F> {
    /// The program itself, as far as it is explored.
    pub fn of_the_program(&self) -> Options {
        let mut bounded = *self.options;
        let states = bounded.limits.states.map_or(self.states, |most| most.min(self.states));
        bounded.limits.states = Some(states);
        bounded
    }
}

impl<F: FnMut(&Progress) -> ControlFlow<()>> Checker for Abstract<'_, F> {
    fn deadline(&self) -> Option<Instant> {
        self.options.limits.deadline
    }

    fn violations(
        &mut self,
        program: &Program,
    ) -> Result<(Verdict<Vec<Violation>>, Statistics), Parameterised> {
        let asked = (self.options, AT_ONCE);
        let (verdict, mut statistics) =
            walks_of_pivots(program, &self.depths, asked, &mut self.watch)?;
        let abstract_ones = match verdict {
            Verdict::Holds(proof) => return Ok((Verdict::Holds(proof), statistics)),
            Verdict::Undecided(reason) => Verdict::Undecided(reason),
            Verdict::Violated(walks) => {
                let threads = program.threads()?;
                let of_walk = |(thread, edges)| {
                    let template = threads[thread].template;
                    let buffered_spans = vec![BufferedSpan { template, edges }];
                    Violation { buffered_spans, instance: None, evidence: None }
                };
                Verdict::Violated(walks.into_iter().map(of_walk).collect())
            }
        };
        let bounded = self.of_the_program();
        let (criterion, watch) = (Criterion::Persistence, &mut self.watch);
        let mut exact = Exact { criterion, options: &bounded, watch };
        let (verdict, did) = exact.violations(program)?;
        statistics.include(&did);
        Ok(match verdict {
            Verdict::Undecided(_) => (abstract_ones, statistics),
            decided @ (Verdict::Holds(_) | Verdict::Violated(_)) => (decided, statistics),
        })
    }
}
