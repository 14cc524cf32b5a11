//! RISC-V fences: `fence rw,w` orders every earlier access of the first set before every later
//! access of the second.

use program::FenceKind;

use super::super::lex::Kind;
use super::super::load_store::Cell;
use crate::token::Parsed;

/// Accesses to memory that a fence orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Accesses {
    reads: bool,
    writes: bool,
}

/// The fences that together order what `fence`, whose sets come next, does.
pub(super) fn kinds(cell: &mut Cell<'_>) -> Parsed<Vec<FenceKind>> {
    if cell.is_at_end() {
        return Ok(vec![FenceKind::Full]);
    }
    let before = accesses(cell)?;
    cell.comma()?;
    let after = accesses(cell)?;
    Ok(ordering(before, after))
}

fn accesses(cell: &mut Cell<'_>) -> Parsed<Accesses> {
    let token = cell.peek();
    let text = token.text.to_ascii_lowercase();
    let known = token.kind == Kind::Word && text.chars().all(|letter| "iorw".contains(letter));
    if !known {
        return cell.unexpected("a set of accesses such as `rw`");
    }
    cell.advance();
    Ok(Accesses { reads: text.contains('r'), writes: text.contains('w') })
}

fn ordering(before: Accesses, after: Accesses) -> Vec<FenceKind> {
    let pair = |accesses: Accesses| (accesses.reads, accesses.writes);
    match (pair(before), pair(after)) {
        ((false, false), _) | (_, (false, false)) => Vec::new(),
        ((true, true), (true, true)) => vec![FenceKind::Full],
        ((true, true), (false, true)) => vec![FenceKind::Release],
        ((true, true), (true, false)) => vec![FenceKind::LoadLoad, FenceKind::StoreLoad],
        ((true, false), (true, true)) => vec![FenceKind::Acquire],
        ((true, false), (true, false)) => vec![FenceKind::LoadLoad],
        ((true, false), (false, true)) => vec![FenceKind::LoadStore],
        ((false, true), (true, true)) => vec![FenceKind::StoreStore, FenceKind::StoreLoad],
        ((false, true), (true, false)) => vec![FenceKind::StoreLoad],
        ((false, true), (false, true)) => vec![FenceKind::StoreStore],
    }
}
