//! The framework of "Herding cats" for Power and `ARMv7`.
//!
//! Jade Alglave, Luc Maranget, Michael Tautschnig: "Herding cats: modelling, simulation, testing,
//! and data mining for weak memory" (TOPLAS 36(2), 2014). The axioms are those of Fig. 5, the
//! propagation order that of Fig. 18, the preserved program order that of Fig. 25 (there for Power).

use program::FenceKind;

use crate::axiom::Axiom;
use crate::execution::Execution;
use crate::relation::Relation;

/// What an architecture puts into the framework.
pub(super) struct Architecture {
    /// Full fences (`ffence`).
    pub(super) full: Relation,
    /// Lightweight fences (`lwfence`).
    pub(super) lightweight: Relation,
    /// Branches followed by a control fence, from the reads that decide them (`ctrl+cfence`).
    pub(super) ctrl_fence: Relation,
    /// Commit before commit (`cc0`).
    pub(super) commit_commit: Relation,
}

/// The axioms *no thin air*, *observation* and *propagation*; *sc per location* holds already.
pub(super) fn axioms(execution: &Execution, architecture: &Architecture) -> Vec<Axiom> {
    let Architecture { full, lightweight, .. } = architecture;
    let fences = full | lightweight;
    let rfe = execution.rfe();
    let ppo = preserved_program_order(execution, architecture);
    let happens_before = &ppo | &fences | &rfe;
    let hb_star = happens_before.reflexive_transitive();
    let prop =
        propagation(execution, full, &(&fences | rfe.then(&fences)).then(&hb_star), &hb_star);
    let parts = vec![("ppo", ppo), ("fence", fences), ("rfe", rfe)];
    vec![
        Axiom::acyclic("no thin air", parts),
        Axiom::irreflexive(
            "observation",
            ("fre", execution.fre()),
            ("prop; hb*", prop.then(&hb_star)),
        ),
        Axiom::acyclic("propagation", vec![("co", execution.co.clone()), ("prop", prop)]),
    ]
}

/// `prop = (prop-base ∩ WW) ∪ (com*; prop-base*; ffence; hb*)`.
fn propagation(
    execution: &Execution,
    full: &Relation,
    base: &Relation,
    hb_star: &Relation,
) -> Relation {
    let writes = execution.writes;
    let strong = execution
        .com()
        .reflexive_transitive()
        .then(&base.reflexive_transitive())
        .then(full)
        .then(hb_star);
    base.starting_in(writes).ending_in(writes) | strong
}

/// The least solution of the equations for the order between the initiation (`i`) and the commit
/// (`c`) of instructions; preserved are initiations of reads before initiations of reads and before
/// commits of writes.
fn preserved_program_order(execution: &Execution, architecture: &Architecture) -> Relation {
    let Execution { reads, writes, .. } = *execution;
    let po_loc = execution.po_loc();
    let (rfe, rfi) = (execution.rfe(), execution.rfi());
    // Read different writes; and detour: the write that is read comes from outside.
    let rdw = &po_loc & execution.fre().then(&rfe);
    let detour = &po_loc & execution.coe().then(&rfe);
    let dependencies = &execution.syntactic.addr | &execution.syntactic.data;
    let ii0 = dependencies | rdw | rfi;
    let ci0 = &architecture.ctrl_fence | detour;
    let cc0 = &architecture.commit_commit;
    let (mut ii, mut ci, mut ic, mut cc) =
        (ii0.clone(), ci0.clone(), execution.nothing(), cc0.clone());
    loop {
        let next_ii = &ii0 | &ci | ic.then(&ci) | ii.then(&ii);
        let next_ci = &ci0 | ci.then(&ii) | cc.then(&ci);
        let next_ic = &ii | &cc | ic.then(&cc) | ii.then(&ic);
        let next_cc = cc0 | &ci | ci.then(&ic) | cc.then(&cc);
        let stable = next_ii == ii && next_ci == ci && next_ic == ic && next_cc == cc;
        (ii, ci, ic, cc) = (next_ii, next_ci, next_ic, next_cc);
        if stable {
            break;
        }
    }
    ii.starting_in(reads).ending_in(reads) | ic.starting_in(reads).ending_in(writes)
}

/// `ctrl+cfence`: from a read to what follows a branch on it and then a control fence.
pub(super) fn ctrl_fence(execution: &Execution) -> Relation {
    let fences = execution.fences(FenceKind::Control);
    let fenced = execution.syntactic.ctrl.ending_in(fences).then(&execution.po);
    fenced.ending_in(execution.accesses())
}

/// `dp ∪ ctrl ∪ (addr; po)`, of which `cc0` is made.
pub(super) fn dependent_commits(execution: &Execution) -> Relation {
    let dependencies = &execution.syntactic;
    let dp = &dependencies.addr | &dependencies.data;
    let ctrl = dependencies.ctrl.ending_in(execution.accesses());
    dp | ctrl | dependencies.addr.then(&execution.po_accesses())
}
