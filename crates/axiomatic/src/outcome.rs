//! What executions lead to: final states, and the answer to a program's question about them.

use std::collections::BTreeMap;

use program::{
    IndexVec, Observable, Program, Proposition, Quantifier, RegisterId, Thread, ThreadId, Value,
};

use crate::axiom::Violation;
use crate::execution::Execution;
use crate::limits::Bound;
use crate::run::PossibleFault;

/// A final state: every thread has ended, none by a fault, and every write has reached memory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FinalState {
    /// The registers of each thread. Those that have no name in the program hold what they start with.
    pub registers: IndexVec<ThreadId, IndexVec<RegisterId, Value>>,
    /// The cells that do not hold their initial value.
    pub cells: BTreeMap<Value, Value>,
}

/// The final states that a model allows, each with an execution that ends in it.
#[derive(Clone, Debug)]
pub struct Outcomes {
    /// The threads, by whose numbers everything else refers to them.
    pub threads: IndexVec<ThreadId, Thread>,
    /// The final states.
    pub states: BTreeMap<FinalState, Execution>,
    /// The faults that executions end with, each with one.
    pub errors: BTreeMap<PossibleFault, Execution>,
    /// A bound that executions meet, if there is one: then there may be more final states and errors.
    pub bound: Option<Bound>,
    /// The flags that allowed executions raise, by their names, each with the first execution that
    /// raises it.
    pub flags: BTreeMap<String, Raised>,
    /// How many candidate executions the axioms were asked about.
    pub candidates: u64,
}

/// An execution that raises a flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raised {
    /// Whether the program has no defined behaviour for that reason.
    pub undefined: bool,
    /// The events that it is about, in pairs; one event is paired with itself.
    pub pairs: Vec<(usize, usize)>,
    /// The execution.
    pub execution: Execution,
}

/// Why there is no execution of some kind.
#[derive(Clone, Debug, Default)]
pub struct WhyNot {
    /// The kinds of reasons, each an axiom with the relations around a cycle, and a candidate that is
    /// forbidden for it.
    pub kinds: BTreeMap<(String, Vec<String>), (Execution, Violation)>,
    /// How many candidates would be of the kind asked for. If none, and there are no others, not even
    /// coherence and the values themselves allow it.
    pub candidates: u64,
    /// Whether there are others, in which loops go round more often than they were followed.
    pub others: bool,
}

/// How many of the final states considered satisfy a proposition, in the words of herd.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Observation {
    /// None of them.
    Never,
    /// Some of them.
    Sometimes,
    /// All of them, and there are some.
    Always,
}

/// The answer to a program's question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Whether as many final states satisfy the proposition as the question asks for.
    pub holds: bool,
    /// How many do.
    pub observation: Observation,
}

impl FinalState {
    /// The value of something that can be seen in it.
    pub fn see(
        &self,
        program: &Program,
        threads: &IndexVec<ThreadId, Thread>,
        observable: Observable,
    ) -> Value {
        match observable {
            Observable::Cell(_) | Observable::Across(..) => {
                let memory = program.memory();
                let initial = |address| memory.cell(address).map_or(0, |cell| cell.initial);
                let held =
                    |address| self.cells.get(&address).copied().unwrap_or_else(|| initial(address));
                observable.in_memory(memory, held).unwrap_or_default()
            }
            Observable::Register { template, copy, register } => {
                let is_it = |thread: &Thread| thread.template == template && thread.copy == copy;
                let (thread, _) = threads
                    .enumerate()
                    .find(|(_, thread)| is_it(thread))
                    .expect("a valid question is about existing threads");
                self.registers[thread][register]
            }
        }
    }
}

impl Outcomes {
    /// The final states that satisfy a proposition, each with an execution.
    pub fn satisfying<'a>(
        &'a self,
        program: &'a Program,
        proposition: &'a Proposition,
    ) -> impl Iterator<Item = (&'a FinalState, &'a Execution)> {
        let holds = |state: &FinalState| {
            proposition.holds(&|observable| state.see(program, &self.threads, observable))
        };
        self.states.iter().filter(move |(state, _)| holds(state))
    }

    /// The answer to the program's question, if it asks one.
    pub fn answer(&self, program: &Program) -> Option<Answer> {
        let question = program.question();
        let (quantifier, proposition) = question.condition.as_ref()?;
        let everything = Proposition::Constant(true);
        let filter = question.filter.as_ref().unwrap_or(&everything);
        let (mut positive, mut negative) = (0, 0);
        for (state, _) in self.satisfying(program, filter) {
            if proposition.holds(&|observable| state.see(program, &self.threads, observable)) {
                positive += 1;
            } else {
                negative += 1;
            }
        }
        let holds = match quantifier {
            Quantifier::Exists => positive > 0,
            Quantifier::Never => positive == 0,
            Quantifier::Always => negative == 0,
        };
        let observation = match (positive, negative) {
            (0, _) => Observation::Never,
            (_, 0) => Observation::Always,
            (_, _) => Observation::Sometimes,
        };
        Some(Answer { holds, observation })
    }
}
