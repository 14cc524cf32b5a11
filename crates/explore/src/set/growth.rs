//! How the set grows, in place.
//!
//! A *run* is a row of slots in use between two that are empty. Its states belong into it: their
//! probing does not begin before it. So the slots from the beginning of a run on can be moved without
//! those before: no state of theirs is looked for there, and with more buckets each moves up.
//!
//! **From the end backwards, part by part**: the next part are the last slots not yet moved whose
//! states go behind all that is not yet moved. Nothing that is put meets a state that is yet to move,
//! so the states of a part can be moved in any order, and **by several threads at once**, who share
//! what they put into as they share the set in a search. A part is a half of what is left if the set
//! becomes twice as large. Old and new places are walked through in order, so memory is read and
//! written in streams.
//!
//! When little is left, it is moved run by run: a whole run is taken out before its states are put
//! back, and all from its beginning on are then in their new places.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::{Set, Table, WRITTEN, hash, per_bucket, used};
use crate::State;
use crate::account::{Account, OutOfMemory};

/// Slots of the first table, but for those behind.
const FIRST: usize = 1 << 10;
/// Bytes of tables that become four times as large when they grow, and twice; larger ones get two
/// fifths more, or a third, so that there are never fewer than 0.53 states for each slot. To move all
/// states costs a third of what it costs to look up one successor of each.
const SMALL: usize = 1 << 19;
const MEDIUM: usize = 1 << 23;
const LARGE: usize = 1 << 30;
/// Slots behind the last bucket. At three quarters of load the odds that `n` states are displaced beyond
/// it are about `e^(-n/2)`.
const BEHIND: usize = 1 << 10;
/// Slots that are moved run by run.
const FEW: usize = 1 << 12;
/// Slots that are worth a second thread.
const WORTH_SHARING: usize = 1 << 17;
/// Slots that a thread takes at a time.
const SHARE: usize = 1 << 14;

impl<const W: usize> Table<'_, W> {
    /// Adds a state that is not there; says whether there was a slot. Only one thread may do so
    /// unless the table is `SHARED`, and then nobody may look for the state meanwhile.
    #[inline]
    fn put<const SHARED: bool>(self, state: &State<W>) -> bool {
        let first = state[0] | WRITTEN;
        let mut start = self.first_slot(hash(state));
        while let Some(bucket) = self.slots.get(start..start + const { per_bucket::<W>() }) {
            let Some(slot) = bucket.get(used(bucket)) else {
                start += const { per_bucket::<W>() };
                continue;
            };
            if SHARED {
                let (success, failure) = (Ordering::Relaxed, Ordering::Relaxed);
                if slot[0].compare_exchange(0, first, success, failure).is_err() {
                    continue;
                }
            } else {
                slot[0].store(first, Ordering::Relaxed);
            }
            for at in 1..W {
                slot[at].store(state[at] | WRITTEN, Ordering::Relaxed);
            }
            return true;
        }
        false
    }

    fn is_empty(self, slot: usize) -> bool {
        self.slots[slot][0].load(Ordering::Relaxed) == 0
    }

    /// Takes a state out of its slot, if there is one.
    #[inline]
    fn take_out(self, slot: usize) -> Option<State<W>> {
        let words = &self.slots[slot];
        if words[0].load(Ordering::Relaxed) == 0 {
            return None;
        }
        let state = words.each_ref().map(|word| word.load(Ordering::Relaxed) & !WRITTEN);
        for word in words {
            word.store(0, Ordering::Relaxed);
        }
        Some(state)
    }

    /// The first slot from `slot` on, but not behind `end`, with which a run may begin.
    fn beginning(self, slot: usize, end: usize) -> usize {
        let begins = |slot: &usize| *slot == 0 || self.is_empty(slot - 1);
        (slot.min(end)..end).find(begins).unwrap_or(end)
    }

    /// Moves the states of some slots to where they belong, which is behind them; `homeless` get
    /// those for which there is no slot.
    fn move_up<const SHARED: bool>(
        self,
        slots: Range<usize>,
        homeless: &mut Vec<State<W>>,
    ) -> Result<(), OutOfMemory> {
        // How many slots of a bucket are in use can be counted; for each of them whether it is could not
        // be predicted.
        let mut begin = slots.start;
        while begin < slots.end {
            let bucket = begin / const { per_bucket::<W>() };
            let end = slots.end.min((bucket + 1) * const { per_bucket::<W>() });
            for slot in begin..begin + used(&self.slots[begin..end]) {
                if let Some(state) = self.take_out(slot)
                    && !self.put::<SHARED>(&state)
                {
                    homeless.try_reserve(1).map_err(|_| OutOfMemory)?;
                    homeless.push(state);
                }
            }
            begin = end;
        }
        Ok(())
    }
}

/// A set that is about to grow.
pub(crate) struct Growth<const W: usize> {
    old_buckets: usize,
    /// The slots that are moved now; those behind are done.
    part: Range<usize>,
    /// Where the next share of it begins.
    next: AtomicUsize,
    /// States for which there was no slot; they are put back in the end.
    homeless: Mutex<Vec<State<W>>>,
    out_of_memory: AtomicBool,
}

