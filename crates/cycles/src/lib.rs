//! Static critical cycles: which accesses of a program an architecture may reorder to the effect that an
//! execution is not SC, and the cheapest fences that keep them in order.
//!
//! Alglave, Kroening, Nimal, Poetzl, "Don't sit on the fence: a static analysis approach to automatic fence
//! insertion" (CAV 2014), for programs of any size, any data and any number of threads. Nothing is explored.
//! What is found may be too much, and is never too little: a program without delays behaves as under SC.
//!
//! - [`architecture`]: the one table of what each architecture keeps in order.
//! - [`machine`]: the event graph, compiled for an architecture by `compile`.
//! - `order`: program order with calls and fences; `classes`: events that are alike; `reach`: their order.
//! - [`critical`]: which pairs lie on critical cycles, and how strongly they must be ordered; the theory.
//!   `relaxed` and `search` find the cycles.
//! - [`delays`], [`stretch`]: what is not ordered strongly enough; `unordered` finds it, `overwritten` knows
//!   what x86 orders beside.
//! - [`placement`]: the cheapest fences; [`loops`]: where they are executed more often.
//! - [`explain`]: a cycle for a delay; [`enumerate`]: all critical cycles, for small graphs.
//! - [`policy`]: older ways to place fences, to be compared with.
//! - [`answer`]: all that as plain data, to be shown.
//!
//! This crate knows event graphs and fences. It knows no language, no states and no executions.

pub mod answer;
pub mod architecture;
pub mod critical;
pub mod delays;
pub mod enumerate;
pub mod explain;
pub mod loops;
pub mod machine;
pub mod placement;
pub mod policy;
pub mod stretch;

mod bits;
mod classes;
mod compile;
mod order;
mod overwritten;
mod reach;
mod relaxed;
mod search;
mod unordered;

pub use architecture::{Arch, Direction, Strength};
pub use critical::{Communication, Context};
pub use delays::{Analysis, Delay, Put, Wanted};
pub use enumerate::{Cycle, Cycles, Visit, critical_cycles};
pub use explain::Explainer;
pub use loops::loop_depths;
pub use machine::{Event, EventId, Machine, Orders};
pub use placement::{Costs, Left, NoFence, OutOfTime, Placement, place_fences};
pub use policy::{ByPolicy, Policy, by_policy};
pub use stretch::{Link, Stretch};
