//! Partial store order.
//!
//! The SPARC Architecture Manual, version 8 (1992), appendix K, and version 9 (1994), appendix D: as
//! total store order, but writes to different addresses may also pass each other, unless a fence
//! that orders stores (`STBAR`) stands between them. Atomic updates, and what else is locked under
//! total store order, wait for all earlier writes and reach memory at once.
//!
//! Fences order what their kind says; loads are never passed, so only stores matter. A store that
//! releases has a fence before it, as compilers put one there: all earlier stores come before it, and before
//! all later ones.

use crate::axiom::Axiom;
use crate::execution::Execution;
use crate::model::fences::ordered_by_fences;
use crate::model::orders::releasing_writes;
use crate::model::tso;
use crate::relation::Relation;

/// `acyclic(ppo ∪ fences ∪ rfe ∪ co ∪ fr)`, and reservations stand.
pub(super) fn axioms(execution: &Execution) -> Vec<Axiom> {
    let ppo = execution.po_accesses().starting_in(execution.reads)
        | execution.po_loc().starting_in(execution.writes).ending_in(execution.writes);
    let fences = ordered_by_fences(execution, execution.reads)
        | around_releasing(execution)
        | tso::not_passed(execution);
    vec![tso::one_order(execution, ppo, fences)]
}

/// What a fence for stores before each store that releases puts in order.
fn around_releasing(execution: &Execution) -> Relation {
    let releasing = releasing_writes(execution);
    let writes = execution.po.starting_in(execution.writes);
    let before = writes.ending_in(releasing);
    let around = before.then(&writes.starting_in(releasing).ending_in(execution.writes));
    before | around
}
