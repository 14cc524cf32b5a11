//! `ARMv7`: Arm before the architecture became multi-copy atomic.
//!
//! Herding cats (TOPLAS 2014), §6.1.2 and §8.1, the model the paper proposes for Arm: that of Power
//! without `po-loc` in `cc0`, since Arm machines commit accesses to one address out of order (the
//! tests with `fri-rfi` in their names). `dmb` and `dsb` are full fences, `dmb.st` and `dsb.st` are
//! full fences between writes only; `isb` makes control dependencies order reads.
//!
//! Arm has no other fences, so other kinds are a `dmb`. Accesses with an order are what compilers
//! make of them (Batty et al., POPL 2012): a `dmb` after what acquires, before what releases, and
//! both for what is sequentially consistent and writes. Updates are a load-exclusive and a
//! store-exclusive that succeed.

use program::FenceKind;

use crate::execution::Execution;
use crate::model::herding_cats::{self, Architecture, ctrl_fence, dependent_commits};
use crate::model::orders::{
    acquiring_reads, fence_after, fence_before, releasing_starts, sequentially_consistent,
};
use crate::relation::{EventSet, Relation};

/// Whether the axioms hold.
pub(super) fn allows(execution: &Execution) -> bool {
    let fences = execution.events_with(|event| is_dmb(event.effect));
    let after = acquiring_reads(execution) | sequentially_consistent(execution);
    let dmb = execution.separated_by(fences)
        | fence_after(execution, after)
        | fence_before(execution, releasing_starts(execution));
    let dmb_st =
        between_writes(execution, &execution.separated_by(execution.fences(FenceKind::StoreStore)));
    let architecture = Architecture {
        full: dmb | dmb_st,
        lightweight: execution.nothing(),
        ctrl_fence: ctrl_fence(execution),
        commit_commit: dependent_commits(execution),
    };
    herding_cats::allows(execution, &architecture)
}

fn between_writes(execution: &Execution, relation: &Relation) -> Relation {
    let writes: EventSet = execution.writes;
    relation.starting_in(writes).ending_in(writes)
}

const fn is_dmb(effect: crate::event::Effect) -> bool {
    use crate::event::Effect;
    match effect {
        Effect::Fence(kind) => match kind {
            FenceKind::Full
            | FenceKind::Lightweight
            | FenceKind::LoadLoad
            | FenceKind::LoadStore
            | FenceKind::StoreLoad
            | FenceKind::Acquire
            | FenceKind::Release => true,
            FenceKind::StoreStore | FenceKind::Control => false,
        },
        Effect::Read { .. } | Effect::Write { .. } | Effect::FailedExclusive => false,
    }
}
