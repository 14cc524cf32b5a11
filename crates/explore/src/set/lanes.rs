//! Tables with a lane of a word for each state: what is left of its key ([`super::key`]).
//!
//! A bucket is a line of the cache, eight words of `N` lanes. A lane that is not zero is a *mark*: its
//! highest bit is one, the next ones say by how many buckets the state is displaced, and the others are
//! what is stored of the key. So equal marks in one bucket mean equal states. A state that would be
//! displaced farther than a mark can tell makes the set grow; at three quarters of load that happens, as
//! far as simulations of a million states can be extrapolated, once in a hundred million.
//!
//! To look at all lanes, without a branch, is cheaper than to stop at the right one, which nobody can
//! predict; the lanes of a word are looked at together.

use std::sync::atomic::{AtomicU64, Ordering};

use super::key::{Buckets, Keys};
use super::table::{LINE, Movable, Moved, Probe, Sought, Table};
use crate::State;
use crate::memory::prefetch;

/// The words of a bucket.
type Bucket = [AtomicU64; LINE];

/// A table with `N` states in a word.
#[derive(Clone, Copy)]
pub(crate) struct Lanes<'a, const W: usize, const N: usize> {
    lines: &'a [Bucket],
    keys: Keys<W>,
    buckets: Buckets<W>,
}

impl<'a, const W: usize, const N: usize> Lanes<'a, W, N> {
    /// Bits of a lane.
    const BITS: usize = 64 / N;
    /// Bits that say how far a state is displaced.
    const DISPLACED: usize = if N == 1 { 5 } else { 4 };
    /// Bits of a mark for the key.
    const STORED: usize = Self::BITS - 1 - Self::DISPLACED;
    /// The lowest bit of each lane, the highest of each, and all bits of the first one.
    const LOW: u64 = u64::MAX / Self::LANE;
    const HIGH: u64 = Self::LOW << (Self::BITS - 1);
    const LANE: u64 = u64::MAX >> (64 - Self::BITS);
    /// The mark of a state that is one bucket farther.
    const FARTHER: u64 = 1 << Self::STORED;
    /// The mark of a state that cannot be displaced farther, without the key.
    const FARTHEST: u64 = (Self::FARTHER << Self::DISPLACED) - Self::FARTHER;
    /// A mark that says nothing else.
    const MARK: u64 = 1 << (Self::BITS - 1);
    /// Words behind the last bucket.
    pub(super) const BEHIND: usize = LINE * ((1 << Self::DISPLACED) - 1);

    pub(super) fn new(words: &'a [AtomicU64], keys: Keys<W>, buckets: Buckets<W>) -> Self {
        let (lines, _) = words.as_chunks();
        Self { lines, keys, buckets }
    }

    /// Whether what is stored of a key fits into a lane.
    pub(super) const fn fit(buckets: &Buckets<W>) -> bool {
        buckets.stored_bits() as usize <= Self::STORED
    }

    /// The words of a bucket as they are now, each by itself.
    #[inline]
    fn seen(bucket: &Bucket) -> [u64; LINE] {
        bucket.each_ref().map(|word| word.load(Ordering::Relaxed))
    }

    /// Whether a mark is in one of the lanes: whether one of the differences is zero.
    #[inline]
    fn is_among(seen: &[u64; LINE], mark: u64) -> bool {
        let pattern = mark * Self::LOW;
        let found = seen.iter().fold(0, |found, word| {
            let difference = word ^ pattern;
            found | (difference.wrapping_sub(Self::LOW) & !difference)
        });
        found & Self::HIGH != 0
    }

    /// How many lanes are in use: all first lanes are filled before the second ones.
    #[inline]
    fn used(seen: &[u64; LINE]) -> usize {
        let marks = seen.iter().map(|word| (word >> (Self::BITS - 1)) & Self::LOW);
        // The product has the sum of all lanes in its last one.
        let sum = marks.sum::<u64>().wrapping_mul(Self::LOW) >> (64 - Self::BITS);
        usize::try_from(sum).expect("few lanes")
    }

    /// The same if others fill them, so that a lane may have been seen to be in use and one before it not:
    /// only the first ones in a row.
    #[inline]
    fn first_used(seen: &[u64; LINE]) -> usize {
        let mut all = Self::LOW;
        let rows = seen.iter().map(|word| {
            all &= word >> (Self::BITS - 1);
            all
        });
        let rows = rows.sum::<u64>();
        let row = |lane: usize| {
            usize::try_from((rows >> (lane * Self::BITS)) & Self::LANE).expect("few lanes")
        };
        let mut count = row(0);
        if N == 2 && count == LINE {
            count += row(1);
        }
        count
    }

    #[inline]
    fn load(bucket: &Bucket, lane: usize) -> u64 {
        let (word, shift) = (&bucket[lane % LINE], lane / LINE * Self::BITS);
        (word.load(Ordering::Relaxed) >> shift) & Self::LANE
    }

