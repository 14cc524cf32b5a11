//! Tables of states as they are, `W` words for each, for states whose keys do not fit into a word.
//!
//! The highest bit of a state's words is zero; in the table it is one, and says that the word was
//! written. So an empty slot is all zeros and no state is. Each word of a slot is written once: whoever
//! has turned the first one from zero into the state's stores the others, and whoever finds its own first
//! word there compares the others, and waits for those that are still zero. A thread that sees a word that
//! is not zero sees the final value of that word, and compares it only with its own.
//!
//! A bucket is a line of the cache where slots fill one exactly, and a slot otherwise; then a few are
//! probed at once.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicU64, Ordering};

use super::halves;
use super::key::Keys;
use super::table::{LINE, Movable, Moved, Probe, Sought, Table};
use crate::State;
use crate::memory::prefetch;

/// Says that a word was written.
const WRITTEN: u64 = 1 << 63;

/// A table of states as they are.
#[derive(Clone, Copy)]
pub(crate) struct Plain<'a, const W: usize> {
    slots: &'a [[AtomicU64; W]],
    keys: Keys<W>,
    number: u64,
}

impl<'a, const W: usize> Plain<'a, W> {
    /// Slots of a bucket, and words.
    const SLOTS: usize = if LINE.is_multiple_of(W) { LINE / W } else { 1 };
    pub(super) const BUCKET: usize = Self::SLOTS * W;
    /// Slots that are probed at once.
    const PROBED: usize = if Self::SLOTS == 1 { 4 } else { Self::SLOTS };
    /// Words behind the last bucket. At three quarters of load the odds that `n` states are displaced
    /// beyond it are about `e^(-n/2)`.
    pub(super) const BEHIND: usize = W << 10;

    pub(super) fn new(words: &'a [AtomicU64], keys: Keys<W>, number: usize) -> Self {
        let (slots, _) = words.as_chunks();
        Self { slots, keys, number: number as u64 }
    }

    /// Whether a state is in one of some slots. Most successors are known, and where is hard to predict:
    /// to compare with all, without a branch, is cheaper than to stop at the right one.
    #[inline]
    fn is_among(slots: &[[AtomicU64; W]], state: &State<W>) -> bool {
        let is_zero = |value: u64| value.wrapping_sub(1) & !value & WRITTEN;
        let difference = |slot: &[AtomicU64; W]| {
            let words = slot.iter().zip(state);
            words.fold(0, |sum, (word, value)| {
                sum | (word.load(Ordering::Relaxed) ^ value ^ WRITTEN)
            })
        };
        slots.iter().map(difference).fold(0, |found, difference| found | is_zero(difference)) != 0
    }

    fn bucket(&self, bucket: usize) -> &'a [[AtomicU64; W]] {
        &self.slots[bucket * Self::SLOTS..(bucket + 1) * Self::SLOTS]
    }

    /// How many slots are in use, which are the first. To count them is cheaper than to go through them
    /// until one is empty: nobody can predict which.
    #[inline]
    fn used(slots: &[[AtomicU64; W]]) -> usize {
        let used: u64 = slots.iter().map(|slot| slot[0].load(Ordering::Relaxed) >> 63).sum();
        usize::try_from(used).expect("few slots")
    }

    /// Whether the words of a slot but the first are those of a state, which may be about to be written.
    #[inline]
    fn others_agree(slot: &[AtomicU64; W], state: &State<W>) -> bool {
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

    /// Writes a state into a slot unless there is one: then its first word is that.
    #[inline]
    fn write<const SHARED: bool>(slot: &[AtomicU64; W], state: &State<W>) -> Result<(), u64> {
        let (first, relaxed) = (state[0] | WRITTEN, Ordering::Relaxed);
        if SHARED {
            slot[0].compare_exchange(0, first, relaxed, relaxed)?;
        } else {
            slot[0].store(first, relaxed);
        }
        for (word, value) in slot.iter().zip(state).skip(1) {
            word.store(value | WRITTEN, relaxed);
        }
        Ok(())
    }
}

impl<const W: usize> Table<W> for Plain<'_, W> {
    #[inline]
    fn seek(&self, state: &State<W>) -> Sought {
        let [_, bucket] = halves(u128::from(self.keys.place(state)) * u128::from(self.number));
        let bucket = usize::try_from(bucket).expect("less than the number of slots");
        Sought { at: bucket * Self::SLOTS, mark: 0 }
    }

    #[inline]
    fn prefetch(&self, sought: Sought) {
        if let Some(slots) = self.slots.get(sought.at..sought.at + Self::PROBED) {
            prefetch(&slots[0]);
            if Self::SLOTS == 1 {
                prefetch(&slots[Self::PROBED / 2]);
                prefetch(&slots[Self::PROBED - 1][W - 1]);
            }
        }
    }

    #[inline]
    fn probe<const SHARED: bool>(&self, state: &State<W>, sought: Sought, room: usize) -> Probe {
        debug_assert!(state.iter().all(|word| word & WRITTEN == 0), "the highest bit is ours");
        let end = sought.at + Self::PROBED;
        let Some(slots) = self.slots.get(sought.at..end) else { return Probe::NoSlot };
        if Self::is_among(slots, state) {
            return Probe::Known;
        }
        let first = state[0] | WRITTEN;
        // Slots that are buckets of their own need not be filled in order.
        let skipped = if SHARED || Self::SLOTS == 1 { 0 } else { Self::used(slots) };
        for slot in slots.iter().skip(skipped) {
            let mut found = slot[0].load(Ordering::Relaxed);
            if found == 0 {
                if room == 0 {
                    return Probe::NoRoom;
                }
                match Self::write::<SHARED>(slot, state) {
                    Ok(()) => return Probe::New,
                    Err(other) => found = other,
                }
            }
            if found == first && Self::others_agree(slot, state) {
                return Probe::Known;
            }
        }
        Probe::Elsewhere(Sought { at: end, ..sought })
    }
}

impl<const W: usize> Movable<W> for Plain<'_, W> {
    fn buckets(&self) -> usize {
        self.slots.len() / Self::SLOTS
    }

    fn is_full(&self, bucket: usize) -> bool {
        Self::used(self.bucket(bucket)) == Self::SLOTS
    }

    #[inline]
    fn take_out(&self, bucket: usize, mut visit: impl FnMut(Moved<W>)) {
        let slots = self.bucket(bucket);
        for slot in &slots[..Self::used(slots)] {
            let state = slot.each_ref().map(|word| word.load(Ordering::Relaxed) & !WRITTEN);
            for word in slot {
                word.store(0, Ordering::Relaxed);
            }
            visit(Moved::State(state));
        }
    }

    #[inline]
    fn put<const SHARED: bool>(&self, moved: Moved<W>) -> bool {
        let Moved::State(state) = moved else { unreachable!("keys of this table would not fit") };
        let mut bucket = self.seek(&state).at / Self::SLOTS;
        while bucket < self.buckets() {
            let slots = self.bucket(bucket);
            match slots.get(Self::used(slots)) {
                None => bucket += 1,
                Some(slot) => {
                    if Self::write::<SHARED>(slot, &state).is_ok() {
                        return true;
                    }
                }
            }
        }
        false
    }
}
