//! What the tables of a set have in common.
//!
//! A table is a row of buckets, and a bucket a row of slots that are filled in order. A state belongs
//! into one bucket, or, if that is full, into the next one that is not: so a bucket is a beginning,
//! with nothing in it that belongs before it, if the one before it is not full.
//!
//! **Insertion by many threads needs no lock.** What is in a slot does not change until the table is
//! replaced, which happens while nobody else uses it. Whoever wants a slot turns it from empty into
//! taken by compare-and-exchange, which only one can. Relaxed ordering suffices, because no word of
//! memory says anything about another. That two threads add one state twice is impossible: both probe
//! the same slots in the same order and pass only slots that have, finally, another state; so both come
//! to the same slot that either takes.

use std::sync::atomic::AtomicU64;

use super::key::{Buckets, Key, Keys};
use super::lanes::Lanes;
use super::plain::Plain;
use crate::State;

/// Words that the processor fetches at once.
pub(super) const LINE: usize = 8;

/// Where a state is looked for next, and as what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sought {
    pub(super) at: usize,
    pub(super) mark: u64,
}

/// What came of probing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Probe {
    /// The state was not there and is now.
    New,
    /// The state was there.
    Known,
    /// There are other states only: it is to be looked for elsewhere.
    Elsewhere(Sought),
    /// The state was not there and is not, because no more may be added.
    NoRoom,
    /// There are no more slots; the set must grow.
    NoSlot,
}

/// A state on its way from one table to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Moved<const W: usize> {
    State(State<W>),
    Key(Key),
}

/// A table as threads share it while the set does not grow.
pub(crate) trait Table<const W: usize>: Copy {
    /// Where a state belongs.
    fn seek(&self, state: &State<W>) -> Sought;

    /// Asks for the memory that [`Self::probe`] will need.
    fn prefetch(&self, sought: Sought);

    /// Adds a state if it is not there, looking at a few slots, and if there is `room`. Only one thread
    /// may use the table unless it is `SHARED`: an exchange costs more than a store.
    fn probe<const SHARED: bool>(&self, state: &State<W>, sought: Sought, room: usize) -> Probe;

    /// Adds a state as [`Self::probe`] does, wherever it belongs, when only one thread does; never says
    /// [`Probe::Elsewhere`].
    fn insert(&self, state: &State<W>, room: usize) -> Probe {
        let mut probe = Probe::Elsewhere(self.seek(state));
        while let Probe::Elsewhere(sought) = probe {
            probe = self.probe::<false>(state, sought, room);
        }
        probe
    }
}

/// A table whose states are moved to another.
pub(super) trait Movable<const W: usize>: Table<W> {
    /// Buckets, with those behind for displaced states.
    fn buckets(&self) -> usize;

    fn is_full(&self, bucket: usize) -> bool;

    /// Takes all states out of a bucket. Only one thread may do so.
    fn take_out(&self, bucket: usize, visit: impl FnMut(Moved<W>));

    /// Adds a state that is not there; says whether there was a slot. Only one thread may do so unless
    /// the table is `SHARED`, and then nobody may look for the state meanwhile.
    fn put<const SHARED: bool>(&self, moved: Moved<W>) -> bool;
}

/// How a table stores its states.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind<const W: usize> {
    /// As they are.
    Plain,
    /// What is left of a key, in a word.
    Wide(Buckets<W>),
    /// The same, in half a word.
    Narrow(Buckets<W>),
}

/// A kind of table, and how many buckets it has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape<const W: usize> {
    pub(super) kind: Kind<W>,
    keys: Keys<W>,
    pub(super) number: usize,
}

impl<const W: usize> Shape<W> {
    /// Words of a bucket, of whatever kind: lanes fill a line, as plain slots of one or two words do.
    pub(super) const BUCKET: usize = Plain::<W>::BUCKET;

    /// The table that takes least for each state, with so many words for buckets; nothing if there is
    /// none with so many.
    pub(super) fn with_words(keys: Keys<W>, words: usize) -> Option<Self> {
        let number = words / Self::BUCKET;
        let kind = if W <= 2 {
            let buckets = Buckets::new(keys, number)?;
            if W == 1 && Lanes::<W, 2>::fit(&buckets) {
                Kind::Narrow(buckets)
            } else if Lanes::<W, 1>::fit(&buckets) {
                Kind::Wide(buckets)
            } else {
                Kind::Plain
            }
        } else {
            Kind::Plain
        };
        Some(Self { kind, keys, number })
    }

    /// Slots in the buckets.
    pub(super) const fn slots(&self) -> usize {
        self.number
            * match self.kind {
                Kind::Plain => Plain::<W>::BUCKET / W,
                Kind::Wide(_) => LINE,
                Kind::Narrow(_) => 2 * LINE,
            }
    }

    /// Words with those behind the last bucket, for displaced states.
    pub(super) const fn words(&self) -> usize {
        self.number * Self::BUCKET
            + match self.kind {
                Kind::Plain => Plain::<W>::BEHIND,
                Kind::Wide(_) => Lanes::<W, 1>::BEHIND,
                Kind::Narrow(_) => Lanes::<W, 2>::BEHIND,
            }
    }

    /// A table of this shape.
    #[inline]
    pub(super) fn table<'a>(&self, words: &'a [AtomicU64]) -> AnyTable<'a, W> {
        let words = &words[..words.len().min(self.words())];
        match self.kind {
            Kind::Plain => AnyTable::Plain(Plain::new(words, self.keys, self.number)),
            Kind::Wide(buckets) => AnyTable::Wide(Lanes::new(words, self.keys, buckets)),
            Kind::Narrow(buckets) => AnyTable::Narrow(Lanes::new(words, self.keys, buckets)),
        }
    }
}

/// A table of any kind.
#[derive(Clone, Copy)]
pub(crate) enum AnyTable<'a, const W: usize> {
    Plain(Plain<'a, W>),
    Wide(Lanes<'a, W, 1>),
    Narrow(Lanes<'a, W, 2>),
}

/// Calls a method of the table that it is.
macro_rules! of {
    ($any:expr, $table:ident => $call:expr) => {
        match $any {
            AnyTable::Plain($table) => $call,
            AnyTable::Wide($table) => $call,
            AnyTable::Narrow($table) => $call,
        }
    };
}

impl<const W: usize> Table<W> for AnyTable<'_, W> {
    fn seek(&self, state: &State<W>) -> Sought {
        of!(self, table => table.seek(state))
    }

    fn prefetch(&self, sought: Sought) {
        of!(self, table => table.prefetch(sought));
    }

    fn probe<const SHARED: bool>(&self, state: &State<W>, sought: Sought, room: usize) -> Probe {
        of!(self, table => table.probe::<SHARED>(state, sought, room))
    }
}

impl<const W: usize> Movable<W> for AnyTable<'_, W> {
    fn buckets(&self) -> usize {
        of!(self, table => table.buckets())
    }

    fn is_full(&self, bucket: usize) -> bool {
        of!(self, table => table.is_full(bucket))
    }

    fn take_out(&self, bucket: usize, visit: impl FnMut(Moved<W>)) {
        of!(self, table => table.take_out(bucket, visit));
    }

    fn put<const SHARED: bool>(&self, moved: Moved<W>) -> bool {
        of!(self, table => table.put::<SHARED>(moved))
    }
}
