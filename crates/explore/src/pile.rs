//! States that wait, in pieces of a fixed size.
//!
//! A piece is what a thread takes at a time, and the unit in which memory is reserved and used
//! again: a frontier then needs the memory of the level it comes from and the level it becomes, and
//! never twice that because a vector doubled.

use crate::account::{Account, OutOfMemory};
use crate::{Origin, State};

/// States in a full piece.
pub(crate) const PIECE: usize = 512;

/// Some states, at most [`PIECE`], and how each was found.
pub(crate) struct Piece<const W: usize> {
    states: Vec<State<W>>,
    origins: Vec<Origin>,
}

impl<const W: usize> Piece<W> {
    pub(crate) const fn new() -> Self {
        Self { states: Vec::new(), origins: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    pub(crate) fn get(&self, place: usize) -> Option<&State<W>> {
        self.states.get(place)
    }

    #[inline]
    pub(crate) fn push(&mut self, state: State<W>, origin: Origin) {
        self.states.push(state);
        self.origins.push(origin);
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<(State<W>, Origin)> {
        self.states.pop().zip(self.origins.pop())
    }

    fn bytes(&self) -> usize {
        self.states.capacity() * size_of::<State<W>>()
            + self.origins.capacity() * size_of::<Origin>()
    }
}

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
        let mut piece = Piece::new();
        account.extend(&mut piece.states, PIECE)?;
        let origins = account.extend(&mut piece.origins, PIECE);
        if origins.is_err() {
            account.release(piece.bytes());
        }
        origins.map(|()| piece)
    }

    /// Takes back a piece that is no longer needed.
    pub(crate) fn put(&mut self, mut piece: Piece<W>, account: &Account) {
        piece.states.clear();
        piece.origins.clear();
        let is_piece = piece.states.capacity() >= PIECE;
        if is_piece && account.extend(&mut self.empty, 1).is_ok() {
            self.empty.push(piece);
        } else {
            account.release(piece.bytes());
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

    #[inline]
    pub(crate) fn push(
        &mut self,
        (state, origin): (State<W>, Origin),
        stock: &mut Stock<W>,
        account: &Account,
    ) -> Result<(), OutOfMemory> {
        match self.pieces.last_mut() {
            Some(piece) if piece.len() < PIECE => piece.push(state, origin),
            Some(_) | None => self.begin_piece((state, origin), stock, account)?,
        }
        Ok(())
    }

    #[cold]
    fn begin_piece(
        &mut self,
        (state, origin): (State<W>, Origin),
        stock: &mut Stock<W>,
        account: &Account,
    ) -> Result<(), OutOfMemory> {
        account.extend(&mut self.pieces, 1)?;
        let mut piece = stock.take(account)?;
        piece.push(state, origin);
        self.pieces.push(piece);
        Ok(())
    }

    pub(crate) fn into_states(self) -> impl Iterator<Item = State<W>> {
        self.pieces.into_iter().flat_map(|piece| piece.states)
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
