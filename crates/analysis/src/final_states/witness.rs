//! How a program comes to a final state.

use std::time::Duration;

use program::{IndexVec, Observable, Program, Proposition, Quantifier, Thread, ThreadId, Value};
use web_time::Instant;

use super::shown::see;
use super::{FailedRun, FinalStates, Found, State, is_true, outcome};
use crate::execution::Execution;
use crate::outcomes::{Error, Outcome};

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
        Some((values, self.way_to(program, outcome)?))
    }

    /// How the program gets to at most so many of its states, by their numbers: to those that its question asks for
    /// before others, and then to those that SC does not have. After a while no further one is looked for.
    pub fn executions(
        &self,
        program: &Program,
        most: usize,
        patience: Duration,
    ) -> Vec<(usize, Witness)> {
        let condition = program.question().condition.as_ref();
        let is_asked_for = |state: &State| {
            condition.is_some_and(|(quantifier, proposition)| {
                let is_true = is_true(proposition, &self.shown, &state.values);
                match quantifier {
                    Quantifier::Exists | Quantifier::Never => is_true,
                    Quantifier::Always => !is_true,
                }
            })
        };
        let mut order: Vec<usize> = (0..self.states.len()).collect();
        order.sort_by_key(|number| {
            let state = &self.states[*number];
            (!is_asked_for(state), state.only_weak == Some(false))
        });
        let (whole, begun) = (self.whole(), Instant::now());
        let mut found = Vec::new();
        for number in order.into_iter().take(most) {
            if begun.elapsed() > patience {
                break;
            }
            let outcome = whole.get(self.states[number].whole);
            let way = outcome.and_then(|outcome| self.way_to(program, outcome));
            found.extend(way.map(|way| (number, way)));
        }
        found.sort_by_key(|(number, _)| *number);
        found
    }

    /// How the program gets to at most so many of its errors, by their numbers: to those that SC does not have before
    /// others. After a while no further one is looked for.
    pub fn failures(
        &self,
        program: &Program,
        most: usize,
        patience: Duration,
    ) -> Vec<(usize, Witness)> {
        let mut order: Vec<usize> = (0..self.errors.len()).collect();
        order.sort_by_key(|number| self.errors[*number].only_weak == Some(false));
        let begun = Instant::now();
        let mut found = Vec::new();
        for number in order.into_iter().take(most) {
            if begun.elapsed() > patience {
                break;
            }
            let way = self.way_to_error(program, &self.errors[number]);
            found.extend(way.map(|way| (number, way)));
        }
        found.sort_by_key(|(number, _)| *number);
        found
    }

    /// How the program gets to an error.
    fn way_to_error(&self, program: &Program, error: &FailedRun) -> Option<Witness> {
        let FailedRun { thread, edge, .. } = *error;
        match &self.found {
            Found::Explored(found) => {
                let run = found.failing_run(program, Error { thread, edge })?;
                Some(Witness::Run(Box::new(run)))
            }
            Found::Enumerated(found) => {
                let mut all = found.errors.iter();
                let (_, execution) =
                    all.find(|(one, _)| (one.thread, one.edge) == (thread, edge))?;
                Some(Witness::Graph(Box::new(execution.clone())))
            }
            Found::Nothing => None,
        }
    }

    /// How the program gets to a state.
    fn way_to(&self, program: &Program, outcome: &Outcome) -> Option<Witness> {
        match &self.found {
            Found::Explored(found) => Some(Witness::Run(Box::new(found.run(program, outcome)?))),
            Found::Enumerated(found) => {
                let mut all = found.states.iter();
                let (_, execution) = all.find(|(state, _)| {
                    state.registers == outcome.registers && state.cells == outcome.changed_memory
                })?;
                Some(Witness::Graph(Box::new(execution.clone())))
            }
            Found::Nothing => None,
        }
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
