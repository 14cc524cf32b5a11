//! `ARMv7`: Arm before the architecture became multi-copy atomic.
//!
//! Herding cats (TOPLAS 2014), §6.1.2 and §8.1, the model the paper proposes for Arm: that of Power
//! without `po-loc` in `cc0`, since Arm machines commit accesses to one address out of order (the
//! tests with `fri-rfi` in their names). `dmb` and `dsb` are full fences, `dmb.st` and `dsb.st` are
//! full fences between writes only; `isb` makes control dependencies order reads.
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
    let write_write = execution.product(execution.writes, execution.writes);
    let architecture = Architecture {
        full: separated(FenceKind::Full) | (separated(FenceKind::StoreStore) & write_write),
        lightweight: execution.nothing(),
        ctrl_fence: ctrl_fence(execution),
        commit_commit: dependent_commits(execution),
    };
    herding_cats::axioms(execution, &architecture)
}
