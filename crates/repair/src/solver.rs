//! The one place that knows a solver: sets of least cost that hit given sets.
//!
//! Rows that contain another row and columns that a cheaper one covers are dropped first; what is left
//! is a 0/1 integer linear program for `microlp`, whose answer is rounded and checked against the rows.
//! Costs are integers below 10⁶, far from where a floating-point optimum could be confused with the
//! next better one.

use std::collections::BTreeSet;

use microlp::{ComparisonOp, OptimizationDirection, Problem};

/// The greatest cost of a decision.
pub const MAX_COST: u64 = 1_000_000;

/// A set of columns.
pub type Set = BTreeSet<usize>;

/// A set of least cost that has a column in each row and does not contain any of the sets `except`.
/// Nothing if there is none.
pub fn cheapest_hitting_set(costs: &[u64], rows: &[Set], except: &[Set]) -> Option<Set> {
    let rows = without_supersets(rows);
    if rows.iter().any(BTreeSet::is_empty) {
        return None;
    }
    let columns: Vec<usize> = rows.iter().flatten().copied().collect::<Set>().into_iter().collect();
    // With exceptions an equal column may be what a further solution is made of.
    let columns: Vec<usize> = if except.is_empty() {
        columns
            .iter()
            .copied()
            .filter(|column| !is_covered(*column, &columns, costs, &rows))
            .collect()
    } else {
        columns
    };
    let chosen = solve(costs, &columns, &rows, except)?;
    assert!(rows.iter().all(|row| !row.is_disjoint(&chosen)), "the solver missed a row");
    assert!(except.iter().all(|other| !other.is_subset(&chosen)), "the solver repeated a set");
    Some(chosen)
}

/// The rows that contain no other row, each once.
fn without_supersets(rows: &[Set]) -> Vec<Set> {
    let different: BTreeSet<&Set> = rows.iter().collect();
    let is_minimal =
        |row: &&&Set| !different.iter().any(|other| *other != **row && other.is_subset(row));
    different.iter().filter(is_minimal).map(|row| (*row).clone()).collect()
}

/// Whether another column is in all rows of this one and costs no more; of equal ones the first stays.
fn is_covered(column: usize, columns: &[usize], costs: &[u64], rows: &[Set]) -> bool {
    let covers =
        |other: usize| rows.iter().all(|row| !row.contains(&column) || row.contains(&other));
    let is_better = |other: usize| match costs[other].cmp(&costs[column]) {
        std::cmp::Ordering::Less => true,
        std::cmp::Ordering::Greater => false,
        std::cmp::Ordering::Equal => {
            let back = rows.iter().all(|row| !row.contains(&other) || row.contains(&column));
            !back || other < column
        }
    };
    columns.iter().any(|other| *other != column && is_better(*other) && covers(*other))
}

fn solve(costs: &[u64], columns: &[usize], rows: &[Set], except: &[Set]) -> Option<Set> {
    let mut problem = Problem::new(OptimizationDirection::Minimize);
    let variables: Vec<_> =
        columns.iter().map(|column| problem.add_binary_var(number(costs[*column]))).collect();
    let sum = |set: &Set| -> Vec<_> {
        let inside = columns.iter().zip(&variables).filter(|(column, _)| set.contains(column));
        inside.map(|(_, variable)| (*variable, 1.0)).collect()
    };
    for row in rows {
        problem.add_constraint(sum(row), ComparisonOp::Ge, 1.0);
    }
    for set in except {
        if set.is_empty() {
            return None;
        }
        // A set with a column that no row has cannot be contained in a solution of least cost.
        if set.iter().all(|column| columns.contains(column)) {
            let most = number(u64::try_from(set.len()).expect("few columns")) - 1.0;
            problem.add_constraint(sum(set), ComparisonOp::Le, most);
        }
    }
    let outcome = match problem.solve() {
        Ok(outcome) => outcome,
        Err(microlp::Error::Infeasible) => return None,
        Err(error) => panic!("the solver failed on a hitting set: {error}"),
    };
    assert!(outcome.is_optimal(), "the solver has no time limit and no gap");
    let solution = outcome.into_solution().expect("it is optimal");
    let chosen = columns.iter().zip(&variables);
    Some(
        chosen
            .filter(|(_, variable)| solution.var_value(**variable) > 0.5)
            .map(|(column, _)| *column)
            .collect(),
    )
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

fn number(value: u64) -> f64 {
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
}
