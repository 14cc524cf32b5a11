//! How the set grows, in place.
//!
//! A *run* is a row of full buckets and the one behind them. Its states belong into it: their probing
//! does not begin before it. So the buckets from the beginning of a run on can be moved without those
//! before: no state of theirs is looked for there, and with more buckets, in more memory, each moves up.
//!
//! **From the end backwards, part by part**: the next part are the last buckets not yet moved whose
//! states go behind all that is not yet moved. Nothing that is put meets a state that is yet to move,
//! so the states of a part can be moved in any order, and **by several threads at once**, who share
//! what they put into as they share the set in a search. A part is a half of what is left if the set
//! becomes twice as large. Old and new places are walked through in order, so memory is read and
//! written in streams.
//!
//! When little is left, it is moved run by run: a whole run is taken out before its states are put
//! back, and all from its beginning on are then in their new places.
//!
//! **The more buckets, the less is stored of a state** ([`super::key`]): a table of words becomes one of
//! half words as soon as that is possible, with the memory that it would get anyway. Buckets of all kinds
//! have as many words and order states by place; so nothing else changes.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::Set;
use super::table::{AnyTable, Movable, Moved, Shape};
use crate::account::{Account, OutOfMemory};

/// Words of the first table for each word of a state, but for those behind.
pub(super) const FIRST: usize = 1 << 10;
/// Bytes of tables that become four times as large when they grow, and twice; larger ones get two
/// fifths more, or a third, so that there are never fewer than 0.53 states for each slot. To move all
/// states costs a third of what it costs to look up one successor of each.
const SMALL: usize = 1 << 19;
const MEDIUM: usize = 1 << 23;
const LARGE: usize = 1 << 30;
/// Buckets that are moved run by run.
const FEW: usize = 1 << 9;
/// Buckets that are worth a second thread.
const WORTH_SHARING: usize = 1 << 12;
/// Buckets that a thread takes at a time.
const SHARE: usize = 1 << 9;

/// A set that is about to grow.
pub(crate) struct Growth<const W: usize> {
    old: Shape<W>,
    /// The buckets that are moved now; those behind are done.
    part: Range<usize>,
    /// Where the next share of it begins.
    next: AtomicUsize,
    /// States for which there was no slot.
    homeless: Mutex<Vec<Moved<W>>>,
    out_of_memory: AtomicBool,
}

impl<const W: usize> Growth<W> {
    /// Whether a second thread would help.
    pub(crate) fn is_worth_sharing(&self) -> bool {
        self.part.len() >= WORTH_SHARING
    }
}

/// Moves the states of some buckets to where they belong in another table, which is behind them.
fn move_up<const SHARED: bool, const W: usize>(
    old: impl Movable<W>,
    new: impl Movable<W>,
    buckets: Range<usize>,
    homeless: &mut Vec<Moved<W>>,
) -> Result<(), OutOfMemory> {
    let mut result = Ok(());
    for bucket in buckets {
        old.take_out(bucket, |moved| {
            if !new.put::<SHARED>(moved) {
                result = result.and(add(homeless, moved));
            }
        });
    }
    result
}

#[cold]
fn add<T>(all: &mut Vec<T>, one: T) -> Result<(), OutOfMemory> {
    all.try_reserve(1).map_err(|_| OutOfMemory)?;
    all.push(one);
    Ok(())
}

impl<const W: usize> Set<W> {
    /// Gets more slots. A set that could not grow must not be used, unless a second attempt succeeds.
    pub(crate) fn grow(&mut self, account: &Account) -> Result<(), OutOfMemory> {
        let growth = self.begin_to_grow(account)?;
        self.grow_alone(growth, account)
    }

    fn grow_alone(&mut self, mut growth: Growth<W>, account: &Account) -> Result<(), OutOfMemory> {
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
        self.begin(account)
    }

    fn begin(&mut self, account: &Account) -> Result<Growth<W>, OutOfMemory> {
        let old = if self.bytes() == 0 { 0 } else { self.shape.number * Shape::<W>::BUCKET };
        let more = match self.bytes() {
            0 => FIRST * W,
            1..SMALL => 3 * old,
            SMALL..MEDIUM => old,
            MEDIUM..LARGE => old * 2 / 5,
            LARGE.. => old / 3,
        };
        let words = self.words.all().len();
        // Less if that is all there is memory for.
        for more in [more, old / 3, old / 6, old / 12, old / 24] {
            if more > 0
                && let Some(shape) = self.shape_with(old + more)
                && self.reserve(shape.words(), account).is_ok()
            {
                return Ok(self.begin_to_spread(shape, words));
            }
        }
        Err(OutOfMemory)
    }

