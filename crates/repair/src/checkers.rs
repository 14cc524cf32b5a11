//! Who knows violations: the analyses, asked about one criterion.

use std::ops::ControlFlow;

use analysis::{Criterion, Evidence, Options, Progress, Statistics, Verdict, violations};
use program::{Parameterised, Program};

use crate::optimal::{Checker, Violation};
use crate::passed::stretches;

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
