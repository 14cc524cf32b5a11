//! Sequential consistency.
//!
//! Lamport (IEEE Trans. Comp. 1979); as an axiom: Shasha and Snir (TOPLAS 1988), Herding cats
//! (TOPLAS 2014), Lemma 4.1.

use crate::axiom::Axiom;
use crate::execution::Execution;

/// `acyclic(po ∪ com)`: all accesses happen in one order that respects program order, and each
/// read sees the latest write.
pub(super) fn axioms(execution: &Execution) -> Vec<Axiom> {
    let Execution { po, rf, co, fr, .. } = execution;
    let parts =
        vec![("po", po.clone()), ("rf", rf.clone()), ("co", co.clone()), ("fr", fr.clone())];
    vec![Axiom::acyclic("sequential consistency", parts)]
}
