//! Why a repair is as it is: what goes wrong without each part of it, and what keeps it from being
//! cheaper.

use analysis::{Evidence, Verdict};
use program::{Parameterised, Program};

use crate::optimal::{Checker, Problem, Row, certificate};

/// A program and a violation of it.
pub type Shown = (Program, Evidence);

/// Why a repair is as it is.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// For each decision, the program without it and a violation of that, unless only an abstraction
    /// knows of one.
    pub without: Vec<Option<Shown>>,
    /// Violations of which each needs one of some decisions, so that nothing cheaper does.
    pub needed: Vec<Row>,
    /// How often the checker was asked for this.
    pub searches: usize,
}

/// Explains a repair that consists of these decisions, given all violations that were found on the way.
pub fn explain(
    problem: &Problem<'_>,
    checker: &mut impl Checker,
    rows: &[Row],
    chosen: &[usize],
) -> Result<Explanation, Parameterised> {
    let cost = problem.cost(chosen.iter().copied());
    let needed = certificate(problem, rows, cost, checker.deadline());
    let needed = needed.into_iter().map(|at| rows[at].clone()).collect();
    let mut explanation = Explanation { needed, ..Explanation::default() };
    for left_out in chosen {
        let others = chosen.iter().copied().filter(|at| at != left_out);
        let program = problem.with(others).program;
        let (verdict, _) = checker.violations(&program)?;
        explanation.searches += 1;
        let evidence = match verdict {
            Verdict::Violated(violations) => {
                violations.into_iter().find_map(|one| Some((one.instance, one.evidence?)))
            }
            Verdict::Holds(_) | Verdict::Undecided(_) => None,
        };
        let shown = evidence.map(|(instance, evidence)| (instance.unwrap_or(program), evidence));
        explanation.without.push(shown);
    }
    Ok(explanation)
}

/// Whether violations that only an abstraction may know of are real, as far as a checker that knows
/// the program itself can tell: with all decisions made but those that would eliminate one, it finds a
/// violation. Those that are get it as their evidence.
pub fn confirm(
    problem: &Problem<'_>,
    checker: &mut impl Checker,
    rows: &mut [Row],
) -> Result<bool, Parameterised> {
    for row in rows.iter_mut().filter(|row| row.shown_by.is_none()) {
        let others = (0..problem.decisions.len()).filter(|at| !row.decisions.contains(at));
        let program = problem.with(others).program;
        let evidence = match checker.violations(&program)?.0 {
            Verdict::Violated(violations) => {
                violations.into_iter().find_map(|violation| violation.evidence)
            }
            Verdict::Holds(_) | Verdict::Undecided(_) => None,
        };
        match evidence {
            Some(evidence) => row.shown_by = Some((program, evidence)),
            None => return Ok(false),
        }
    }
    Ok(true)
}
