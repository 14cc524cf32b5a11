//! Which threads move in a state ([`crate::persistent`] says why that is enough).

use explore::{State, Unknown};

use super::{MOST_THREADS, Packed};
use crate::persistent::{self, Footprint};
use crate::{Reductions, Threads};

/// The thread has a next step.
const ACTIVE: u32 = 1 << 16;
/// Nobody else can touch a cell.
const EXCLUSIVE: u32 = 1 << 17;

impl<T: Threads, const W: usize> Packed<'_, T, W> {
    /// Which threads are sure to disturb which next steps; found out anew if there is less that is
    /// sure.
    pub(super) fn find_what_is_sure(&mut self) {
        let threads = self.tables.len();
        if threads > MOST_THREADS {
            return;
        }
        let least: Vec<Footprint> =
            self.footprints.iter().map(|prints| persistent::least(prints)).collect();
        if least != self.least || self.sure.len() != threads {
            self.sure = vec![Vec::new(); threads];
            self.least = least;
        }
        for thread in 0..threads {
            let prints = &self.footprints[self.automata.class_of[thread]];
            let known = self.sure[thread].len();
            let disturbs = |print: &Footprint, other: usize| {
                let least = &self.least[self.automata.class_of[other]];
                other != thread && print.is_disturbed_by(least)
            };
            let bits = prints[known..].iter().map(|print| {
                let others = (0..threads).map(|other| u32::from(disturbs(print, other)) << other);
                let active = if print.is_active { ACTIVE } else { 0 };
                let exclusive = if print.is_exclusive { EXCLUSIVE } else { 0 };
                others.sum::<u32>() | active | exclusive
            });
            let bits: Vec<u32> = bits.collect();
            self.sure[thread].extend(bits);
        }
    }

    /// A persistent set that may be explored instead of all threads, as bits, and the number of its
    /// steps; nothing if all threads have to be explored.
    pub(super) fn persistent_set(&self, state: &State<W>) -> Result<Option<(u64, usize)>, Unknown> {
        let Reductions { exclusive, persistent, .. } = self.automata.reductions;
        let threads = self.tables.len();
        let mut sure = [0; MOST_THREADS];
        let mut active = 0_u16;
        for (thread, (known, field)) in self.sure.iter().zip(&self.layout.threads).enumerate() {
            let bits = known[usize::try_from(field.get(state)).expect("a local state")];
            if exclusive && bits & EXCLUSIVE != 0 && bits & ACTIVE != 0 {
                let set = 1 << thread;
                return Ok(self.steps_unless_flagged(state, set)?.map(|steps| (set, steps)));
            }
            active |= u16::from(bits & ACTIVE != 0) << thread;
            let [_, _, high, low] = bits.to_be_bytes();
            sure[thread] = u16::from_be_bytes([high, low]);
        }
        let promising = persistent::promising(&sure, active);
        if !persistent || promising == 0 {
            return Ok(None);
        }
        let prints: [&Footprint; MOST_THREADS] = std::array::from_fn(|thread| {
            let Some(table) = self.tables.get(thread) else { return &Footprint::NONE };
            &self.footprints[self.automata.class_of[thread]][table.local(state)]
        });
        let active = u64::from(active);
        let mut best: Option<(u64, usize)> = None;
        for seed in (0..threads).filter(|thread| promising >> thread & 1 == 1) {
            let set = persistent::closed(&prints, 1 << seed, active);
            let is_better = best.is_none_or(|(best, _)| set.count_ones() < best.count_ones());
            if set == active && active.count_ones() > 1 || !is_better {
                continue;
            }
            if let Some(steps) = self.steps_unless_flagged(state, set)? {
                best = Some((set, steps));
                if set.is_power_of_two() {
                    break;
                }
            }
        }
        Ok(best)
    }

    /// The number of steps of these threads, if there are any and none is visible or closes a loop.
    fn steps_unless_flagged(&self, state: &State<W>, set: u64) -> Result<Option<usize>, Unknown> {
        let (mut steps, mut all_flags) = (0, 0);
        let mut members = set;
        while members != 0 {
            let thread = members.trailing_zeros() as usize;
            members &= members - 1;
            self.moves_of(state, thread, |flags, _, _| {
                steps += 1;
                all_flags |= flags;
            })?;
        }
        Ok((steps > 0 && all_flags == 0).then_some(steps))
    }
}
