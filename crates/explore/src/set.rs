//! The set of states found: exact, open addressing, linear probing, filled by all threads at once.
//!
//! A state is stored as it is, or as a number from which it could be computed: nothing is ever lost and
//! no two states are confused ([`key`] has the proof). How much that takes depends on the bits of a
//! state and on the size of the table ([`lanes`], [`plain`]); what all tables have in common, and why
//! threads need no lock, is in [`table`].
//!
//! **Buckets are ordered by place**, and nothing wraps around: behind the last bucket come slots for
//! those that are displaced. So the set grows in place by moving its states from the end backwards
//! ([`growth`]).
//!
//! **A miss of the cache costs as much as twenty lookups.** So a bucket is a line of the cache where
//! slots fill one exactly; and who finds a bucket full of others does not walk on into the next line
//! but asks for it and comes back later ([`Probe::Elsewhere`]).

mod growth;
mod key;
mod lanes;
mod plain;
mod table;

use std::sync::atomic::Ordering;

use crate::memory::{MAPPED_FROM, Words};

pub(crate) use growth::Growth;
use key::Keys;
use table::Shape;
pub(crate) use table::{AnyTable, Probe, Sought, Table};

/// A set of states.
pub(crate) struct Set<const W: usize> {
    words: Words,
    keys: Keys<W>,
    /// The shape of the table, or of the first one if there are no words yet.
    shape: Shape<W>,
    /// States in it. Threads that share the set cannot count together at every step: the search
    /// says how many they added.
    pub(crate) len: usize,
    /// Whether states were lost because there was no memory in the midst of growing.
    lost: bool,
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half is what is wanted")]
const fn halves(value: u128) -> [u64; 2] {
    [value as u64, (value >> 64) as u64]
}

impl<const W: usize> Set<W> {
    /// An empty set of states whose words have at most so many bits.
    pub(crate) fn new(widths: [u32; W]) -> Self {
        Self::in_words(widths, Words::new(MAPPED_FROM))
    }

    fn in_words(widths: [u32; W], words: Words) -> Self {
        let keys = Keys::new(widths);
        let shape = Shape::with_words(keys, growth::FIRST * W).expect("a small table");
        Self { words, keys, shape, len: 0, lost: false }
    }

    #[inline]
    pub(crate) fn table(&self) -> AnyTable<'_, W> {
        self.shape.table(self.words.all())
    }

    /// How many states may be added before the set must grow: it is at most three quarters full.
    pub(crate) fn room(&self) -> usize {
        let slots = if self.words.all().is_empty() { 0 } else { self.shape.slots() };
        (slots - slots / 4) - self.len
    }

    /// Forgets all states and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.len = 0;
        for word in self.words.all() {
            word.store(0, Ordering::Relaxed);
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.words.bytes()
    }
}

#[cfg(test)]
mod tests;
