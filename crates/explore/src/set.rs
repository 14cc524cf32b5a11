//! The set of states found: exact, open addressing, linear probing, filled by all threads at once.
//!
//! A slot holds the state itself, `W` words. The highest bit of a state's words is zero; in the set
//! it is one, and says that the word was written. So an empty slot is all zeros and no state is.
//!
//! **Insertion by many threads needs no lock.** Each word of a slot is written once: it is zero, then
//! it has its final value until the set grows, which happens while nobody else uses it. Whoever wants
//! a slot turns its first word from zero into the state's by compare-and-exchange, which only one
//! can, and then stores the others. Whoever finds its own first word there compares the others, and
//! waits for those that are still zero. Relaxed ordering suffices, because no word says anything
//! about another: a thread that sees a word that is not zero sees the final value of that word, and
//! compares it only with its own. That two threads add one state twice is impossible: both probe the
//! same slots in the same order and pass only slots that have, finally, another state; so both come
//! to the same slot that either takes.
//!
//! **Positions are ordered by hash**: probing begins at the bucket that is the upper half of
//! hash × number of buckets. With more buckets each state's bucket moves up, never down; so the set
//! grows in place by moving its states from the end backwards. Nothing wraps around: behind the last
//! bucket come slots for those that are displaced.
//!
//! **A miss of the cache costs as much as twenty lookups.** So a bucket is a line of the cache where
//! slots fill one exactly; and who finds a bucket full of others does not walk on into the next line
//! but asks for it and comes back later ([`Probe::Elsewhere`]).

mod growth;

use std::hint::spin_loop;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::State;
use crate::memory::{MAPPED_FROM, Words, prefetch};

pub(crate) use growth::Growth;

/// Says that a word in the set was written.
const WRITTEN: u64 = 1 << 63;
/// Bytes that the processor fetches at once.
const LINE: usize = 64;
/// A set of states.
pub(crate) struct Set<const W: usize> {
    words: Words,
    buckets: usize,
    /// States in it. Threads that share the set cannot count together at every step: the search
    /// says how many they added.
    pub(crate) len: usize,
    /// Whether states were lost because there was no memory in the midst of growing.
    lost: bool,
}

/// What threads share while the set does not grow.
#[derive(Clone, Copy)]
pub(crate) struct Table<'a, const W: usize> {
    slots: &'a [[AtomicU64; W]],
    buckets: u64,
}

/// What came of probing a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Probe {
    /// The state was not there and is now.
    New,
    /// The state was there.
    Known,
    /// The bucket has other states only: the state is to be looked for from this slot on.
    Elsewhere(usize),
    /// The state was not there and is not, because no more may be added.
    NoRoom,
    /// There are no more slots; the set must grow.
    NoSlot,
}

