//! Copying and filling memory.
//!
//! A copy moves what is accessed as cells on either side, and nothing else: bytes that nobody ever
//! accesses in another way make no difference. Which these are is learnt from one translation for the
//! next. Where the two sides have different cells (two fields that are passed as one number), each is
//! accessed by its own.
//!
//! Of a cell that is touched in part, a private variable gets this part replaced. In memory a cell is
//! never torn, so that is an error, or, where it depends on a pointer, a bound of the translation.

use std::collections::BTreeSet;

use program::{BinaryOp, Expr, Instruction, Order, Value};

use crate::object::ObjectId;
use crate::targets::{Residue, Targets};
use crate::thread::{Cursor, Limit, Purpose, Scratch, Walk};
use crate::value::{self, Val};

/// Bytes relative to a pointer: an offset and a width.
type Piece = (u64, u64);

/// By which numbers the two pointers of a copy are remembered at their place in the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CopyKeys {
    to: u32,
    from: u32,
}

impl CopyKeys {
    const ONLY: Self = Self { to: 1, from: 2 };

    /// Those of an argument that one of the possible callees has a copy of.
    pub(crate) const fn of_argument(callee: u32, argument: u32) -> Self {
        let first = 3 + 2 * (callee * 256 + argument);
        Self { to: first, from: first + 1 }
    }
}

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

fn overlap(one: Piece, other: Piece) -> bool {
    one.0 < other.0 + other.1 && other.0 < one.0 + one.1
}

fn overlaps(pieces: &BTreeSet<Piece>, piece: Piece) -> bool {
    pieces.iter().any(|other| overlap(*other, piece))
}

/// What others leave of a piece: all of it, or the widest cells that fit between them.
fn uncovered(piece: Piece, others: &BTreeSet<Piece>) -> Vec<Piece> {
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

/// What a value that was read from some bytes contributes to others that overlap them.
fn contribution(value: Expr, read: Piece, written: Piece) -> Option<Expr> {
    let narrow = |number: u64| u32::try_from(number).ok();
    let first = read.0.max(written.0);
    let width = narrow((read.0 + read.1).min(written.0 + written.1) - first)?;
    let part = value::part_of(value, narrow(first - read.0)?, width)?;
    value::joined_part(part, narrow(first - written.0)?, width)
}

impl Walk<'_, '_, '_> {
    /// Copies bytes.
    pub(crate) fn copy(&mut self, cursor: &mut Cursor, to: &Val, from: &Val, size: &Val) {
        self.copy_as(cursor, to, from, size, CopyKeys::ONLY);
    }

    /// Copies bytes, where there may be several copies at one place.
    pub(crate) fn copy_as(
        &mut self,
        cursor: &mut Cursor,
        to: &Val,
        from: &Val,
        size: &Val,
        keys: CopyKeys,
    ) {
        let Some(size) = self.known_size(cursor, size) else { return };
        let read = refined(&self.pieces(cursor, from, size, keys.from));
        let mut written = refined(&self.pieces(cursor, to, size, keys.to));
        let only_read: Vec<Piece> =
            read.iter().flat_map(|piece| uncovered(*piece, &written)).collect();
        written.extend(only_read);
        self.for_purpose(Purpose::Copy, |walk| {
            // All is read before anything is written: the two may overlap.
            let mut held = Vec::new();
            for ((at, width), number) in written.into_iter().zip(0..) {
                let value = walk.piece(cursor, from, &read, (at, width), number);
                held.push((at, width, value));
            }
            for (at, width, value) in held {
                let target = walk.moved(to, at);
                walk.store_bytes(cursor, &target, width, value, Order::Plain);
            }
        });
    }

    /// What is to be written to one piece: read as one, or put together from the cells that overlap it.
    fn piece(
        &mut self,
        cursor: &mut Cursor,
        from: &Val,
        read: &BTreeSet<Piece>,
        (at, width): Piece,
        number: u32,
    ) -> Val {
        let over: BTreeSet<Piece> =
            read.iter().copied().filter(|other| overlap(*other, (at, width))).collect();
        // Bytes that nobody reads in another way hold something too.
        let between = uncovered((at, width), &over);
        let over: BTreeSet<Piece> = over.into_iter().chain(between).collect();
        if matches!(from, Val::Private(..)) || over.iter().eq([&(at, width)]) {
            return self.read_piece(cursor, from, (at, width), number * 16);
        }
        let mut whole = Expr::Const(0);
        for (other, part) in over.into_iter().zip(1..) {
            let value = self.read_piece(cursor, from, other, number * 16 + part);
            let value = self.expr(cursor, value);
            let Some(joined) = contribution(value, other, (at, width)) else {
                return crate::private::inexpressible(u32::try_from(width).unwrap_or(8));
            };
            whole = value::fold(Expr::binary(program::BinaryOp::BitOr, whole, joined));
        }
        let bytes = u32::try_from(width).unwrap_or(8);
        value::truncate_bytes(bytes, whole).map_or(Val::Undefined, Val::Expr)
    }

    fn read_piece(
        &mut self,
        cursor: &mut Cursor,
        from: &Val,
        (at, width): Piece,
        number: u32,
    ) -> Val {
        let source = self.moved(from, at);
        match self.load_bytes(cursor, None, number, &source, width, Order::Plain) {
            Val::Expr(expr) => Val::Expr(self.held_if_changing(cursor, expr, number)),
            value @ (Val::Private(..)
            | Val::Aggregate(_)
            | Val::Undefined
            | Val::Inexpressible(_)) => value,
        }
    }

    fn held_if_changing(&mut self, cursor: &mut Cursor, expr: Expr, number: u32) -> Expr {
        if self.may_change(&Val::Expr(expr.clone())) {
            self.held_apart(cursor, expr, Scratch::Piece(number))
        } else {
            expr
        }
    }

    /// Fills bytes.
    pub(crate) fn fill(&mut self, cursor: &mut Cursor, to: &Val, byte: &Val, size: &Val) {
        let Some(size) = self.known_size(cursor, size) else { return };
        let Some(byte) = byte.as_constant() else {
            self.error(cursor, "memory is filled with a value that is not constant", "use a loop");
            return;
        };
        for (at, width) in refined(&self.pieces(cursor, to, size, 1)) {
            let mut pattern: Value = 0;
            for _ in 0..width {
                pattern = (pattern << 8) | (byte & 0xff);
            }
            let bits = u32::try_from(width * 8).unwrap_or(64);
            let pattern = value::int(bits).map_or(pattern, |int| int.wrap(pattern));
            let target = self.moved(to, at);
            self.for_purpose(Purpose::Fill, |walk| {
                walk.store_bytes(cursor, &target, width, Val::constant(pattern), Order::Plain);
            });
        }
    }

    fn known_size(&mut self, cursor: &Cursor, size: &Val) -> Option<u64> {
        let known = size.as_constant().and_then(|size| u64::try_from(size).ok());
        if known.is_none() {
            self.error(
                cursor,
                "how much memory this touches is not known when the program is read",
                "use a constant size",
            );
        }
        known
    }

    /// The cells in so many bytes behind a pointer, and the parts of a private variable as far as they
    /// are inside, relative to it.
    fn pieces(
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

    fn pointed_to(&mut self, cursor: &Cursor, pointer: &Expr, which: u32) -> Targets {
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
fn refined(pieces: &BTreeSet<Piece>) -> BTreeSet<Piece> {
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
}
