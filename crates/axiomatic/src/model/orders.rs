//! Which accesses acquire and which release, where a model takes the orders at their word.

use program::Order;

use crate::execution::Execution;
use crate::relation::{EventSet, Relation};

/// The reads with an order that acquires.
pub(super) fn acquiring_reads(execution: &Execution) -> EventSet {
    execution.reads & execution.events_with(|event| acquires(event.order))
}

/// The writes with an order that releases.
pub(super) fn releasing_writes(execution: &Execution) -> EventSet {
    execution.writes & execution.events_with(|event| releases(event.order))
}

/// The accesses that are sequentially consistent.
pub(super) fn sequentially_consistent(execution: &Execution) -> EventSet {
    execution.accesses() & execution.events_with(|event| event.order == Order::SeqCst)
}

/// Whether an order acquires.
pub(super) const fn acquires(order: Order) -> bool {
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

/// What a fence just before each access of a set separates.
pub(super) fn fence_before(execution: &Execution, set: EventSet) -> Relation {
    execution.po_accesses().ending_in(set) | execution.separated_by(set)
}

/// What a fence just after each access of a set separates.
pub(super) fn fence_after(execution: &Execution, set: EventSet) -> Relation {
    let separated = execution.po_accesses().starting_in(set) | execution.separated_by(set);
    separated - &execution.rmw
}

/// Where an instruction that releases begins: at its read if it is an update, at its write if not.
pub(super) fn releasing_starts(execution: &Execution) -> EventSet {
    let starts = execution.events_with(|event| releases(event.order) && event.is_update());
    (starts & execution.reads) | (releasing_writes(execution) - starts)
}
