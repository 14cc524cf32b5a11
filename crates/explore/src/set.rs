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
//! bucket come slots for those that are displaced. A bucket is a line of the cache where slots fill
//! one exactly: so one miss is enough for most lookups, where probing from any slot on would run into
//! the next line every few.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::State;
use crate::account::{Account, OutOfMemory};
use crate::memory::{MAPPED_FROM, Words, prefetch};

/// Says that a word in the set was written.
const WRITTEN: u64 = 1 << 63;
/// Bytes that the processor fetches at once.
const LINE: usize = 64;
/// Slots of the first table, but for those behind.
const FIRST: usize = 1 << 10;
/// Tables of fewer slots become four times as large when they grow, others get a third more.
const SMALL: usize = 1 << 16;
/// Slots behind the last bucket: at three quarters of load the odds to need more are about `e⁻³⁹`.
const BEHIND: usize = 1 << 10;

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

/// What came of an insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Insertion {
    /// The state was not there and is now.
    New,
    /// The state was there.
    Known,
    /// The state was not there and is not, because no more may be added.
    NoRoom,
    /// There was no slot left at the end; the set must grow.
    NoSlot,
}

/// A well-mixed hash of a state: the two halves of a 128-bit product depend on all its bits.
#[inline]
pub(crate) fn hash<const W: usize>(state: &State<W>) -> u64 {
    let mut hash = 0x9E37_79B9_7F4A_7C15_u64;
    for word in state {
        let [low, high] = halves(u128::from(hash ^ word) * 0xD6E8_FEB8_6659_FD93_u128);
        hash = low ^ high;
    }
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

impl<const W: usize> Table<'_, W> {
    /// Where probing begins.
    #[inline]
    fn first_slot(self, hash: u64) -> usize {
        let [_, high] = halves(u128::from(hash) * u128::from(self.buckets));
        usize::try_from(high).expect("less than the number of slots") * const { per_bucket::<W>() }
    }

    /// Asks for the memory that [`Self::insert`] will need.
    #[inline]
    pub(crate) fn prefetch(self, hash: u64) {
        if let Some(slot) = self.slots.get(self.first_slot(hash)) {
            prefetch(&slot[0]);
            if const { per_bucket::<W>() == 1 } {
                prefetch(&slot[W - 1]);
            }
        }
    }

    /// Adds a state if it is not there and there is `room`. Only one thread may use the table unless
    /// it is `SHARED`: an exchange costs more than a store.
    #[inline]
    pub(crate) fn insert<const SHARED: bool>(
        self,
        state: &State<W>,
        hash: u64,
        room: usize,
    ) -> Insertion {
        debug_assert!(state.iter().all(|word| word & WRITTEN == 0), "the highest bit is ours");
        let start = self.first_slot(hash);
        if self.is_in_bucket(start, state) {
            return Insertion::Known;
        }
        let first = state[0] | WRITTEN;
        for slot in &self.slots[start..] {
            let mut found = slot[0].load(Ordering::Relaxed);
            if found == 0 {
                if room == 0 {
                    return Insertion::NoRoom;
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
                        return Insertion::New;
                    }
                    Err(other) => found = other,
                }
            }
            if found == first && others_agree(slot, state) {
                return Insertion::Known;
            }
        }
        Insertion::NoSlot
    }

    /// Whether a state is in a bucket, not displaced. Most successors are known, and where in the
    /// bucket is hard to predict: to compare with all slots is cheaper than to stop at the right one.
    #[inline]
    fn is_in_bucket(self, start: usize, state: &State<W>) -> bool {
        let bucket = self.slots.get(start..start + const { per_bucket::<W>() });
        bucket.is_some_and(|bucket| {
            bucket.iter().fold(false, |known, slot| {
                let words = slot.iter().zip(state);
                known
                    | words.fold(true, |same, (word, value)| {
                        same & (word.load(Ordering::Relaxed) == value | WRITTEN)
                    })
            })
        })
    }
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

    /// Gets more slots: about a third more, or less if that is all there is memory for. A set that
    /// could not grow must not be used, unless a second attempt succeeds.
    pub(crate) fn grow(&mut self, account: &Account) -> Result<(), OutOfMemory> {
        if self.lost {
            return Err(OutOfMemory);
        }
        let old = self.buckets * per_bucket::<W>();
        let ample = if old < SMALL { Some((4 * old).max(FIRST)) } else { None };
        let moderate = [3, 6, 12, 24].into_iter().map(|part| old + old / part);
        for slots in ample.into_iter().chain(moderate.filter(|slots| *slots >= FIRST)) {
            let buckets = slots / per_bucket::<W>();
            if self.reserve(Self::slots_for(buckets), account).is_ok() {
                return self.grow_to(buckets, account);
            }
        }
        Err(OutOfMemory)
    }

    fn slots(&self) -> usize {
        self.words.all().len() / W
    }

    const fn slots_for(buckets: usize) -> usize {
        buckets * per_bucket::<W>() + BEHIND
    }

    /// Makes sure that there are so many slots.
    fn reserve(&mut self, slots: usize, account: &Account) -> Result<(), OutOfMemory> {
        let count = slots.checked_mul(W).ok_or(OutOfMemory)?;
        if count <= self.words.all().len() {
            return Ok(());
        }
        let before = self.words.bytes();
        let (_, needed) = self.words.bytes_for(count);
        let more = needed.saturating_sub(before);
        account.reserve(more)?;
        let result = self.words.grow(count);
        // What was needed for the move only, or not obtained.
        account.release((before + more).saturating_sub(self.words.bytes()));
        result
    }

    /// Moves all states to where they belong when there are so many buckets, at least as many as now.
    ///
    /// A *run* is a row of slots in use between two that are empty. Its states belong into it: their
    /// probing does not begin before it. Taking runs from the end backwards, and taking out a
    /// whole run before putting its states back, all states from its beginning on are in their new
    /// places, and putting one back is an ordinary insertion: it meets no state that is yet to move,
    /// for those are before the run and it looks at no slot before.
    fn grow_to(&mut self, buckets: usize, account: &Account) -> Result<(), OutOfMemory> {
        let old_slots = self.slots();
        self.reserve(Self::slots_for(buckets), account)?;
        self.buckets = buckets;
        self.lost = true;
        let mut run: Vec<State<W>> = Vec::new();
        for slot in (0..old_slots).rev() {
            let table = self.table();
            let words = &table.slots[slot];
            if words[0].load(Ordering::Relaxed) != 0 {
                run.try_reserve(1).map_err(|_| OutOfMemory)?;
                run.push(words.each_ref().map(|word| word.load(Ordering::Relaxed) & !WRITTEN));
                for word in words {
                    word.store(0, Ordering::Relaxed);
                }
            } else if !run.is_empty() {
                self.put_back(&run, account)?;
                run.clear();
            }
        }
        self.put_back(&run, account)?;
        self.lost = false;
        Ok(())
    }

    fn put_back(&mut self, run: &[State<W>], account: &Account) -> Result<(), OutOfMemory> {
        for state in run {
            let hash = hash(state);
            while self.table().insert::<false>(state, hash, 1) == Insertion::NoSlot {
                self.reserve(self.slots() + BEHIND, account)?;
            }
        }
        Ok(())
    }

    pub(crate) fn bytes(&self) -> usize {
        self.words.bytes()
    }
}

#[cfg(test)]
#[path = "set_tests.rs"]
mod tests;
