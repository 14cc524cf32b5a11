//! Exact breadth-first search of a transition system whose states are packed into a few words.
//!
//! The answer is closed ([`Outcome`]): the reachable states were exhausted and none is a goal; a
//! goal was found, with a shortest path to it; or a limit stopped the search, which then has
//! nothing to say. Every state is stored whole, so no two are ever confused: there is no hash
//! compaction and no bit-state hashing. There is no recursion over states, and running out of
//! memory is a limit like any other.
//!
//! Verdict, number of states and path do not depend on the number of threads: levels are finished
//! before a goal is reported, and of several goals or predecessors the least is taken.
//!
//! This crate has never heard of programs, memory models or fences. Its tests are graphs whose
//! answers are known by hand or found by a search that is too simple to be wrong.

mod limits;
mod path;
mod search;
mod set;

pub use limits::{Limit, Limits, Progress};
pub use search::{Outcome, Search, Statistics, search};

/// A packed state.
pub type State<const W: usize> = [u64; W];

/// A transition system with states of `W` words.
pub trait System<const W: usize>: Sync {
    /// The initial states; repetitions do no harm.
    fn initial(&self) -> Vec<State<W>>;

    /// Calls `visit` with each successor of a state, in any order; repetitions do no harm.
    fn successors(&self, state: &State<W>, visit: impl FnMut(State<W>));

    /// Whether a state is what is looked for.
    fn is_goal(&self, state: &State<W>) -> bool;
}
