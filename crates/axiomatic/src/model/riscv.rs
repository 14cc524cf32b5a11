//! RISC-V: RVWMO.
//!
//! The RISC-V Instruction Set Manual, volume I, chapter "RVWMO memory consistency model": one global
//! memory order contains the preserved program order, rules 1 to 13 below; the *load value* axiom
//! lets a load see its own hart's store early (so `rfi` is not in the order); the *atomicity* axiom
//! is [`Execution::is_atomic`].
//!
//! An AMO is one memory operation in that order, so its read and its write stand at one place. The
//! orders are the annotations `.aq` and `.rl`. Those of AMOs, `lr` and `sc` are `RCsc`; those of plain
//! accesses, which herd knows and the manual reserves, are `RCpc`: rule 7 does not speak of them. Fences
//! order what their kind says (`fence.tso` is [`FenceKind::Lightweight`](program::FenceKind)); `fence.i`
//! does not concern data. Dependencies may also start at a store-conditional, from its success. The orders
//! of a language are compiled first (`program::mapping`).

use crate::axiom::Axiom;
use crate::event::Event;
use crate::execution::Execution;
use crate::model::fences::ordered_by_fences;
use crate::model::orders::{acquires, releases};
use crate::relation::{EventSet, Relation};

/// A global memory order exists.
pub(super) fn axioms(execution: &Execution) -> Vec<Axiom> {
    let updates = execution.events_with(Event::is_update);
    let amo = execution.rmw.starting_in(updates);
    let one_operation = (&amo | amo.inverse()).or_same();
    let between_operations =
        |part: Relation| one_operation.then(&part).then(&one_operation) - &one_operation;
    let parts = [
        ("ppo 1-3", overlapping_addresses(execution)),
        ("ppo 4-8", explicit_synchronisation(execution)),
        ("ppo 9-11", syntactic_dependencies(execution)),
        ("ppo 12-13", pipeline_dependencies(execution)),
        ("rfe", execution.rfe()),
        ("co", execution.co.clone()),
        ("fr", execution.fr.clone()),
    ];
    let parts = parts.into_iter().map(|(name, part)| (name, between_operations(part)));
    vec![Axiom::acyclic("global memory order", parts.collect())]
}

/// Rules 1 to 3.
fn overlapping_addresses(execution: &Execution) -> Relation {
    let Execution { reads, writes, rf, .. } = execution;
    let po_loc = execution.po_loc();
    let write_between = po_loc.ending_in(*writes).then(&po_loc);
    // Where a source is undecided, it may be the same.
    let undecided =
        execution.product(execution.open, *reads) | execution.product(*reads, execution.open);
    let same_source = rf.inverse().then(rf) | undecided;
    let atomic = atomic_operations(execution);
    po_loc.ending_in(*writes)
        | (po_loc.starting_in(*reads).ending_in(*reads) - write_between - same_source)
        | execution.rfi().starting_in(atomic)
}

/// The accesses of AMOs, `lr` and `sc`.
fn atomic_operations(execution: &Execution) -> EventSet {
    execution.events_with(|event| event.is_update() || event.is_exclusive())
}

/// Rules 4 to 8.
fn explicit_synchronisation(execution: &Execution) -> Relation {
    let po = execution.po_accesses();
    let acquire = execution.events_with(|event| acquires(event.order));
    let release = execution.events_with(|event| releases(event.order));
    let rcsc = (acquire | release) & atomic_operations(execution);
    ordered_by_fences(execution, execution.reads)
        | po.starting_in(acquire)
        | po.ending_in(release)
        | po.starting_in(rcsc).ending_in(rcsc)
        | &execution.rmw
}

/// Rules 9 to 11.
fn syntactic_dependencies(execution: &Execution) -> Relation {
    let Execution { syntactic, success, .. } = execution;
    let ctrl = &syntactic.ctrl | &success.ctrl;
    &syntactic.addr
        | &success.addr
        | &syntactic.data
        | &success.data
        | ctrl.ending_in(execution.writes)
}

/// Rules 12 and 13.
fn pipeline_dependencies(execution: &Execution) -> Relation {
    let Execution { syntactic, success, writes, .. } = execution;
    let addr = &syntactic.addr | &success.addr;
    let data = &syntactic.data | &success.data;
    let through_a_store = (&addr | data).ending_in(*writes).then(&execution.rfi());
    through_a_store | addr.then(&execution.po_accesses()).ending_in(*writes)
}
