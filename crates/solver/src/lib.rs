//! The one place that knows a solver: sets of least cost that hit given sets.
//!
//! What can be decided without a solver is, in `reduce`; what is left is a 0/1 integer linear program for
//! `microlp`, whose answer is rounded and checked against the rows. Costs are integers below 10⁶, far
//! from where a floating-point optimum could be confused with the next better one.
//!
//! *This crate knows neither fences nor programs.*

use std::collections::BTreeSet;

use microlp::{ComparisonOp, OptimizationDirection, Problem};
use web_time::Instant;

mod program;
mod reduce;

pub use reduce::{Cover, cheapest_cover};

/// The greatest cost of a decision.
pub const MAX_COST: u64 = 1_000_000;

/// A set of columns.
pub type Set = BTreeSet<usize>;

/// Time was up before a set was known to be the cheapest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfTime;

/// A set of least cost that has a column in each row and does not contain any of the sets `except`.
/// Nothing if there is none.
pub fn cheapest_hitting_set(costs: &[u64], rows: &[Set], except: &[Set]) -> Option<Set> {
    let found = cheapest_hitting_set_by(costs, rows, except, None);
    found.expect("the solver has all the time it needs")
}

/// The same, if it is known by a deadline.
pub fn cheapest_hitting_set_by(
    costs: &[u64],
    rows: &[Set],
    except: &[Set],
    deadline: Option<Instant>,
) -> Result<Option<Set>, OutOfTime> {
    let listed: Vec<Vec<usize>> = rows.iter().map(|row| row.iter().copied().collect()).collect();
    let chosen: Option<Set> = if except.is_empty() {
        match cheapest_cover(costs, &listed, deadline) {
            Some(cover) if !cover.is_optimal => return Err(OutOfTime),
            cover => cover.map(|cover| cover.columns.into_iter().collect()),
        }
    } else {
        // An equal column may be what a further solution is made of: none is dropped.
        program::hitting_set_except(costs, &listed, except, deadline)?
    };
    if let Some(chosen) = &chosen {
        assert!(rows.iter().all(|row| !row.is_disjoint(chosen)), "the solver missed a row");
        assert!(except.iter().all(|other| !other.is_subset(chosen)), "the solver repeated a set");
    }
    Ok(chosen)
}

/// A set of least cost that contains, for each of the choices, one of its sets: the 0/1 program (14) of
/// ESOP'13. Nothing if a choice has no set.
pub fn cheapest_union(costs: &[u64], choices: &[Vec<Set>]) -> Option<Set> {
    let mut problem = Problem::new(OptimizationDirection::Minimize);
    let columns: Vec<_> = costs.iter().map(|cost| problem.add_binary_var(number(*cost))).collect();
    for sets in choices {
        let chosen: Vec<_> = sets.iter().map(|_| (problem.add_binary_var(0.0), 1.0)).collect();
        for (set, (variable, _)) in sets.iter().zip(&chosen) {
            let size = number(u64::try_from(set.len()).expect("few columns"));
            let parts = set.iter().map(|column| (columns[*column], 1.0));
            let sum: Vec<_> = parts.chain([(*variable, -size)]).collect();
            problem.add_constraint(sum, ComparisonOp::Ge, 0.0);
        }
        if sets.is_empty() {
            return None;
        }
        problem.add_constraint(chosen, ComparisonOp::Ge, 1.0);
    }
    let outcome = problem.solve().unwrap_or_else(|error| panic!("a feasible program: {error}"));
    assert!(outcome.is_optimal(), "the solver has no time limit and no gap");
    let solution = outcome.into_solution().expect("it is optimal");
    let chosen: Set =
        (0..costs.len()).filter(|at| solution.var_value(columns[*at]) > 0.5).collect();
    let has_one = |sets: &Vec<Set>| sets.iter().any(|set| set.is_subset(&chosen));
    assert!(choices.iter().all(has_one), "the solver missed a choice");
    Some(chosen)
}

pub(crate) fn number(value: u64) -> f64 {
    f64::from(u32::try_from(value).expect("costs are below MAX_COST"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By trying all sets.
    fn least(costs: &[u64], rows: &[Set], except: &[Set]) -> Option<u64> {
        let sets = (0_u32..1 << costs.len()).map(|bits| -> Set {
            (0..costs.len()).filter(|column| bits >> column & 1 == 1).collect()
        });
        let fits = sets.filter(|set| {
            rows.iter().all(|row| !row.is_disjoint(set))
                && except.iter().all(|other| !other.is_subset(set))
        });
        fits.map(|set| set.iter().map(|column| costs[*column]).sum()).min()
    }

    #[test]
    fn random_instances_are_solved_as_by_trying_all_sets() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut infeasible = 0;
        for _ in 0..600 {
            let columns = random.usize(1..9);
            let costs: Vec<u64> = (0..columns).map(|_| random.u64(1..30)).collect();
            let mut some = |most: usize| -> Vec<Set> {
                (0..random.usize(0..most))
                    .map(|_| (0..columns).filter(|_| random.u8(0..3) == 0).collect())
                    .collect()
            };
            let (rows, except) = (some(9), some(4));
            let ours = cheapest_hitting_set(&costs, &rows, &except);
            let cost = ours.map(|set| set.iter().map(|column| costs[*column]).sum());
            infeasible += usize::from(cost.is_none());
            assert_eq!(cost, least(&costs, &rows, &except), "{costs:?} {rows:?} {except:?}");
        }
        assert!(infeasible > 20, "{infeasible}");
    }

    /// Rows of random triples, which take a solver by branching long.
    fn hard(columns: usize) -> (Vec<u64>, Vec<Set>) {
        let mut random = fastrand::Rng::with_seed(28);
        let costs = vec![1; columns];
        let row = |random: &mut fastrand::Rng| (0..3).map(|_| random.usize(0..columns)).collect();
        (costs, (0..4 * columns).map(|_| row(&mut random)).collect())
    }

    #[test]
    fn a_deadline_ends_what_would_take_long() {
        let (costs, rows) = hard(150);
        for except in [Vec::new(), vec![(0..3).collect::<Set>()]] {
            let start = Instant::now();
            let deadline = start + std::time::Duration::from_millis(300);
            let found = cheapest_hitting_set_by(&costs, &rows, &except, Some(deadline));
            assert_eq!(found, Err(OutOfTime));
            assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
        }
        let (costs, rows) = hard(12);
        let passed = Some(Instant::now());
        assert_eq!(cheapest_hitting_set_by(&costs, &rows, &[], passed), Err(OutOfTime));
        let infeasible = [Set::new()];
        assert_eq!(cheapest_hitting_set_by(&costs, &infeasible, &[], passed), Ok(None));
    }
}
