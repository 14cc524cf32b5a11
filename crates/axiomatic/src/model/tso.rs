//! Total store order, as `program::instruction` describes it: x86-TSO.
//!
//! Owens, Sarkar and Sewell, "A better x86 memory model: x86-TSO" (TPHOLs 2009); as axioms: Herding
//! cats (TOPLAS 2014), Fig. 21 and Lemma 4.2. One order of all accesses to memory exists in which a
//! write may come after later reads of its thread, which may read from it before (`rfi` is not in
//! the order).
//!
//! Accesses across cells are ordered as a whole: whoever observes one cell of an access observes all of
//! it (`ob = obs; si ∪ lob` in herd's `x86tso-mixed.cat`).
//!
//! Locked accesses (updates, `seq_cst` stores, exclusive stores) wait for the buffer and reach
//! memory at once, so nothing passes them. A failed exclusive store waits for the buffer too.
//! Fences wait if they order stores before loads.

use program::Order;

use crate::axiom::Axiom;
use crate::event::{Effect, Event, Origin};
use crate::execution::Execution;
use crate::relation::Relation;

/// `acyclic(ppo ∪ fences ∪ rfe ∪ co ∪ fr)`, and reservations stand.
pub(super) fn axioms(execution: &Execution) -> Vec<Axiom> {
    let ppo = execution.po_accesses() - execution.product(execution.writes, execution.reads);
    vec![one_order(execution, ppo, not_passed(execution))]
}

/// One order of memory exists that contains this preserved program order, and what fences and locked
/// accesses keep in order.
pub(super) fn one_order(execution: &Execution, ppo: Relation, fences: Relation) -> Axiom {
    let parts = vec![
        ("ppo", ppo),
        ("fence", fences),
        ("rfe", execution.at_once(execution.rfe())),
        ("co", execution.at_once(execution.co.clone())),
        ("fr", execution.at_once(execution.fr.clone())),
        ("reservation", execution.at_once(reservations(execution))),
    ];
    Axiom::acyclic("global happens-before", parts)
}

/// Writes before later reads, where a locked access or a fence does not let reads pass.
pub(super) fn not_passed(execution: &Execution) -> Relation {
    let locked = execution.events_with(is_locked);
    let waiting = execution.events_with(waits_for_the_buffer);
    let po = execution.po_accesses();
    po.starting_in(locked) | po.ending_in(locked) | execution.separated_by(waiting)
}

/// The write of another thread that precedes an exclusive store in `co` precedes the exclusive load
/// too: later it would end the reservation, also of a load that read from its own thread's buffer.
fn reservations(execution: &Execution) -> Relation {
    execution.coe().then(&execution.rmw.inverse())
}

/// Whether an access reaches memory at once, with an empty buffer.
fn is_locked(event: &Event) -> bool {
    match (event.effect, event.origin) {
        (Effect::Read { .. } | Effect::Write { .. }, Origin::Update { .. })
        | (Effect::Write { .. }, Origin::Exclusive) => true,
        (Effect::Write { .. }, Origin::Ordinary) => event.order == Order::SeqCst,
        (Effect::Read { .. }, Origin::Ordinary | Origin::Exclusive | Origin::Initial)
        | (Effect::Write { .. }, Origin::Initial)
        | (Effect::Fence(_) | Effect::FailedExclusive, _) => false,
    }
}

fn waits_for_the_buffer(event: &Event) -> bool {
    match event.effect {
        Effect::Fence(kind) => kind.orders_store_before_load(),
        Effect::FailedExclusive => true,
        Effect::Read { .. } | Effect::Write { .. } => false,
    }
}
