//! Which threads move in a state ([`crate::persistent`] says why that is enough).

use explore::{State, Unknown};

use super::{Packed, Taken};
use crate::interference::{MOST_THREADS, Standing};
use crate::{Reductions, Threads};

/// A persistent set that may be explored instead of all threads.
pub(super) struct Chosen<const W: usize> {
    /// The threads, as bits.
    pub(super) set: u16,
    /// The only step of the set, if there is only one: where it leads and what it is.
    pub(super) only: Option<(State<W>, Taken)>,
}

impl<T: Threads, const W: usize> Packed<'_, T, W> {
    /// A persistent set; nothing if all threads have to be explored.
    pub(super) fn chosen(&self, state: &State<W>) -> Result<Option<Chosen<W>>, Unknown> {
        let Reductions { exclusive, persistent, .. } = self.automata.reductions;
        let threads = self.tables.len();
        let mut standings = [Standing::default(); MOST_THREADS];
        let mut active = 0_u16;
        for (thread, table) in self.tables.iter().enumerate() {
            let standing = self.interference.standing(thread, table.local(state));
            if exclusive && standing.is_exclusive && standing.is_active {
                return self.unless_flagged(state, 1 << thread);
            }
            active |= u16::from(standing.is_active) << thread;
            standings[thread] = standing;
        }
        if !persistent {
            return Ok(None);
        }
        let sets = self.interference.closed_sets(&standings[..threads], active);
        let mut best: Option<Chosen<W>> = None;
        for set in sets.into_iter().take(threads).filter(|set| *set != 0) {
            let is_all = set == active && !set.is_power_of_two();
            let size = |set: u16| set.count_ones();
            if is_all || best.as_ref().is_some_and(|best| size(best.set) <= size(set)) {
                continue;
            }
            if let Some(chosen) = self.unless_flagged(state, set)? {
                best = Some(chosen);
                if set.is_power_of_two() {
                    break;
                }
            }
        }
        Ok(best)
    }

    /// This set, if it has a step and none of its steps is visible or closes a loop.
    fn unless_flagged(&self, state: &State<W>, set: u16) -> Result<Option<Chosen<W>>, Unknown> {
        let (mut steps, mut all_flags, mut last) = (0, 0, None);
        let mut members = set;
        while members != 0 {
            let thread = members.trailing_zeros() as usize;
            members &= members - 1;
            self.moves_of(state, thread, |flags, next, taken| {
                steps += 1;
                all_flags |= flags;
                last = Some((next, taken));
            })?;
        }
        let only = last.filter(|_| steps == 1);
        Ok((steps > 0 && all_flags == 0).then_some(Chosen { set, only }))
    }
}
