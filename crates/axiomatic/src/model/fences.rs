//! What the kinds of fences order, where a model takes them at their word
//! (`program::FenceKind`: stores before it, loads before it, and so on).

use program::FenceKind;

use crate::execution::Execution;
use crate::relation::{EventSet, Relation};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Load,
    Store,
}

use Access::{Load, Store};

/// Which accesses before a fence come before which after it.
const fn orders(kind: FenceKind) -> &'static [(Access, Access)] {
    match kind {
        FenceKind::Full => &[(Load, Load), (Load, Store), (Store, Load), (Store, Store)],
        FenceKind::Lightweight => &[(Load, Load), (Load, Store), (Store, Store)],
        FenceKind::StoreStore => &[(Store, Store)],
        FenceKind::LoadLoad => &[(Load, Load)],
        FenceKind::LoadStore => &[(Load, Store)],
        FenceKind::StoreLoad => &[(Store, Load)],
        FenceKind::Acquire => &[(Load, Load), (Load, Store)],
        FenceKind::Release => &[(Load, Store), (Store, Store)],
        FenceKind::Control => &[],
    }
}

/// What the fences of all kinds put in order, where only the loads in `loads` are held back from
/// being passed.
pub(super) fn ordered_by_fences(execution: &Execution, loads: EventSet) -> Relation {
    let mut ordered = execution.nothing();
    for kind in FenceKind::ALL {
        let fences = execution.fences(kind);
        if fences.is_empty() {
            continue;
        }
        let separated = execution.separated_by(fences);
        for (before, after) in orders(kind) {
            let before = match before {
                Load => loads,
                Store => execution.writes,
            };
            let after = match after {
                Load => execution.reads,
                Store => execution.writes,
            };
            ordered = ordered | separated.starting_in(before).ending_in(after);
        }
    }
    ordered
}
