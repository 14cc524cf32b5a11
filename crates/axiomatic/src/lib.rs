//! Weak memory by axioms: all candidate executions of a program, and which of them each
//! model allows.
//!
//! A candidate execution is a graph of events: what each thread read and wrote, from which write
//! each read got its value (`rf`), in which order the writes to one address happened (`co`). A
//! model is a set of axioms about such graphs. [`outcomes`] enumerates the candidates and keeps one
//! allowed execution for each final state; [`Outcomes::answer`] then answers the question that
//! the program asks.
//!
//! - `task`, `run`, `log`, `step`, `access`, `loops`, `flow`, `range`, `future`: what each thread does, as far as
//!   its reads and the answers to its questions are decided, and what it may do yet.
//! - `explore`, `graph`, `coherence`, `search`, `enumerate`: building executions event by event, choosing `rf` and `co`.
//! - `symmetry`: threads that do the same. `parts`: threads that share no memory with others.
//! - `reordered`: which pairs of accesses are reordered, so that SC or TSO would forbid the execution.
//! - [`relation`], [`execution`], [`event`], [`axiom`]: what axioms are made of, and why they are violated.
//! - [`axioms`]: what a model has to say about an execution.
//! - [`cat`]: models that are read from files.
//! - [`model`]: the axioms, one file per model, with their sources.

pub mod axiom;
pub mod axioms;
pub mod cat;
pub mod event;
pub mod execution;
pub mod limits;
pub mod model;
pub mod outcome;
pub mod relation;

mod access;
mod any_model;
mod coherence;
mod enumerate;
mod event_set;
mod explore;
mod flow;
mod future;
mod graph;
mod log;
mod loops;
mod parts;
mod range;
mod reordered;
mod run;
mod search;
mod shape;
mod step;
mod symmetry;
mod task;
mod why_not;

pub use any_model::AnyModel;
pub use axiom::Violation;
pub use axioms::{Axioms, Flag, Judgement, SilentUpdates};
pub use cat::CatModel;
pub use enumerate::{outcomes, outcomes_while};
pub use execution::Execution;
pub use limits::{Bound, Limits, MOST_ROUNDS, NoAnswer};
pub use model::Model;
pub use outcome::{Answer, FinalState, Observation, Outcomes, Raised, WhyNot};
pub use reordered::{
    Compared, Does, Looking, NOTHING_ADDED, Pair, Reordered, Respected, reordered,
};
pub use run::PossibleFault;
pub use why_not::why_not;
