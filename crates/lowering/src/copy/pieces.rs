//! Which bytes are copied or filled: the cells and the parts of variables behind a pointer.
//!
//! Of a cell that is touched in part, a private variable gets this part replaced. In memory a cell is
//! never torn, so that is an error, or, where it depends on a pointer, a bound of the translation.

use std::collections::BTreeSet;

use program::{BinaryOp, Expr, Instruction, Value};

use crate::object::ObjectId;
use crate::targets::{Residue, Targets};
use crate::thread::{Cursor, Limit, Walk};
use crate::value::Val;

/// Bytes relative to a pointer: an offset and a width.
pub(super) type Piece = (u64, u64);

/// A cell that lies partly inside of what is copied or filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cut {
    object: ObjectId,
    /// Where in the object the copied bytes begin then.
    begins: i64,
    /// Where the cell is, and its width.
    cell: i64,
    width: u32,
}

pub(super) fn overlap(one: Piece, other: Piece) -> bool {
    one.0 < other.0 + other.1 && other.0 < one.0 + one.1
}

pub(super) fn overlaps(pieces: &BTreeSet<Piece>, piece: Piece) -> bool {
    pieces.iter().any(|other| overlap(*other, piece))
}

/// What others leave of a piece: all of it, or the widest cells that fit between them.
pub(super) fn uncovered(piece: Piece, others: &BTreeSet<Piece>) -> Vec<Piece> {
    if !overlaps(others, piece) && piece.1.is_power_of_two() {
        return vec![piece];
    }
    let mut left = Vec::new();
    let (mut next, end) = (piece.0, piece.0 + piece.1);
    for (at, width) in others.iter().copied().chain([(end, 0)]) {
        while next < at.min(end) {
            let fits = |width: &u64| next.is_multiple_of(*width) && next + width <= at.min(end);
            let width = [8, 4, 2].into_iter().find(fits).unwrap_or(1);
            left.push((next, width));
            next += width;
        }
        next = next.max(at + width);
    }
    left
}

impl Walk<'_, '_, '_> {
    /// The cells in so many bytes behind a pointer, and the parts of a private variable as far as they
    /// are inside, relative to it.
    pub(super) fn pieces(
        &mut self,
        cursor: &mut Cursor,
        pointer: &Val,
        size: u64,
        which: u32,
    ) -> BTreeSet<Piece> {
        let mut pieces = BTreeSet::new();
        if size == 0 {
            return pieces;
        }
        match pointer {
            Val::Private(private, from) => {
                let to = from.saturating_add_unsigned(size);
                for (at, width) in self.parts_between(*private, *from, to) {
                    let (first, end) = (at.max(*from), (at + i64::from(width)).min(to));
                    pieces.insert((first.abs_diff(*from), end.abs_diff(first)));
                }
            }
            Val::Expr(expr) => {
                let targets = self.pointed_to(cursor, expr, which);
                let mut cuts = BTreeSet::new();
                for (object, offset) in targets.iter() {
                    self.pieces_of(object, offset, size, &mut pieces, &mut cuts);
                }
                self.exclude(cursor, expr, &targets, size, &cuts);
            }
            Val::Aggregate(_) | Val::Undefined | Val::Inexpressible(_) => {}
        }
        pieces
    }

    pub(super) fn pointed_to(&mut self, cursor: &Cursor, pointer: &Expr, which: u32) -> Targets {
        if let Expr::Const(address) = pointer {
            let mut targets = Targets::EMPTY;
            if let Some((object, offset)) = self.world.objects.at(*address) {
                targets.insert(object, Residue::exactly(offset));
            }
            return targets;
        }
        let key = (self.point(cursor), which);
        self.pointers.push((key, pointer.clone()));
        self.world.facts.targets.get(&key).cloned().unwrap_or_default()
    }

    fn pieces_of(
        &self,
        id: ObjectId,
        offset: Residue,
        size: u64,
        pieces: &mut BTreeSet<Piece>,
        cuts: &mut BTreeSet<Cut>,
    ) {
        let Some(cells) = self.world.facts.cells.get(&id) else { return };
        let object = self.world.objects.get(id);
        let end = i64::try_from(size).unwrap_or(i64::MAX);
        for element in 0..object.elements {
            let first = i64::try_from(element * object.stride).unwrap_or(i64::MAX);
            let last = first.saturating_add_unsigned(object.size);
            for (at, width) in cells {
                let cell = first.saturating_add_unsigned(*at);
                for begins in beginnings(offset, (first, last), (cell, *width), end) {
                    let relative = cell - begins;
                    match u64::try_from(relative) {
                        Ok(relative) if relative + u64::from(*width) <= size => {
                            pieces.insert((relative, u64::from(*width)));
                        }
                        Ok(_) | Err(_) => {
                            cuts.insert(Cut { object: id, begins, cell, width: *width });
                        }
                    }
                }
            }
        }
    }

    /// What cuts a cell is an error where it always does, and beyond the bounds of the translation
    /// where it does by one of several ways that a pointer may go.
    fn exclude(
        &mut self,
        cursor: &mut Cursor,
        pointer: &Expr,
        targets: &Targets,
        size: u64,
        cuts: &BTreeSet<Cut>,
    ) {
        let Some(Cut { object, begins, cell, width }) = cuts.first().copied() else { return };
        if targets.iter().eq([(object, Residue::exactly(begins))]) {
            let name = &self.world.objects.get(object).name;
            let message = format!(
                "`{name}` is accessed in pieces that overlap: {size} bytes at offset {begins} and {width} at {cell}"
            );
            self.error(cursor, message, "access each part of memory always in the same width");
            return;
        }
        let addresses: BTreeSet<Value> = cuts
            .iter()
            .map(|cut| self.world.objects.get(cut.object).base + Value::from(cut.begins))
            .collect();
        let is_there = |address| Expr::binary(BinaryOp::Eq, pointer.clone(), Expr::Const(address));
        let any = |left, right| Expr::binary(BinaryOp::Or, left, right);
        let Some(is_cut) = addresses.into_iter().map(is_there).reduce(any) else { return };
        let mut beyond = self.branch(cursor, is_cut.clone());
        self.give_up(&mut beyond, Limit::PartOfCell);
        self.emit(cursor, Instruction::Assume(is_cut.negated()));
    }
}

