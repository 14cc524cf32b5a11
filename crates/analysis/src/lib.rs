//! Analyses of programs. What they find is data, and a computation they present has been accepted
//! by [`semantics::replay()`].

pub mod simulate;

pub use simulate::{Ending, FinalState, Simulation, Waiting, final_state, simulate};
