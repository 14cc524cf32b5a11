//! States that wait, in chunks of a fixed size.
//!
//! A chunk is what a thread takes at a time, and the unit in which memory is reserved and used
//! again: a frontier then needs the memory of the level it comes from and the level it becomes, and
//! never twice that because a vector doubled.

use crate::account::{Account, OutOfMemory};
use crate::{Origin, State};

/// States in a full chunk.
pub(crate) const CHUNK: usize = 512;

/// Some states, at most [`CHUNK`], and how each was found.
pub(crate) struct Chunk<const W: usize> {
    states: Vec<State<W>>,
    origins: Vec<Origin>,
}

impl<const W: usize> Chunk<W> {
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

/// Chunks that are empty.
pub(crate) struct Pool<const W: usize> {
    empty: Vec<Chunk<W>>,
}

impl<const W: usize> Pool<W> {
    pub(crate) const fn new() -> Self {
        Self { empty: Vec::new() }
    }

    /// An empty chunk with room for [`CHUNK`] states.
    pub(crate) fn take(&mut self, account: &Account) -> Result<Chunk<W>, OutOfMemory> {
        if let Some(chunk) = self.empty.pop() {
            return Ok(chunk);
        }
        let mut chunk = Chunk::new();
        account.extend(&mut chunk.states, CHUNK)?;
        let origins = account.extend(&mut chunk.origins, CHUNK);
        if origins.is_err() {
            account.release(chunk.bytes());
        }
        origins.map(|()| chunk)
    }

    /// Takes back a chunk that is no longer needed.
    pub(crate) fn put(&mut self, mut chunk: Chunk<W>, account: &Account) {
        chunk.states.clear();
        chunk.origins.clear();
        let is_reusable = chunk.states.capacity() >= CHUNK;
        if is_reusable && account.extend(&mut self.empty, 1).is_ok() {
            self.empty.push(chunk);
        } else {
            account.release(chunk.bytes());
        }
    }
}

/// A frontier of states; all chunks but the last are full.
pub(crate) struct Frontier<const W: usize> {
    chunks: Vec<Chunk<W>>,
}

impl<const W: usize> Frontier<W> {
    pub(crate) const fn new() -> Self {
        Self { chunks: Vec::new() }
    }

    #[inline]
    pub(crate) fn push(
        &mut self,
        (state, origin): (State<W>, Origin),
        pool: &mut Pool<W>,
        account: &Account,
    ) -> Result<(), OutOfMemory> {
        match self.chunks.last_mut() {
            Some(chunk) if chunk.len() < CHUNK => chunk.push(state, origin),
            Some(_) | None => self.begin_chunk((state, origin), pool, account)?,
        }
        Ok(())
    }

    #[cold]
    fn begin_chunk(
        &mut self,
        (state, origin): (State<W>, Origin),
        pool: &mut Pool<W>,
        account: &Account,
    ) -> Result<(), OutOfMemory> {
        account.extend(&mut self.chunks, 1)?;
        let mut chunk = pool.take(account)?;
        chunk.push(state, origin);
        self.chunks.push(chunk);
        Ok(())
    }

    pub(crate) fn into_states(self) -> impl Iterator<Item = State<W>> {
        self.chunks.into_iter().flat_map(|chunk| chunk.states)
    }

    /// Moves all chunks to `chunks`.
    pub(crate) fn move_to(
        &mut self,
        chunks: &mut Vec<Chunk<W>>,
        account: &Account,
    ) -> Result<(), OutOfMemory> {
        account.extend(chunks, self.chunks.len())?;
        chunks.append(&mut self.chunks);
        Ok(())
    }
}
