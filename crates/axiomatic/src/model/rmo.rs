//! Relaxed memory order.
//!
//! The SPARC Architecture Manual, version 9 (1994), appendix D. One order of memory exists in which
//!
//! 1. a read comes before what *depends* on it. Dependence is transitive, and begins with what uses a register
//!    that was read, with a store after a branch on it, and with a read of an address that its thread has
//!    written before;
//! 2. accesses that a fence orders come in program order;
//! 3. an access comes before a later store of its thread to the same address.
//!
//! A read returns the last in this order of all stores before it in this order or in program order. So `co` is
//! the order of the stores to an address; `rfe` and `fr` are part of it, and `rfi` is not. As for coherence
//! this leaves *sc per location* but for pairs of reads (Herding cats, TOPLAS 2014, §4.2, *load-load hazards*):
//! the second may see an older write than the first, unless something orders the two.
//!
//! A dependent address does not hold back the stores after the access, as it does on Power and Arm.
//!
//! Updates and what else is locked under total store order have full fences on either side, as compilers put
//! them there: the manual's atomic instructions order nothing by themselves. A store that releases has a fence
//! before it, for loads and stores before stores, and a load that acquires one after it, for loads before
//! loads and stores.

use crate::axiom::Axiom;
use crate::execution::Execution;
use crate::model::fences::ordered_by_fences;
use crate::model::orders::{acquires, releasing_writes};
use crate::model::tso;
use crate::relation::Relation;

/// `acyclic(ppo ∪ fences ∪ rfe ∪ co ∪ fr)`, and reservations stand.
pub(super) fn axioms(execution: &Execution) -> Vec<Axiom> {
    let Execution { reads, writes, .. } = execution;
    let ppo = dependence(execution).starting_in(*reads) | execution.po_loc().ending_in(*writes);
    let fences = ordered_by_fences(execution, *reads)
        | around_releasing(execution)
        | around_acquiring(execution)
        | tso::not_passed(execution);
    vec![tso::one_order(execution, ppo, fences)]
}

/// What depends on what.
fn dependence(execution: &Execution) -> Relation {
    let Execution { syntactic, reads, writes, .. } = execution;
    let through_memory = execution.po_loc().starting_in(*writes).ending_in(*reads);
    let direct = &syntactic.addr | &syntactic.data | syntactic.ctrl.ending_in(*writes);
    (direct | through_memory).transitive()
}

/// What a fence for stores before each store that releases puts in order.
fn around_releasing(execution: &Execution) -> Relation {
    let releasing = releasing_writes(execution);
    let before = execution.po_accesses().ending_in(releasing);
    let after = execution.po.starting_in(releasing).ending_in(execution.writes);
    before.then(&after) | before
}

/// What a fence for loads after each load that acquires puts in order.
fn around_acquiring(execution: &Execution) -> Relation {
    let acquiring = execution.reads & execution.events_with(|event| acquires(event.order));
    let reads = execution.po.starting_in(execution.reads).ending_in(acquiring);
    let after = execution.po_accesses().starting_in(acquiring);
    reads.then(&after) | after
}
