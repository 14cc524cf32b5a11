//! Hitting sets as 0/1 integer programs.

use std::collections::BTreeMap;
use std::time::Duration;

use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};
use web_time::Instant;

use crate::{OutOfTime, Set, number};

struct Program {
    problem: Problem,
    variables: BTreeMap<usize, Variable>,
}

impl Program {
    fn new(costs: &[u64], rows: &[Vec<usize>]) -> Self {
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let columns: Set = rows.iter().flatten().copied().collect();
        let variables: BTreeMap<usize, Variable> = columns
            .into_iter()
            .map(|column| (column, problem.add_binary_var(number(costs[column]))))
            .collect();
        for row in rows {
            let sum: Vec<_> = row.iter().map(|column| (variables[column], 1.0)).collect();
            problem.add_constraint(sum, ComparisonOp::Ge, 1.0);
        }
        Self { problem, variables }
    }

    /// The columns of an optimal solution, unless time is up before. Nothing if there is none.
    fn solve(self) -> Result<Option<Vec<usize>>, OutOfTime> {
        let outcome = match self.problem.solve() {
            Ok(outcome) => outcome,
            Err(microlp::Error::Infeasible) => return Ok(None),
            Err(error) => panic!("the solver failed on a hitting set: {error}"),
        };
        if !outcome.is_optimal() {
            return Err(OutOfTime);
        }
        let solution = outcome.into_solution().expect("it is optimal");
        let is_chosen = |variable: &Variable| solution.var_value(*variable) > 0.5;
        let chosen = self.variables.iter().filter(|(_, variable)| is_chosen(variable));
        Ok(Some(chosen.map(|(column, _)| *column).collect()))
    }
}

/// The cheapest columns that hit all rows, if they are found in time.
pub(crate) fn hitting_set(
    costs: &[u64],
    rows: &[Vec<usize>],
    time: Option<Duration>,
) -> Option<Vec<usize>> {
    let mut program = Program::new(costs, rows);
    if let Some(time) = time {
        program.problem.set_time_limit(time);
    }
    program.solve().ok().flatten()
}

/// The cheapest columns that hit all rows and contain none of these sets; nothing if there are none.
pub(crate) fn hitting_set_except(
    costs: &[u64],
    rows: &[Vec<usize>],
    except: &[Set],
    deadline: Option<Instant>,
) -> Result<Option<Set>, OutOfTime> {
    if rows.iter().any(Vec::is_empty) || except.iter().any(Set::is_empty) {
        return Ok(None);
    }
    let left = deadline.map(|end| end.saturating_duration_since(Instant::now()));
    if left.is_some_and(|left| left.is_zero()) {
        return Err(OutOfTime);
    }
    let mut program = Program::new(costs, rows);
    for set in except {
        // A set with a column that no row has cannot be contained in a solution of least cost.
        let variables: Option<Vec<_>> =
            set.iter().map(|column| Some((*program.variables.get(column)?, 1.0))).collect();
        if let Some(sum) = variables {
            let most = number(u64::try_from(set.len()).expect("few columns")) - 1.0;
            program.problem.add_constraint(sum, ComparisonOp::Le, most);
        }
    }
    if let Some(left) = left {
        program.problem.set_time_limit(left);
    }
    Ok(program.solve()?.map(|chosen| chosen.into_iter().collect()))
}
