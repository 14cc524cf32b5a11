//! Exact breadth-first search of a transition system whose states are packed into a few words.
//!
//! The answer is closed ([`Outcome`]): the reachable states were exhausted and none is a goal; a
//! goal was found, with a shortest path to it; a limit stopped the search, which then has nothing to
//! say; or the system outgrew its packing. What is stored of a state
//! determines it ([`mod@set`]), so no two are ever confused: there is no lossy compaction and no bit-state
//! hashing. There is no recursion over states, and
//! running out of memory is a limit like any other.
//!
//! Verdict, number of states and path do not depend on the number of threads: levels are finished
//! before a goal is reported, and the path comes from a second search by one thread ([`mod@path`]).
//! How many states were found when time or memory ran out does depend on it.
//!
//! This crate has never heard of programs, memory models or fences. Its tests are graphs whose
//! answers are known by hand or found by a search that is too simple to be wrong.

mod account;
mod available;
mod frontier;
mod levels;
mod limits;
mod log;
mod memory;
mod monitor;
mod path;
mod retrace;
mod search;
mod set;
pub mod tables;
mod worker;
mod worker_pool;

pub use available::{available_addresses, available_memory, memory_in_use};
pub use limits::{Limit, Limits, Lookout, Progress, time_to_fill};
pub use path::paths;
pub use search::{Goals, Outcome, Search, Statistics, search, search_all, search_nearest};

/// A packed state. **The highest bit of every word is zero**: the set uses it ([`mod@set`]).
pub type State<const W: usize> = [u64; W];

/// The most bits of a word that a state can use.
pub const WIDEST: u32 = 63;

/// Not all successors of a state can be said before [`System::learn`] was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unknown;

/// Why a system has not learnt what it was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unlearnt {
    /// The packing no longer fits: the search ends with [`Outcome::Outgrown`].
    Outgrown,
    /// A limit is reached: the search ends with [`Outcome::Stopped`].
    Stopped(Limit),
}

/// How a state was found, as far as a system has use for it ([`System::successors_from`]); nothing is
/// known if it is zero.
pub type Origin = u8;

/// A transition system with states of `W` words.
pub trait System<const W: usize>: Send + Sync {
    /// The initial state with this number, from zero on, if there are so many; repetitions do no harm.
    fn initial(&self, number: usize) -> Option<State<W>>;

    /// Calls `visit` with each successor of a state; repetitions do no harm. The order is free, but
    /// must be the same every time, for paths are told as "the third successor of the second".
    ///
    /// [`Unknown`] says that not all can be told yet: what was visited is forgotten, and the state is
    /// expanded again after [`learn`](Self::learn).
    fn successors(&self, state: &State<W>, visit: impl FnMut(State<W>)) -> Result<(), Unknown>;

    /// Calls `visit` with each successor as [`successors`](Self::successors) does, with how it is
    /// found, and with whether it must be looked up; `origin` says how the state itself was found when
    /// it was found first, nothing if it is initial.
    ///
    /// A successor need not be looked up if, among all steps to it from states that are as near to
    /// the initial ones as this state is, there is one of which that is not said, whatever the
    /// origins of the states. Then every state is still found, and as near as it is: no level is left
    /// before all its states are expanded, not even when there is a goal in the next.
    #[inline]
    fn successors_from(
        &self,
        state: &State<W>,
        _origin: Origin,
        mut visit: impl FnMut(State<W>, Origin, bool),
    ) -> Result<(), Unknown> {
        self.successors(state, |next| visit(next, Origin::default(), true))
    }

    /// Bits of each word of a state: **no state has others**. The fewer, the less memory a state takes.
    fn widths(&self) -> [u32; W] {
        [WIDEST; W]
    }

    /// Whether a state is what is looked for.
    fn is_goal(&self, state: &State<W>) -> bool;

    /// Learns what the successors of some states were lacking, while nobody else uses the system.
    /// States keep their meaning and known successors stay as they are. That may take long, so it has a
    /// lookout.
    fn learn(&mut self, _lookout: &mut Lookout) -> Result<(), Unlearnt> {
        Err(Unlearnt::Outgrown)
    }
}
