//! States that wait, in pieces of a fixed size.
//!
//! A piece is what a thread takes at a time, and the unit in which memory is reserved and used
//! again: a frontier then needs the memory of the level it comes from and the level it becomes, and
//! never twice that because a vector doubled.

use crate::State;
use crate::account::{Account, OutOfMemory};

/// States in a full piece.
pub(crate) const PIECE: usize = 512;

/// Some states, at most [`PIECE`].
pub(crate) type Piece<const W: usize> = Vec<State<W>>;

/// Pieces that are empty.
pub(crate) struct Stock<const W: usize> {
    empty: Vec<Piece<W>>,
}

impl<const W: usize> Stock<W> {
    pub(crate) const fn new() -> Self {
        Self { empty: Vec::new() }
    }

    /// An empty piece with room for [`PIECE`] states.
    pub(crate) fn take(&mut self, account: &Account) -> Result<Piece<W>, OutOfMemory> {
        if let Some(piece) = self.empty.pop() {
            return Ok(piece);
        }
        let mut piece = Vec::new();
        account.extend(&mut piece, PIECE)?;
        Ok(piece)
    }

    /// Takes back a piece that is no longer needed.
    pub(crate) fn put(&mut self, mut piece: Piece<W>, account: &Account) {
        piece.clear();
        let is_piece = piece.capacity() >= PIECE;
        if is_piece && account.extend(&mut self.empty, 1).is_ok() {
            self.empty.push(piece);
        } else {
            account.release(piece.capacity() * size_of::<State<W>>());
        }
    }
}

/// A pile of states; all pieces but the last are full.
pub(crate) struct Pile<const W: usize> {
    pieces: Vec<Piece<W>>,
}

impl<const W: usize> Pile<W> {
    pub(crate) const fn new() -> Self {
        Self { pieces: Vec::new() }
    }

    pub(crate) fn push(
        &mut self,
        state: State<W>,
        stock: &mut Stock<W>,
        account: &Account,
    ) -> Result<(), OutOfMemory> {
        match self.pieces.last_mut() {
            Some(piece) if piece.len() < PIECE => piece.push(state),
            Some(_) | None => {
                account.extend(&mut self.pieces, 1)?;
                let mut piece = stock.take(account)?;
                piece.push(state);
                self.pieces.push(piece);
            }
        }
        Ok(())
    }

    pub(crate) fn into_states(self) -> impl Iterator<Item = State<W>> {
        self.pieces.into_iter().flatten()
    }

    /// Moves all pieces to `pieces`.
    pub(crate) fn move_to(
        &mut self,
        pieces: &mut Vec<Piece<W>>,
        account: &Account,
    ) -> Result<(), OutOfMemory> {
        account.extend(pieces, self.pieces.len())?;
        pieces.append(&mut self.pieces);
        Ok(())
    }
}
