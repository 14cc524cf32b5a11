//! Comparing memory: cell by cell as they are accessed elsewhere, every other byte by itself.

use std::collections::BTreeSet;

use program::{BinaryOp, Expr};

use super::pieces::{Piece, overlaps, refined};
use crate::thread::{Cursor, Purpose, Scratch, Walk};
use crate::value::{self, Val};

/// More bytes than these are not compared.
const MOST_COMPARED: u64 = 64;

impl Walk<'_, '_, '_> {
    /// Which of two stretches of memory is greater: negative, 0 or positive by the first byte that
    /// differs. Nothing if there is an error.
    pub(crate) fn compare_memory(
        &mut self,
        cursor: &mut Cursor,
        left: &Val,
        right: &Val,
        size: &Val,
    ) -> Option<Expr> {
        let size = self.known_size(cursor, size)?;
        if size > MOST_COMPARED {
            self.error(
                cursor,
                format!("comparing {size} bytes at once is not understood"),
                "compare at most 64 bytes, or use a loop",
            );
            return None;
        }
        self.look_at_bytes(cursor, (left, 1), size, false);
        self.look_at_bytes(cursor, (right, 2), size, false);
        let of_left = refined(&self.pieces(cursor, left, size, 1));
        let of_right = refined(&self.pieces(cursor, right, size, 2));
        let both: BTreeSet<Piece> = of_left.union(&of_right).copied().collect();
        let mut pieces = refined(&both);
        let bytes: Vec<Piece> =
            (0..size).map(|at| (at, 1)).filter(|byte| !overlaps(&pieces, *byte)).collect();
        pieces.extend(bytes);
        let mut read = Vec::new();
        self.for_purpose(Purpose::Copy, |walk| {
            for (piece, number) in pieces.into_iter().zip(0..) {
                let from_left = walk.piece(cursor, left, &of_left, piece, 2 * number);
                let from_left = walk.expr(cursor, from_left);
                let from_right = walk.piece(cursor, right, &of_right, piece, 2 * number + 1);
                let from_right = walk.expr(cursor, from_right);
                read.push((piece.1, from_left, from_right));
            }
        });
        // The first byte counts most, so it is looked at last.
        let mut result = Expr::Const(0);
        for (width, left, right) in read.into_iter().rev() {
            for byte in (0..u32::try_from(width).ok()?).rev() {
                let left = value::zero_extend(8, 32, value::part_of(left.clone(), byte, 1)?)?;
                let right = value::zero_extend(8, 32, value::part_of(right.clone(), byte, 1)?)?;
                let is_same = value::fold(Expr::binary(BinaryOp::Eq, left.clone(), right.clone()));
                let difference = value::fold(Expr::binary(BinaryOp::Sub, left, right));
                result = value::fold(Expr::Select(Box::new([is_same, result, difference])));
            }
            result = self.held_apart(cursor, result, Scratch::Compared);
        }
        Some(result)
    }
}
