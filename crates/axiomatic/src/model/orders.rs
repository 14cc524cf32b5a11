//! Which accesses acquire and which release, where a model takes the orders at their word.

use program::Order;

use crate::execution::Execution;
use crate::relation::EventSet;

/// The writes with an order that releases.
pub(super) fn releasing_writes(execution: &Execution) -> EventSet {
    execution.writes & execution.events_with(|event| releases(event.order))
}

/// Whether an order acquires.
pub(crate) const fn acquires(order: Order) -> bool {
    match order {
        Order::Acquire | Order::AcquireRelease | Order::SeqCst => true,
        Order::Plain | Order::Volatile | Order::Relaxed | Order::Release => false,
    }
}

/// Whether an order releases.
pub(super) const fn releases(order: Order) -> bool {
    match order {
        Order::Release | Order::AcquireRelease | Order::SeqCst => true,
        Order::Plain | Order::Volatile | Order::Relaxed | Order::Acquire => false,
    }
}
