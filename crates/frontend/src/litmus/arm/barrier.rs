//! Barriers of both Arm instruction sets. The shareability domain (`SY`, `ISH`, `OSH`, `NSH`) does
//! not matter, since all threads and all memory are in one; `DSB` orders accesses as `DMB` does.

use program::FenceKind;

use super::super::load_store::Cell;
use super::super::load_store::syntax::{Line, Step};
use crate::token::Parsed;

/// The barriers of `DMB` and `DSB` by their option.
const OPTIONS: [(&str, FenceKind); 12] = [
    ("SY", FenceKind::Full),
    ("ISH", FenceKind::Full),
    ("OSH", FenceKind::Full),
    ("NSH", FenceKind::Full),
    ("LD", FenceKind::Acquire),
    ("ISHLD", FenceKind::Acquire),
    ("OSHLD", FenceKind::Acquire),
    ("NSHLD", FenceKind::Acquire),
    ("ST", FenceKind::StoreStore),
    ("ISHST", FenceKind::StoreStore),
    ("OSHST", FenceKind::StoreStore),
    ("NSHST", FenceKind::StoreStore),
];

/// The rest of a barrier after its mnemonic; nothing if it is none.
pub(in crate::litmus) fn line(mnemonic: &str, cell: &mut Cell<'_>) -> Option<Parsed<Line>> {
    let kind = match mnemonic {
        // herd also writes `DMB.ST`.
        "dmb" | "dsb" => option(cell),
        "dmb.sy" | "dsb.sy" => Ok(FenceKind::Full),
        "dmb.ld" | "dsb.ld" => Ok(FenceKind::Acquire),
        "dmb.st" | "dsb.st" => Ok(FenceKind::StoreStore),
        "isb" => {
            cell.eat_word("SY");
            Ok(FenceKind::Control)
        }
        _ => return None,
    };
    Some(kind.map(|kind| Line::new(vec![Step::Fence(kind)], cell.span())))
}

fn option(cell: &mut Cell<'_>) -> Parsed<FenceKind> {
    if cell.is_at_end() {
        return Ok(FenceKind::Full);
    }
    let word = cell.peek().text.to_ascii_uppercase();
    let Some((_, kind)) = OPTIONS.iter().find(|(name, _)| *name == word) else {
        return cell.unexpected("what the barrier orders, such as `SY`, `LD` or `ST`");
    };
    cell.advance();
    Ok(*kind)
}
