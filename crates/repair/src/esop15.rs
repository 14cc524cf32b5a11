//! Algorithm 1 of ESOP'15 (§9), as a reference: sets of fences grow by one of those that eliminate a
//! violation, until one is enough. Sets are taken in the order in which they were made, so the smaller
//! come first; what comes out is minimal by inclusion (Theorem 2), not by cost.

use std::collections::VecDeque;

use analysis::Verdict;
use program::Parameterised;

use crate::optimal::{Checker, Outcome, Problem, Row, Solved, Way};
use solver::Set;

/// A set of decisions that is minimal by inclusion, by Algorithm 1.
pub fn algorithm_1(
    problem: &Problem<'_>,
    checker: &mut impl Checker,
) -> Result<Solved, Parameterised> {
    let mut way = Way::default();
    let mut waiting: VecDeque<Set> = VecDeque::from([Set::new()]);
    while let Some(chosen) = waiting.pop_front() {
        way.rounds += 1;
        way.searches += 1;
        let changed = problem.with(chosen.iter().copied());
        let (verdict, statistics) = checker.violations(&changed.program)?;
        way.statistics.include(&statistics);
        match verdict {
            Verdict::Holds(proof) => {
                let sets = vec![chosen.into_iter().collect()];
                return Ok(way.to(Outcome::Repaired { sets, proof }));
            }
            Verdict::Undecided(reason) => {
                let candidate = chosen.into_iter().collect();
                return Ok(way.to(Outcome::Undecided { reason, candidate }));
            }
            Verdict::Violated(violations) => {
                let violation = violations.into_iter().next().expect("there is a violation");
                // NewFences of the paper.
                let new = problem.row(&changed, &violation);
                let shown_by = violation.evidence.map(|evidence| (changed.program, evidence));
                let row = Row { decisions: new.clone(), shown_by };
                if new.is_empty() {
                    return Ok(way.to(Outcome::Unrepairable(Box::new(row))));
                }
                way.rows.push(row);
                for decision in new {
                    let mut larger = chosen.clone();
                    larger.insert(decision);
                    if !waiting.iter().any(|other| other.is_subset(&larger)) {
                        waiting.push_back(larger);
                    }
                }
            }
        }
    }
    unreachable!("every set that is not enough is followed by others")
}