    /// A table with so many words for buckets, or those that are reserved with them.
    fn shape_with(&self, words: usize) -> Option<Shape<W>> {
        let shape = Shape::with_words(self.keys, words)?;
        let (bytes, _) = self.words.bytes_for(shape.words());
        let unused = bytes / size_of::<u64>() - shape.words();
        Shape::with_words(self.keys, words + unused)
    }

    /// Makes sure that there are so many words.
    pub(super) fn reserve(&mut self, count: usize, account: &Account) -> Result<(), OutOfMemory> {
        if count <= self.words.all().len() {
            return Ok(());
        }
        let before = self.words.bytes();
        let (_, needed) = self.words.bytes_for(count);
        let more = needed.saturating_sub(before);
        account.reserve(more)?;
        if self.words.grow(count).is_err() {
            account.not_obtained(more);
            return Err(OutOfMemory);
        }
        // What was needed for the move only.
        account.release((before + more).saturating_sub(self.words.bytes()));
        Ok(())
    }

    /// The states, which are in the first so many words, are to be moved to where they belong in a table
    /// of this shape, which has at least as many. The words are there.
    pub(super) fn begin_to_spread(&mut self, shape: Shape<W>, words: usize) -> Growth<W> {
        self.lost = true;
        let old = std::mem::replace(&mut self.shape, shape);
        let end = old.table(&self.words.all()[..words]).buckets();
        Growth {
            old,
            part: end..end,
            next: AtomicUsize::new(end),
            homeless: Mutex::new(Vec::new()),
            out_of_memory: AtomicBool::new(false),
        }
    }

    fn old_table(&self, growth: &Growth<W>) -> AnyTable<'_, W> {
        growth.old.table(self.words.all())
    }

    /// Goes on to the next part, which threads may move together when the one before is done; says
    /// whether there is one.
    pub(crate) fn next_part(&self, growth: &mut Growth<W>) -> bool {
        let (old, new) = (&growth.old, &self.shape);
        let end = growth.part.start;
        // Bucket `b` of the old ones goes to `b * new / old` or behind.
        let first = (end * old.number).div_ceil(new.number);
        let begin = if end > FEW { beginning(self.old_table(growth), first, end) } else { end };
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
            let buckets = begin..part.end.min(begin + SHARE);
            let homeless = &mut homeless;
            result = match (self.old_table(growth), self.table()) {
                (AnyTable::Narrow(old), AnyTable::Narrow(new)) => {
                    move_up::<SHARED, W>(old, new, buckets, homeless)
                }
                (AnyTable::Wide(old), AnyTable::Wide(new)) => {
                    move_up::<SHARED, W>(old, new, buckets, homeless)
                }
                (AnyTable::Plain(old), AnyTable::Plain(new)) => {
                    move_up::<SHARED, W>(old, new, buckets, homeless)
                }
                (old, new) => move_up::<SHARED, W>(old, new, buckets, homeless),
            };
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
        let (old, new) = (self.old_table(&growth), self.table());
        let mut homeless = growth.homeless.into_inner().map_err(|_| OutOfMemory)?;
        let mut run = Vec::new();
        let mut result = Ok(());
        for bucket in (0..growth.part.start).rev() {
            old.take_out(bucket, |moved| result = result.and(add(&mut run, moved)));
            if bucket == 0 || !old.is_full(bucket - 1) {
                for moved in run.drain(..).filter(|moved| !new.put::<false>(*moved)) {
                    result = result.and(add(&mut homeless, moved));
                }
            }
        }
        result?;
        if growth.out_of_memory.into_inner() {
            return Err(OutOfMemory);
        }
        // Now nothing is in their way that is yet to move.
        homeless.retain(|moved| !new.put::<false>(*moved));
        if !homeless.is_empty() {
            // With more buckets there is a slot for them.
            let growth = Growth { homeless: Mutex::new(homeless), ..self.begin(account)? };
            return self.grow_alone(growth, account);
        }
        self.lost = false;
        Ok(())
    }
}

/// The first bucket from `first` on, but not behind `end`, with which a run may begin.
fn beginning<const W: usize>(table: impl Movable<W>, first: usize, end: usize) -> usize {
    let begins = |bucket: &usize| *bucket == 0 || !table.is_full(bucket - 1);
    (first.min(end)..end).find(begins).unwrap_or(end)
}
