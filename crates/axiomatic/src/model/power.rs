//! Power.
//!
//! Herding cats (TOPLAS 2014), §6 and Figs. 18 and 25, in the framework of
//! [`herding_cats`]: `sync` is the full fence; `lwsync` orders all but writes
//! before reads, `eieio` writes before writes; `isync` makes control dependencies order reads.
//!
//! There are no other fences, and accesses have no orders: those of a language are compiled first
//! (`program::mapping`).

use program::FenceKind;

use crate::axiom::Axiom;
use crate::execution::Execution;
use crate::model::herding_cats::{self, Architecture, ctrl_fence, dependent_commits};

/// The axioms.
pub(super) fn axioms(execution: &Execution) -> Vec<Axiom> {
    let separated = |kind| execution.separated_by(execution.fences(kind));
    let write_read = execution.product(execution.writes, execution.reads);
    let write_write = execution.product(execution.writes, execution.writes);
    let lwsync = separated(FenceKind::Lightweight) - write_read;
    let eieio = separated(FenceKind::StoreStore) & write_write;
    let architecture = Architecture {
        full: separated(FenceKind::Full),
        lightweight: lwsync | eieio,
        ctrl_fence: ctrl_fence(execution),
        commit_commit: dependent_commits(execution) | execution.po_loc(),
    };
    herding_cats::axioms(execution, &architecture)
}
