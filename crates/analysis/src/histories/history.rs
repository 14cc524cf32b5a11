//! The calls and returns of a run.

use program::{Boundary, IndexVec, Memory, RegisterId, ThreadId, Value};
use semantics::{Computation, Machine, Move};

use super::Histories;

/// A call or a return.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Event {
    /// An operation is called.
    Call {
        /// Its name.
        operation: String,
        /// Its arguments.
        arguments: Vec<Value>,
    },
    /// The operation that the thread has called returns.
    Return {
        /// Its results.
        results: Vec<Value>,
    },
}

impl Event {
    /// What happens at a boundary with these registers.
    pub(super) fn at(
        boundary: &Boundary,
        memory: &Memory,
        registers: &IndexVec<RegisterId, Value>,
    ) -> Self {
        let values = boundary.values().iter().map(|value| {
            value.evaluate(memory, registers).expect("registers and constants have values")
        });
        let values = values.collect();
        match boundary {
            Boundary::Call { operation, .. } => {
                Self::Call { operation: operation.clone(), arguments: values }
            }
            Boundary::Return { .. } => Self::Return { results: values },
        }
    }
}

/// A call or return in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// Whose.
    pub thread: ThreadId,
    /// Which step of the run it is.
    pub step: usize,
    /// What happens.
    pub event: Event,
}

/// The calls and returns of a run, in their order, which no sequential order explains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    /// In which sense none does.
    pub asked: Histories,
    /// The calls and returns.
    pub occurrences: Vec<Occurrence>,
}

impl History {
    /// The history of a computation that is possible.
    pub(super) fn of(machine: &Machine<'_>, computation: &Computation, asked: Histories) -> Self {
        let mut state = machine.initial();
        let mut occurrences = Vec::new();
        for (step, made) in computation.steps.iter().enumerate() {
            if let Move::Execute { thread, edge, .. } = made.taken {
                let template = machine.template(thread);
                if let Some(boundary) = template.boundaries().get(&template.edge(edge).from) {
                    let memory = machine.program().memory();
                    let event = Event::at(boundary, memory, state.thread(thread).registers());
                    occurrences.push(Occurrence { thread, step, event });
                }
            }
            state = machine.apply(&state, made.taken).expect("a possible computation").0;
        }
        Self { asked, occurrences }
    }
}