    /// Puts a mark into a lane, when only one thread does.
    #[inline]
    fn store(bucket: &Bucket, lane: usize, mark: u64) {
        let (word, shift) = (&bucket[lane % LINE], lane / LINE * Self::BITS);
        word.store(word.load(Ordering::Relaxed) | mark << shift, Ordering::Relaxed);
    }

    /// Puts a mark into a lane unless there is one: then it is that.
    #[inline]
    fn exchange(bucket: &Bucket, lane: usize, mark: u64) -> Result<(), u64> {
        let (word, shift) = (&bucket[lane % LINE], lane / LINE * Self::BITS);
        let mut found = word.load(Ordering::Relaxed);
        loop {
            let there = (found >> shift) & Self::LANE;
            if there != 0 {
                return Err(there);
            }
            let (new, relaxed) = (found | mark << shift, Ordering::Relaxed);
            match word.compare_exchange_weak(found, new, relaxed, relaxed) {
                Ok(_) => return Ok(()),
                Err(now) => found = now,
            }
        }
    }

    /// Where to look next.
    #[inline]
    fn farther(Sought { at, mark }: Sought) -> Option<Sought> {
        let can_be = mark & Self::FARTHEST != Self::FARTHEST;
        can_be.then(|| Sought { at: at + 1, mark: mark + Self::FARTHER })
    }
}

impl<const W: usize, const N: usize> Table<W> for Lanes<'_, W, N> {
    #[inline]
    fn seek(&self, state: &State<W>) -> Sought {
        let (at, stored) = self.buckets.split(self.keys.key(state));
        Sought { at, mark: stored | Self::MARK }
    }

    #[inline]
    fn prefetch(&self, sought: Sought) {
        if let Some(bucket) = self.lines.get(sought.at) {
            prefetch(bucket);
        }
    }

    #[inline]
    fn probe<const SHARED: bool>(&self, _: &State<W>, sought: Sought, room: usize) -> Probe {
        let Some(bucket) = self.lines.get(sought.at) else { return Probe::NoSlot };
        let elsewhere = || Self::farther(sought).map_or(Probe::NoSlot, Probe::Elsewhere);
        let seen = Self::seen(bucket);
        if Self::is_among(&seen, sought.mark) {
            return Probe::Known;
        }
        if !SHARED {
            return match Self::used(&seen) {
                lane if lane == N * LINE => elsewhere(),
                _ if room == 0 => Probe::NoRoom,
                lane => {
                    Self::store(bucket, lane, sought.mark);
                    Probe::New
                }
            };
        }
        // Lanes that were seen to be in use need no second look.
        for lane in Self::first_used(&seen)..N * LINE {
            let mut there = Self::load(bucket, lane);
            if there == 0 {
                if room == 0 {
                    return Probe::NoRoom;
                }
                match Self::exchange(bucket, lane, sought.mark) {
                    Ok(()) => return Probe::New,
                    Err(mark) => there = mark,
                }
            }
            if there == sought.mark {
                return Probe::Known;
            }
        }
        elsewhere()
    }
}

impl<const W: usize, const N: usize> Movable<W> for Lanes<'_, W, N> {
    fn buckets(&self) -> usize {
        self.lines.len()
    }

    fn is_full(&self, bucket: usize) -> bool {
        Self::used(&Self::seen(&self.lines[bucket])) == N * LINE
    }

    #[inline]
    fn take_out(&self, bucket: usize, mut visit: impl FnMut(Moved<W>)) {
        let line = &self.lines[bucket];
        // How many are in use can be counted; for each of them whether it is could not be predicted.
        for lane in 0..Self::used(&Self::seen(line)) {
            let mark = Self::load(line, lane) & !Self::MARK;
            let displaced = usize::try_from(mark >> Self::STORED).expect("few bits");
            let stored = mark & (Self::FARTHER - 1);
            visit(Moved::Key(self.buckets.join(bucket - displaced, stored)));
        }
        for word in line {
            word.store(0, Ordering::Relaxed);
        }
    }

    #[inline]
    fn put<const SHARED: bool>(&self, moved: Moved<W>) -> bool {
        let key = match moved {
            Moved::Key(key) => key,
            Moved::State(state) => self.keys.key(&state),
        };
        let (at, stored) = self.buckets.split(key);
        let mut sought = Sought { at, mark: stored | Self::MARK };
        while let Some(bucket) = self.lines.get(sought.at) {
            let lane = Self::used(&Self::seen(bucket));
            if lane == N * LINE {
                let Some(farther) = Self::farther(sought) else { return false };
                sought = farther;
            } else if SHARED {
                if Self::exchange(bucket, lane, sought.mark).is_ok() {
                    return true;
                }
            } else {
                Self::store(bucket, lane, sought.mark);
                return true;
            }
        }
        false
    }
}
