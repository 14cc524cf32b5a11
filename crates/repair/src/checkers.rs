//! Who knows violations: the analyses, asked about one criterion.

use std::ops::ControlFlow;

use analysis::abstraction::walks_of_pivots;
use analysis::{Criterion, Evidence, Options, Progress, Statistics, Verdict, violations};
use program::{Parameterised, Program};

use crate::optimal::{Checker, Violation};
use crate::passed::{Stretch, stretches};

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
    fn violations(
        &mut self,
        program: &Program,
    ) -> Result<(Verdict<Vec<Violation>>, Statistics), Parameterised> {
        let asked = (self.options, AT_ONCE);
        let (verdict, statistics) = violations(program, self.criterion, asked, &mut self.watch)?;
        let of_run = |evidence: Evidence| Violation {
            stretches: stretches(program, &evidence.execution().computation),
            evidence: Some(evidence),
        };
        let verdict = match verdict {
            Verdict::Holds => Verdict::Holds,
            Verdict::Undecided(reason) => Verdict::Undecided(reason),
            Verdict::Violated(all) => Verdict::Violated(all.into_iter().map(of_run).collect()),
        };
        Ok((verdict, statistics))
    }
}

/// Persistence by observation abstraction (ESOP'15, §10): what it calls repaired is; but there may be
/// violations of abstract programs only, and then fewer fences may do.
pub struct Abstract<'a, F> {
    /// For how many accesses the other threads are exact; the last that is given counts.
    pub depths: Vec<usize>,
    /// How to search.
    pub options: &'a Options,
    /// Who is told of the progress.
    pub watch: F,
}

impl<F: FnMut(&Progress) -> ControlFlow<()>> Checker for Abstract<'_, F> {
    fn violations(
        &mut self,
        program: &Program,
    ) -> Result<(Verdict<Vec<Violation>>, Statistics), Parameterised> {
        let asked = (self.options, AT_ONCE);
        let (verdict, statistics) = walks_of_pivots(program, &self.depths, asked, &mut self.watch)?;
        let threads = program.threads()?;
        let verdict = match verdict {
            Verdict::Holds => Verdict::Holds,
            Verdict::Undecided(reason) => Verdict::Undecided(reason),
            Verdict::Violated(walks) => Verdict::Violated(
                walks
                    .into_iter()
                    .map(|(thread, edges)| {
                        let template = threads[thread].template;
                        Violation { stretches: vec![Stretch { template, edges }], evidence: None }
                    })
                    .collect(),
            ),
        };
        Ok((verdict, statistics))
    }
}