impl<const W: usize> Growth<W> {
    /// Whether a second thread would help.
    pub(crate) fn is_worth_sharing(&self) -> bool {
        self.part.len() >= WORTH_SHARING
    }
}

impl<const W: usize> Set<W> {
    /// Gets more slots. A set that could not grow must not be used, unless a second attempt succeeds.
    pub(crate) fn grow(&mut self, account: &Account) -> Result<(), OutOfMemory> {
        let mut growth = self.begin_to_grow(account)?;
        while self.next_part(&mut growth) {
            self.move_part::<false>(&growth);
        }
        self.finish(growth, account)
    }

    /// Gets more slots, for states that are yet to be moved part by part.
    pub(crate) fn begin_to_grow(&mut self, account: &Account) -> Result<Growth<W>, OutOfMemory> {
        if self.lost {
            return Err(OutOfMemory);
        }
        let old = self.buckets * per_bucket::<W>();
        let more = match old * size_of::<State<W>>() {
            0..SMALL => (3 * old).max(FIRST),
            SMALL..MEDIUM => old,
            MEDIUM..LARGE => old * 2 / 5,
            LARGE.. => old / 3,
        };
        // Less if that is all there is memory for.
        let old_slots = self.slots();
        for more in [more, old / 3, old / 6, old / 12, old / 24] {
            let slots = (old + more).max(FIRST);
            let buckets = slots / per_bucket::<W>();
            if self.reserve(Self::slots_for(buckets), account).is_ok() {
                return Ok(self.begin_to_spread(old_slots, buckets));
            }
        }
        Err(OutOfMemory)
    }

    pub(super) fn slots(&self) -> usize {
        self.words.all().len() / W
    }

    pub(super) const fn slots_for(buckets: usize) -> usize {
        buckets * per_bucket::<W>() + BEHIND
    }

    /// Makes sure that there are so many slots.
    pub(super) fn reserve(&mut self, slots: usize, account: &Account) -> Result<(), OutOfMemory> {
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

    /// The states, which are in the first `old_slots`, are to be moved to where they belong when there
    /// are so many buckets, at least as many as now. The slots are there.
    pub(super) fn begin_to_spread(&mut self, old_slots: usize, buckets: usize) -> Growth<W> {
        self.lost = true;
        Growth {
            old_buckets: std::mem::replace(&mut self.buckets, buckets),
            part: old_slots..old_slots,
            next: AtomicUsize::new(old_slots),
            homeless: Mutex::new(Vec::new()),
            out_of_memory: AtomicBool::new(false),
        }
    }

    /// Goes on to the next part, which threads may move together when the one before is done; says
    /// whether there is one.
    pub(crate) fn next_part(&self, growth: &mut Growth<W>) -> bool {
        let end = growth.part.start;
        // Bucket `b` of the old ones goes to `b * buckets / old_buckets` or behind.
        let first = end.div_ceil(per_bucket::<W>()) * growth.old_buckets;
        let first = first.div_ceil(self.buckets) * per_bucket::<W>();
        let begin = if end > FEW { self.table().beginning(first, end) } else { end };
        growth.part = begin..end;
        *growth.next.get_mut() = begin;
        begin < end
    }

    /// Moves shares of the part until there is none left. Only one thread may do so unless they are
    /// `SHARED`.
    pub(crate) fn move_part<const SHARED: bool>(&self, growth: &Growth<W>) {
        let Growth { part, next, .. } = growth;
        let mut homeless = Vec::new();
        let mut result = Ok(());
        while result.is_ok() {
            let begin = next.fetch_add(SHARE, Ordering::Relaxed);
            if begin >= part.end {
                break;
            }
            let end = part.end.min(begin + SHARE);
            result = self.table().move_up::<SHARED>(begin..end, &mut homeless);
        }
        let mut all = growth.homeless.lock().expect("nothing fails with the lock held");
        if result.is_ok() && all.try_reserve(homeless.len()).is_ok() {
            all.append(&mut homeless);
        } else {
            growth.out_of_memory.store(true, Ordering::Relaxed);
        }
    }

    /// Moves what is left when there are no more parts.
    pub(crate) fn finish(
        &mut self,
        growth: Growth<W>,
        account: &Account,
    ) -> Result<(), OutOfMemory> {
        let mut run: Vec<State<W>> = Vec::new();
        for slot in (0..growth.part.start).rev() {
            if let Some(state) = self.table().take_out(slot) {
                run.try_reserve(1).map_err(|_| OutOfMemory)?;
                run.push(state);
            } else if !run.is_empty() {
                self.put_back(&run, account)?;
                run.clear();
            }
        }
        self.put_back(&run, account)?;
        self.put_back(&growth.homeless.into_inner().map_err(|_| OutOfMemory)?, account)?;
        if growth.out_of_memory.into_inner() {
            return Err(OutOfMemory);
        }
        self.lost = false;
        Ok(())
    }

    fn put_back(&mut self, run: &[State<W>], account: &Account) -> Result<(), OutOfMemory> {
        for state in run {
            while !self.table().put::<false>(state) {
                self.reserve(self.slots() + BEHIND, account)?;
            }
        }
        Ok(())
    }
}
