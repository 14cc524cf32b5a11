//! Copying and filling memory.
//!
//! A copy moves what is accessed as cells on either side, and nothing else: bytes that nobody ever
//! accesses in another way make no difference. Which these are is learnt from one translation for the
//! next. Where the two sides have different cells (two fields that are passed as one number), each is
//! accessed by its own.

mod compare;

use std::collections::BTreeSet;

use program::{Expr, Order, Value};

use crate::object::ObjectId;
use crate::targets::Residue;
use crate::thread::{Cursor, Purpose, Scratch, Walk};
use crate::value::{self, Val};

/// Bytes relative to a pointer: an offset and a width.
type Piece = (u64, u64);

fn overlap(one: Piece, other: Piece) -> bool {
    one.0 < other.0 + other.1 && other.0 < one.0 + one.1
}

fn overlaps(pieces: &BTreeSet<Piece>, piece: Piece) -> bool {
    pieces.iter().any(|other| overlap(*other, piece))
}

/// What others leave of a piece: all of it, or the widest cells that fit between them.
fn uncovered(piece: Piece, others: &BTreeSet<Piece>) -> Vec<Piece> {
    if !overlaps(others, piece) {
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
        let Some(size) = self.known_size(cursor, size) else { return };
        let read = refined(&self.pieces(cursor, from, size, 2));
        let mut written = refined(&self.pieces(cursor, to, size, 1));
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
        let over: Vec<Piece> =
            read.iter().copied().filter(|other| overlap(*other, (at, width))).collect();
        let is_one = matches!(from, Val::Private(..)) || over.is_empty() || over == [(at, width)];
        if is_one {
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

    /// The cells and parts in so many bytes behind a pointer, relative to it.
    fn pieces(&mut self, cursor: &Cursor, pointer: &Val, size: u64, which: u32) -> BTreeSet<Piece> {
        let mut pieces = BTreeSet::new();
        match pointer {
            Val::Private(private, from) => {
                let to = from.saturating_add_unsigned(size);
                for (at, width) in self.parts_between(*private, *from, to) {
                    pieces.insert((at.abs_diff(*from), u64::from(width)));
                }
            }
            Val::Expr(Expr::Const(address)) => {
                if let Some((object, offset)) = self.world.objects.at(*address) {
                    self.pieces_of(object, Residue::exactly(offset), size, &mut pieces);
                }
            }
            Val::Expr(expr) => {
                let point = self.point(cursor);
                self.pointers.push(((point, which), expr.clone()));
                let targets =
                    self.world.facts.targets.get(&(point, which)).cloned().unwrap_or_default();
                for (object, offset) in targets.iter() {
                    self.pieces_of(object, offset, size, &mut pieces);
                }
            }
            Val::Aggregate(_) | Val::Undefined | Val::Inexpressible(_) => {}
        }
        pieces
    }

    fn pieces_of(&self, id: ObjectId, offset: Residue, size: u64, pieces: &mut BTreeSet<Piece>) {
        let Some(cells) = self.world.facts.cells.get(&id) else { return };
        let object = self.world.objects.get(id);
        for element in 0..object.elements {
            for (at, width) in cells {
                let cell = i64::try_from(element * object.stride + at).unwrap_or(i64::MAX);
                let mut relative = cell - offset.residue;
                if let Ok(modulus @ 1..) = i64::try_from(offset.modulus) {
                    relative = relative.rem_euclid(modulus);
                }
                if let Ok(relative) = u64::try_from(relative)
                    && relative + u64::from(*width) <= size
                {
                    pieces.insert((relative, u64::from(*width)));
                }
            }
        }
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
