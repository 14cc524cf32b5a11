//! Static critical cycles: which accesses of a program an architecture may reorder to the effect that an
//! execution is not SC, or not one of x86, and the cheapest fences that keep them in order.
//!
//! Alglave, Kroening, Nimal, Poetzl, "Don't sit on the fence: a static analysis approach to automatic fence
//! insertion" (CAV 2014), for programs of any size, any data and any number of threads. Nothing is explored.
//! What is found may be too much, and is never too little: a program without delays behaves as under SC.
//!
//! - [`architecture`]: the one table of what each architecture keeps in order.
//! - [`machine`]: the event graph, compiled for an architecture by `compile`.
//! - `order`: program order with calls and fences; `classes`: events that are alike; `reach`: their order.
//! - [`critical`]: which pairs lie on critical cycles, and how strongly they must be ordered; the theory.
//!   `relaxed` and `search` find the cycles. [`reference`](mod@reference): what a program is compared with.
//! - [`delays`], [`stretch`]: what is not ordered strongly enough; `unordered` finds it, `overwritten` knows
//!   what x86 orders beside.
//! - [`orders`]: orders of accesses as decisions; [`groups`]: which accesses share one. [`placement`]: the
//!   cheapest fences and orders; [`loops`]: where they are executed more often.
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
pub mod groups;
pub mod loops;
pub mod machine;
pub mod orders;
pub mod placement;
pub mod policy;
pub mod reference;
pub mod stretch;

mod bits;
mod classes;
mod compile;
pub mod order;
mod overwritten;
mod reach;
mod relaxed;
mod search;
mod unordered;

pub use architecture::{Arch, Direction, Strength};
pub use critical::{Communication, Context};
pub use delays::{Analysis, Delay, Needed, Put, Strongly, Wanted};
pub use enumerate::{Cycle, Cycles, Visit, critical_cycles};
pub use explain::Explainer;
pub use groups::Groups;
pub use loops::loop_depths;
pub use machine::{Changed, Event, EventId, Machine, NodeRef, Orders, Settings};
pub use order::Passed;
pub use placement::{
    Costs, Decision, Left, Made, NO_ORDERS, NONE_GOES, NoFence, OutOfTime, Placement, place_fences,
    place_for_all,
};
pub use policy::{ByPolicy, Policy, by_policy};
pub use reference::Reference;
pub use stretch::{Link, Stretch};
