//! Barriers of both Arm instruction sets. All threads and all memory are in one inner shareable
//! domain, so that `SY`, `ISH` and `OSH` are the same; `NSH` orders nothing, since it speaks of what
//! a processor sees of itself.
//!
//! `DSB` orders accesses as `DMB` does, except that no later instruction begins before a `DSB` is
//! complete: `DSB ST` of A64 orders earlier stores before all later accesses (DDI 0487, B2.3,
//! DSB-ordered-before) and not only before stores. For A32 it is as strong as `DMB ST`, as the
//! published model has it (Alglave, Maranget, Tautschnig: "Herding cats", TOPLAS 2014).

use program::FenceKind;

use super::super::load_store::Cell;
use super::super::load_store::syntax::{Line, Step};
use crate::token::Parsed;

/// What a barrier waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waits {
    ForAll,
    ForLoads,
    ForStores,
    /// For nothing that another thread could see.
    Within,
}

/// The options of `DMB` and `DSB`.
const OPTIONS: [(&str, Waits); 12] = [
    ("SY", Waits::ForAll),
    ("ISH", Waits::ForAll),
    ("OSH", Waits::ForAll),
    ("NSH", Waits::Within),
    ("LD", Waits::ForLoads),
    ("ISHLD", Waits::ForLoads),
    ("OSHLD", Waits::ForLoads),
    ("NSHLD", Waits::Within),
    ("ST", Waits::ForStores),
    ("ISHST", Waits::ForStores),
    ("OSHST", Waits::ForStores),
    ("NSHST", Waits::Within),
];

/// Of which instruction set a barrier is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::litmus) enum Set {
    A32,
    A64,
}

/// The rest of a barrier after its mnemonic; nothing if it is none.
pub(in crate::litmus) fn line(
    mnemonic: &str,
    set: Set,
    cell: &mut Cell<'_>,
) -> Option<Parsed<Line>> {
    // herd also writes `DMB.ST`.
    let (stem, written) = match mnemonic.split_once('.') {
        Some((stem, option)) => (stem, Some(option.to_ascii_uppercase())),
        None => (mnemonic, None),
    };
    let kinds = match stem {
        "dmb" | "dsb" => waits(cell, written).map(|waits| kinds(waits, set, stem == "dsb")),
        "isb" if written.is_none() => {
            cell.eat_word("SY");
            Ok(vec![FenceKind::Control])
        }
        _ => return None,
    };
    let steps = kinds.map(|kinds| kinds.into_iter().map(Step::Fence).collect());
    Some(steps.map(|steps| Line::new(steps, cell.span())))
}

fn kinds(waits: Waits, set: Set, completes: bool) -> Vec<FenceKind> {
    match waits {
        Waits::ForAll => vec![FenceKind::Full],
        Waits::ForLoads => vec![FenceKind::Acquire],
        Waits::ForStores if completes && set == Set::A64 => {
            vec![FenceKind::StoreStore, FenceKind::StoreLoad]
        }
        Waits::ForStores => vec![FenceKind::StoreStore],
        Waits::Within => Vec::new(),
    }
}

/// What the option says: the one after the dot, or else the next word.
fn waits(cell: &mut Cell<'_>, written: Option<String>) -> Parsed<Waits> {
    let find = |word: &str| OPTIONS.iter().find(|(name, _)| *name == word).map(|(_, waits)| *waits);
    if let Some(option) = written {
        return match find(&option) {
            Some(waits) => Ok(waits),
            None => cell.unknown(),
        };
    }
    if cell.is_at_end() {
        return Ok(Waits::ForAll);
    }
    let Some(waits) = find(&cell.peek().text.to_ascii_uppercase()) else {
        return cell.unexpected("what the barrier orders, such as `SY`, `LD` or `ST`");
    };
    cell.advance();
    Ok(waits)
}
