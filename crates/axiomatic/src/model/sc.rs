//! Sequential consistency.
//!
//! Lamport (IEEE Trans. Comp. 1979); as an axiom: Shasha and Snir (TOPLAS 1988), Herding cats
//! (TOPLAS 2014), Lemma 4.1.

use crate::axiom::Axiom;
use crate::execution::Execution;
use crate::relation::Relation;

/// `acyclic(po ∪ com)`: all accesses happen in one order that respects program order, and each
/// read sees the latest write. What happens to a cell of an access happens to all of it.
pub(super) fn axioms(execution: &Execution) -> Vec<Axiom> {
    let Execution { po, rf, co, fr, .. } = execution;
    let at_once = |relation: &Relation| execution.at_once(relation.clone());
    let parts =
        vec![("po", po.clone()), ("rf", at_once(rf)), ("co", at_once(co)), ("fr", at_once(fr))];
    vec![Axiom::acyclic("sequential consistency", parts)]
}
