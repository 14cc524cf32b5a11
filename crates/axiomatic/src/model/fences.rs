//! What the kinds of fences order, where a model takes them at their word
//! (`program::FenceKind`: stores before it, loads before it, and so on).

use program::FenceKind;

use crate::execution::Execution;
use crate::relation::{EventSet, Relation};

/// What a fence puts in order: whether loads and stores before it come before loads and stores
/// after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Orders {
    load_load: bool,
    load_store: bool,
    store_load: bool,
    store_store: bool,
}

impl Orders {
    const NOTHING: Self =
        Self { load_load: false, load_store: false, store_load: false, store_store: false };

    const fn of(kind: FenceKind) -> Self {
        let nothing = Self::NOTHING;
        match kind {
            FenceKind::Full => {
                Self { load_load: true, load_store: true, store_load: true, store_store: true }
            }
            FenceKind::Lightweight => {
                Self { load_load: true, load_store: true, store_store: true, ..nothing }
            }
            FenceKind::StoreStore => Self { store_store: true, ..nothing },
            FenceKind::LoadLoad => Self { load_load: true, ..nothing },
            FenceKind::LoadStore => Self { load_store: true, ..nothing },
            FenceKind::StoreLoad => Self { store_load: true, ..nothing },
            FenceKind::Acquire => Self { load_load: true, load_store: true, ..nothing },
            FenceKind::Release => Self { load_store: true, store_store: true, ..nothing },
            FenceKind::Control => nothing,
        }
    }
}

/// What the fences of all kinds put in order, loads being the events in `loads`.
pub(super) fn ordered_by_fences(execution: &Execution, loads: EventSet) -> Relation {
    let stores = execution.writes;
    let mut ordered = execution.nothing();
    for kind in FenceKind::ALL {
        let fences = execution.fences(kind);
        let Orders { load_load, load_store, store_load, store_store } = Orders::of(kind);
        if fences.is_empty() {
            continue;
        }
        let separated = execution.separated_by(fences);
        for (ordering, before, after) in [
            (load_load, loads, execution.reads),
            (load_store, loads, stores),
            (store_load, stores, execution.reads),
            (store_store, stores, stores),
        ] {
            if ordering {
                ordered = ordered | separated.starting_in(before).ending_in(after);
            }
        }
    }
    ordered
}
