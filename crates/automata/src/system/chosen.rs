//! Which threads move in a state ([`crate::persistent`] says why that is enough).

use explore::{State, Unknown};

use super::{Packed, Taken};
use crate::interference::{MOST_THREADS, Standing};
use crate::{Reductions, Threads};

/// All threads.
pub(super) const ALL: u16 = u16::MAX;

/// The only step of a thread: where it leads and what it is.
pub(super) type Only<const W: usize> = (State<W>, Taken);

impl<T: Threads, const W: usize> Packed<'_, T, W> {
    /// The threads that are explored in a state, as bits.
    pub(super) fn chosen(&self, state: &State<W>) -> Result<u16, Unknown> {
        let Reductions { exclusive, persistent, .. } = self.automata.reductions;
        let threads = self.tables.len();
        let mut standings = [Standing::default(); MOST_THREADS];
        let (active, excluding) = self.look_at(state, &mut standings);
        if exclusive && excluding != 0 {
            let (is_chosen, _) = self.unless_flagged(state, excluding)?;
            return Ok(if is_chosen { excluding } else { ALL });
        }
        if !persistent {
            return Ok(ALL);
        }
        let Some(sets) = self.interference.closed_sets(&standings[..threads], active) else {
            return Ok(ALL);
        };
        let mut best = ALL;
        for set in (0..threads).map(|thread| sets.of(thread)).filter(|set| *set != 0) {
            let is_all = set == active && !set.is_power_of_two();
            if is_all || best.count_ones() <= set.count_ones() {
                continue;
            }
            if self.unless_flagged(state, set)?.0 {
                best = set;
                if set.is_power_of_two() {
                    break;
                }
            }
        }
        Ok(best)
    }

    /// The step of a thread that is a persistent set by itself and has only one, if there is such a
    /// thread. This is asked of every successor, so only what is quickly found is looked for.
    pub(super) fn only_step(&self, state: &State<W>) -> Result<Option<Only<W>>, Unknown> {
        let Reductions { exclusive, persistent, .. } = self.automata.reductions;
        let threads = self.tables.len();
        let mut standings = [Standing::default(); MOST_THREADS];
        let (active, excluding) = self.look_at(state, &mut standings);
        if exclusive && excluding != 0 {
            return Ok(self.unless_flagged(state, excluding)?.1);
        }
        let mut undisturbed = if persistent {
            self.interference.undisturbed(&standings[..threads], active)
        } else {
            0
        };
        while undisturbed != 0 {
            let thread = undisturbed & undisturbed.wrapping_neg();
            undisturbed &= undisturbed - 1;
            if let (_, Some(only)) = self.unless_flagged(state, thread)? {
                return Ok(Some(only));
            }
        }
        Ok(None)
    }

    /// Looks where all threads stand; which of them are active, and the first of these that is
    /// exclusive, as bits.
    #[inline]
    fn look_at(&self, state: &State<W>, standings: &mut [Standing; MOST_THREADS]) -> (u16, u16) {
        let (mut active, mut excluding) = (0_u16, 0_u16);
        for (thread, (table, place)) in self.tables.iter().zip(standings).enumerate() {
            let standing = self.interference.standing(thread, table.local(state));
            active |= u16::from(standing.is_active) << thread;
            excluding |= u16::from(standing.is_active && standing.is_exclusive) << thread;
            *place = standing;
        }
        (active, excluding & excluding.wrapping_neg())
    }

    /// Whether a set has a step and none of its steps is visible or closes a loop; and then its only
    /// step, if there is only one.
    fn unless_flagged(
        &self,
        state: &State<W>,
        set: u16,
    ) -> Result<(bool, Option<Only<W>>), Unknown> {
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
        let is_chosen = steps > 0 && all_flags == 0;
        Ok((is_chosen, last.filter(|_| is_chosen && steps == 1)))
    }
}