/// Where in an object so many bytes may begin that a cell of it is touched: at one of some offsets,
/// and inside of the element that the cell belongs to.
fn beginnings(
    offset: Residue,
    (first, last): (i64, i64),
    (cell, width): (i64, u32),
    size: i64,
) -> Vec<i64> {
    let width = i64::from(width);
    let is_touched = |begins: i64| begins < cell + width && cell < begins.saturating_add(size);
    match i64::try_from(offset.modulus) {
        Ok(0) => Some(offset.residue).into_iter().filter(|begins| is_touched(*begins)).collect(),
        Ok(modulus) => {
            let low = first.max(cell.saturating_sub(size).saturating_add(1));
            let low = low.saturating_add((offset.residue - low).rem_euclid(modulus));
            let high = (cell + width - 1).min(last.saturating_sub(size));
            let step = usize::try_from(modulus).unwrap_or(usize::MAX);
            // What could be anywhere is taken to be aligned.
            let is_aligned = |begins: &i64| modulus >= width || (cell - begins) % width == 0;
            (low..=high).step_by(step).filter(is_aligned).collect()
        }
        Err(_) => Vec::new(),
    }
}

/// Pieces without those that contain others; what is left of these becomes pieces of its own.
pub(super) fn refined(pieces: &BTreeSet<Piece>) -> BTreeSet<Piece> {
    let is_inside = |(at, width): Piece, (outer, size): Piece| {
        (at, width) != (outer, size) && outer <= at && at + width <= outer + size
    };
    let fine = pieces.iter().flat_map(|whole| {
        let inner = pieces.iter().copied().filter(|piece| is_inside(*piece, *whole)).collect();
        uncovered(*whole, &inner)
    });
    fine.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(pieces: &[Piece]) -> BTreeSet<Piece> {
        pieces.iter().copied().collect()
    }

    #[test]
    fn small_pieces_win() {
        assert_eq!(refined(&set(&[(0, 4), (4, 4)])), set(&[(0, 4), (4, 4)]));
        let expected = set(&[(0, 4), (4, 2), (6, 2), (8, 8)]);
        assert_eq!(refined(&set(&[(0, 8), (4, 2), (8, 8)])), expected);
    }

    #[test]
    fn nothing_of_a_piece_is_lost() {
        let cases: [(Piece, &[Piece], &[Piece]); 5] = [
            ((0, 8), &[(8, 4)], &[(0, 8)]),
            ((0, 8), &[(0, 4), (4, 2), (6, 1)], &[(7, 1)]),
            ((0, 8), &[(4, 1)], &[(0, 4), (5, 1), (6, 2)]),
            ((4, 4), &[(0, 8)], &[]),
            ((0, 8), &[(4, 8)], &[(0, 4)]),
        ];
        for (piece, others, expected) in cases {
            assert_eq!(uncovered(piece, &set(others)), expected, "{piece:?} of {others:?}");
        }
    }

    #[test]
    fn pointers_into_arrays_touch_every_cell_they_may() {
        let cases = [
            (Residue::exactly(4), (8, 4), 8, vec![4]),
            (Residue::exactly(4), (12, 4), 8, vec![]),
            // An element and the next.
            (Residue::new(4, 0), (8, 4), 8, vec![4, 8]),
            // Half a cell.
            (Residue::new(8, 0), (8, 8), 2, vec![8]),
            // What could be anywhere is aligned, and ends where its object does.
            (Residue::ANY, (8, 4), 4, vec![8]),
            (Residue::ANY, (28, 4), 8, vec![24]),
        ];
        for (offset, cell, size, expected) in cases {
            assert_eq!(beginnings(offset, (0, 32), cell, size), expected, "{offset:?} {cell:?}");
        }
    }
}