/// A well-mixed hash of a state: the two halves of a 128-bit product depend on all its bits.
#[inline]
pub(crate) fn hash<const W: usize>(state: &State<W>) -> u64 {
    let mut hash = 0x9E37_79B9_7F4A_7C15_u64;
    // One product is enough for the last word.
    let (last, others) = state.split_last().expect("a state has a word");
    for word in others {
        let [low, high] = halves(u128::from(hash ^ word) * 0xD6E8_FEB8_6659_FD93_u128);
        hash = low ^ high;
    }
    let hash = hash ^ last;
    let [low, high] = halves(u128::from(hash) * 0xA076_1D64_78BD_642F_u128);
    low ^ high
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half is what is wanted")]
const fn halves(value: u128) -> [u64; 2] {
    [value as u64, (value >> 64) as u64]
}

/// Slots in a bucket.
const fn per_bucket<const W: usize>() -> usize {
    let slot = size_of::<State<W>>();
    if LINE.is_multiple_of(slot) { LINE / slot } else { 1 }
}

/// Slots that are probed at once.
const fn probed<const W: usize>() -> usize {
    if per_bucket::<W>() == 1 { 4 } else { per_bucket::<W>() }
}

impl<const W: usize> Table<'_, W> {
    /// Where probing for a state with this hash begins.
    #[inline]
    pub(crate) fn first_slot(self, hash: u64) -> usize {
        let [_, high] = halves(u128::from(hash) * u128::from(self.buckets));
        usize::try_from(high).expect("less than the number of slots") * const { per_bucket::<W>() }
    }

    /// Asks for the memory that [`Self::probe`] will need.
    #[inline]
    pub(crate) fn prefetch(self, start: usize) {
        if let Some(slots) = self.slots.get(start..start + const { probed::<W>() }) {
            prefetch(&slots[0]);
            if const { per_bucket::<W>() == 1 } {
                prefetch(&slots[const { probed::<W>() / 2 }]);
                prefetch(&slots[const { probed::<W>() - 1 }][W - 1]);
            }
        }
    }

    /// Adds a state if it is not there, looking at a few slots from `start` on, and if there is
    /// `room`. Only one thread may use the table unless it is `SHARED`: an exchange costs more than
    /// a store.
    #[inline]
    pub(crate) fn probe<const SHARED: bool>(
        self,
        state: &State<W>,
        start: usize,
        room: usize,
    ) -> Probe {
        debug_assert!(state.iter().all(|word| word & WRITTEN == 0), "the highest bit is ours");
        let end = start + const { probed::<W>() };
        let Some(slots) = self.slots.get(start..end) else { return Probe::NoSlot };
        // Slots that were in use before they are compared with the state need no second look, if their
        // states are written at once.
        let compared = if SHARED && W == 1 { first_used(slots) } else { 0 };
        if is_among(slots, state) {
            return Probe::Known;
        }
        if !SHARED && const { per_bucket::<W>() } > 1 {
            return match slots.get(used(slots)) {
                None => Probe::Elsewhere(end),
                Some(_) if room == 0 => Probe::NoRoom,
                Some(slot) => {
                    for (word, value) in slot.iter().zip(state) {
                        word.store(value | WRITTEN, Ordering::Relaxed);
                    }
                    Probe::New
                }
            };
        }
        let first = state[0] | WRITTEN;
        for slot in slots.iter().skip(compared) {
            let mut found = slot[0].load(Ordering::Relaxed);
            if found == 0 {
                if room == 0 {
                    return Probe::NoRoom;
                }
                let taken = if SHARED {
                    slot[0].compare_exchange(0, first, Ordering::Relaxed, Ordering::Relaxed)
                } else {
                    slot[0].store(first, Ordering::Relaxed);
                    Ok(0)
                };
                match taken {
                    Ok(_) => {
                        for (word, value) in slot.iter().zip(state).skip(1) {
                            word.store(value | WRITTEN, Ordering::Relaxed);
                        }
                        return Probe::New;
                    }
                    Err(other) => found = other,
                }
            }
            if found == first && others_agree(slot, state) {
                return Probe::Known;
            }
        }
        Probe::Elsewhere(end)
    }

    /// Adds a state as [`Self::probe`] does, wherever it belongs, when only one thread does; never
    /// says [`Probe::Elsewhere`].
    pub(crate) fn insert(self, state: &State<W>, room: usize) -> Probe {
        let mut probe = Probe::Elsewhere(self.first_slot(hash(state)));
        while let Probe::Elsewhere(start) = probe {
            probe = self.probe::<false>(state, start, room);
        }
        probe
    }
}

/// Whether a state is in one of some slots. Most successors are known, and where is hard to predict:
/// to compare with all, without a branch, is cheaper than to stop at the right one.
#[inline]
fn is_among<const W: usize>(slots: &[[AtomicU64; W]], state: &State<W>) -> bool {
    let is_zero = |value: u64| value.wrapping_sub(1) & !value & (1 << 63);
    let difference = |slot: &[AtomicU64; W]| {
        let words = slot.iter().zip(state);
        words.fold(0, |sum, (word, value)| sum | (word.load(Ordering::Relaxed) ^ value ^ WRITTEN))
    };
    slots.iter().map(difference).fold(0, |found, difference| found | is_zero(difference)) != 0
}

/// How many slots of a bucket are in use, which are the first. To count them is cheaper than to go
/// through them until one is empty: nobody can predict which.
#[inline]
fn used<const W: usize>(bucket: &[[AtomicU64; W]]) -> usize {
    let used: u64 = bucket.iter().map(|slot| slot[0].load(Ordering::Relaxed) >> 63).sum();
    usize::try_from(used).expect("few slots")
}

/// The same while others fill them: only slots that were seen to be in use are counted.
#[inline]
fn first_used<const W: usize>(slots: &[[AtomicU64; W]]) -> usize {
    let mut all = 1;
    let count = slots.iter().map(|slot| {
        all &= slot[0].load(Ordering::Relaxed) >> 63;
        all
    });
    usize::try_from(count.sum::<u64>()).expect("few slots")
}

/// Whether the words of a slot but the first are those of a state, which may be about to be written.
#[inline]
fn others_agree<const W: usize>(slot: &[AtomicU64; W], state: &State<W>) -> bool {
    slot.iter().zip(state).skip(1).all(|(word, value)| {
        let mut tries = 0_u32;
        loop {
            let found = word.load(Ordering::Relaxed);
            if found != 0 {
                return found == value | WRITTEN;
            }
            // Whoever writes it may have lost its processor.
            tries = tries.wrapping_add(1);
            if tries.is_multiple_of(64) { std::thread::yield_now() } else { spin_loop() }
        }
    })
}

impl<const W: usize> Set<W> {
    pub(crate) const fn new() -> Self {
        Self { words: Words::new(MAPPED_FROM), buckets: 0, len: 0, lost: false }
    }

    pub(crate) fn table(&self) -> Table<'_, W> {
        let (slots, _) = self.words.all().as_chunks();
        Table { slots, buckets: self.buckets as u64 }
    }

    /// How many states may be added before the set must grow: it is at most three quarters full.
    pub(crate) fn room(&self) -> usize {
        let slots = self.buckets * per_bucket::<W>();
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
