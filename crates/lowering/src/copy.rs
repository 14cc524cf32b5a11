//! Copying and filling memory.
//!
//! A copy moves what is accessed as cells on either side, and nothing else: bytes that nobody ever
//! accesses in another way make no difference. Which these are is learnt from one translation for the
//! next. Where the two sides have different cells (two fields that are passed as one number), each is
//! accessed by its own ([`pieces`]).

mod compare;
mod pieces;
mod whole;

use std::collections::BTreeSet;

use program::{Expr, Order, Value};

use self::pieces::{Piece, overlap, refined, uncovered};
use crate::thread::{Cursor, Purpose, Scratch, Walk};
use crate::value::{self, Val};

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
        self.look_at_bytes(cursor, (from, keys.from), size, false);
        self.look_at_bytes(cursor, (to, keys.to), size, true);
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
                if let Val::Private(private, at_first) = to {
                    let (part, from) = ((*private, *at_first), (from, keys.from));
                    walk.note_copied(cursor, part, from, at);
                }
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
        self.look_at_bytes(cursor, (to, 1), size, true);
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
}
