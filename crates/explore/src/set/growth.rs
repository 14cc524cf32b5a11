//! How the set grows, in place.
//!
//! A *run* is a row of slots in use between two that are empty. Its states belong into it: their
//! probing does not begin before it. Taking runs from the end backwards, and taking out a whole run
//! before putting its states back, all states from its beginning on are in their new places, and
//! putting one back is an ordinary insertion: it meets no state that is yet to move, for those are
//! before the run, and it looks at no slot before. Old and new places are walked through in order,
//! so memory is read and written in streams.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{Set, Table, WRITTEN, hash, per_bucket};
use crate::State;
use crate::account::{Account, OutOfMemory};

/// Slots of the first table, but for those behind.
const FIRST: usize = 1 << 10;
/// Bytes of tables that become four times as large when they grow, twice, and half as large again;
/// others get a third more. To move all states costs about as much as to look up one successor of
/// each, so tables grow boldly where memory is no matter.
const SMALL: usize = 1 << 19;
const MEDIUM: usize = 1 << 26;
const LARGE: usize = 1 << 30;
/// Slots behind the last bucket: at three quarters of load the odds to need more are about `e⁻³⁹`.
const BEHIND: usize = 1 << 10;

impl<const W: usize> Table<'_, W> {
    /// Adds a state that is not there, when only one thread does; says whether there was a slot.
    #[inline]
    fn put(self, state: &State<W>) -> bool {
        let is_empty = |slot: &&[AtomicU64; W]| slot[0].load(Ordering::Relaxed) == 0;
        let slot = self.slots[self.first_slot(hash(state))..].iter().find(is_empty);
        for (word, value) in slot.into_iter().flatten().zip(state) {
            word.store(value | WRITTEN, Ordering::Relaxed);
        }
        slot.is_some()
    }
}

impl<const W: usize> Set<W> {
    /// Gets more slots. A set that could not grow must not be used, unless a second attempt succeeds.
    pub(crate) fn grow(&mut self, account: &Account) -> Result<(), OutOfMemory> {
        if self.lost {
            return Err(OutOfMemory);
        }
        let old = self.buckets * per_bucket::<W>();
        let more = match old * size_of::<State<W>>() {
            0..SMALL => (3 * old).max(FIRST),
            SMALL..MEDIUM => old,
            MEDIUM..LARGE => old / 2,
            LARGE.. => old / 3,
        };
        // Less if that is all there is memory for.
        for more in [more, old / 3, old / 6, old / 12, old / 24] {
            let slots = (old + more).max(FIRST);
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
    pub(super) fn grow_to(&mut self, buckets: usize, account: &Account) -> Result<(), OutOfMemory> {
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
            while !self.table().put(state) {
                self.reserve(self.slots() + BEHIND, account)?;
            }
        }
        Ok(())
    }
}
