//! How a program comes to a final state.

use program::{IndexVec, Observable, Program, Proposition, Thread, ThreadId, Value};

use super::shown::see;
use super::{FinalStates, Found, outcome};
use crate::execution::Execution;
use crate::outcomes::Outcome;

/// How a program comes to a final state.
pub enum Witness {
    /// By these steps, which the semantics has accepted.
    Run(Box<Execution>),
    /// By an execution that the axioms allow.
    Graph(Box<axiomatic::Execution>),
}

impl FinalStates {
    /// The first of the states that satisfies a condition, and how the program gets there. The
    /// condition may mention more than is shown.
    pub fn witness(
        &self,
        program: &Program,
        condition: &Proposition,
    ) -> Option<(Vec<(Observable, Value)>, Witness)> {
        let threads = self.threads()?;
        let whole = self.whole();
        let filter = program.question().filter.as_ref();
        let wanted = |outcome: &&Outcome| {
            let seen = |observable| see(program, threads, outcome, observable);
            filter.is_none_or(|filter| filter.holds(&seen)) && condition.holds(&seen)
        };
        // In the order in which states are shown, as far as that goes.
        let first = self.states.iter().filter_map(|state| whole.get(state.whole));
        let outcome = first.chain(&whole).find(wanted)?;
        let mut mentioned = self.shown.clone();
        condition.visit(&mut |seen| mentioned.push(seen));
        let mut values: Vec<(Observable, Value)> = Vec::new();
        for seen in mentioned {
            if !values.iter().any(|(known, _)| *known == seen) {
                values.push((seen, see(program, threads, outcome, seen)));
            }
        }
        let witness = match &self.found {
            Found::Explored(found) => Witness::Run(Box::new(found.run(program, outcome)?)),
            Found::Enumerated(found) => {
                let mut all = found.states.iter();
                let (_, execution) = all.find(|(state, _)| {
                    state.registers == outcome.registers && state.cells == outcome.changed_memory
                })?;
                Witness::Graph(Box::new(execution.clone()))
            }
            Found::Nothing => return None,
        };
        Some((values, witness))
    }

    const fn threads(&self) -> Option<&IndexVec<ThreadId, Thread>> {
        match &self.found {
            Found::Explored(found) => Some(&found.threads),
            Found::Enumerated(found) => Some(&found.threads),
            Found::Nothing => None,
        }
    }

    fn whole(&self) -> Vec<Outcome> {
        match &self.found {
            Found::Explored(found) => found.found.clone(),
            Found::Enumerated(found) => found.states.keys().map(outcome).collect(),
            Found::Nothing => Vec::new(),
        }
    }
}
