//! Power.
//!
//! Herding cats (TOPLAS 2014), §6 and Figs. 18 and 25, in the framework of
//! [`herding_cats`]: `sync` is the full fence; `lwsync` orders all but writes
//! before reads, `eieio` writes before writes; `isync` makes control dependencies order reads.
//!
//! Power has no other fences: what orders stores before loads is a `sync` here, any other kind an
//! `lwsync`. Accesses with an order are what compilers make of them (Batty et al., "Clarifying and
//! compiling C/C++ concurrency", POPL 2012): a read that acquires is followed by a branch on it and
//! an `isync`, what releases has an `lwsync` before it, what is sequentially consistent a `sync`.
//! Updates are a load-reserved and a store-conditional that succeed.

use program::FenceKind;

use crate::execution::Execution;
use crate::model::herding_cats::{self, Architecture, ctrl_fence, dependent_commits};
use crate::model::orders::{
    acquiring_reads, fence_before, releasing_starts, sequentially_consistent,
};
use crate::relation::{EventSet, Relation};

/// Whether the axioms hold.
pub(super) fn allows(execution: &Execution) -> bool {
    let starts = sequentially_consistent(execution) - written_by_updates(execution);
    let sync = separated(execution, &[FenceKind::Full, FenceKind::StoreLoad])
        | fence_before(execution, starts);
    let lwsync = separated(
        execution,
        &[
            FenceKind::Lightweight,
            FenceKind::LoadLoad,
            FenceKind::LoadStore,
            FenceKind::Acquire,
            FenceKind::Release,
        ],
    ) | fence_before(execution, releasing_starts(execution));
    let eieio = separated(execution, &[FenceKind::StoreStore]);
    let write_read = execution.product(execution.writes, execution.reads);
    let write_write = execution.product(execution.writes, execution.writes);
    let isync = execution.po_accesses().starting_in(acquiring_reads(execution));
    let architecture = Architecture {
        full: sync,
        lightweight: (lwsync - write_read) | (eieio & write_write),
        ctrl_fence: ctrl_fence(execution) | isync,
        commit_commit: dependent_commits(execution) | execution.po_loc(),
    };
    herding_cats::allows(execution, &architecture)
}

fn separated(execution: &Execution, kinds: &[FenceKind]) -> Relation {
    let fences =
        kinds.iter().fold(EventSet::EMPTY, |fences, kind| fences | execution.fences(*kind));
    execution.separated_by(fences)
}

fn written_by_updates(execution: &Execution) -> EventSet {
    execution.writes & execution.events_with(crate::event::Event::is_update)
}
