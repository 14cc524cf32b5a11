//! Operational semantics, and nothing else: the code that every verdict rests on.
//!
//! A [`Machine`] says which [`Move`]s a program can make in a [`State`] under a [`Model`] and what
//! each does ([`Action`]); the rules are in `step` and `execute`. [`replay()`] checks a claimed
//! computation against them step by step. [`Trace`] is what a computation leaves when the
//! interleaving is forgotten, and its cycles tell TSO from SC ([`happens_before`]).
//!
//! The model is that of "Checking and Enforcing Robustness against TSO" (Bouajjani, Derevenetc,
//! Meyer; ESOP'13), Sections 2 and 3, with the locked instructions of x86-TSO added. An analysis
//! can be wrong in many ways, but a counterexample that [`replay()`] accepts is right however it
//! was found.
//!
//! This crate depends on the program model only, and does no input or output.

pub mod action;
pub mod happens_before;
pub mod machine;
pub mod realisable;
pub mod replay;
pub mod state;
pub mod trace;

mod execute;
mod step;

#[cfg(test)]
mod lemma;
#[cfg(test)]
mod sample;

pub use action::{Action, Choice, Model, Move, NotEnabled, Offer};
pub use happens_before::{Edge, Relation};
pub use machine::Machine;
pub use realisable::Same;
pub use replay::{Computation, Mismatch, Rejection, Run, Step, replay};
pub use state::{Control, State, ThreadState, Write};
pub use trace::{Event, Node, NodeId, Source, Trace, Undrained};
