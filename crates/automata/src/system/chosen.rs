//! Which threads move in a state ([`crate::persistent`] says why that is enough).

use explore::{State, Unknown};

use super::{Packed, Taken};
use crate::Reductions;
use crate::interference::{Disturbance, MOST_THREADS};

/// All threads.
pub(super) const ALL: u16 = u16::MAX;

/// The only step of a thread: where it leads and what it is.
pub(super) type Only<const W: usize> = (State<W>, Taken);

/// Where all threads stand. A step changes that for one of them, so that it is looked up once for
/// each state that is expanded and carried on from there.
#[derive(Clone, Copy)]
pub(super) struct Disturbances {
    of: [Disturbance; MOST_THREADS],
    threads: usize,
    /// The threads that have a next step, as bits, and those of them that are exclusive.
    active: u16,
    exclusive: u16,
}

impl Disturbances {
    /// A thread has moved.
    #[inline]
    fn set(&mut self, thread: usize, disturbance: Disturbance) {
        let bit = 1 << thread;
        self.active = self.active & !bit | u16::from(disturbance.is_active()) << thread;
        self.exclusive = self.exclusive & !bit | u16::from(disturbance.is_excluding()) << thread;
        self.of[thread] = disturbance;
    }

    /// The first thread that is exclusive, as a bit.
    #[inline]
    const fn excluding(&self) -> u16 {
        self.exclusive & self.exclusive.wrapping_neg()
    }

    #[inline]
    fn all(&self) -> &[Disturbance] {
        &self.of[..self.threads]
    }
}

impl<const W: usize> Packed<'_, W> {
    /// Looks where all threads stand.
    #[inline]
    pub(super) fn look_at(&self, state: &State<W>) -> Disturbances {
        let of = [Disturbance::default(); MOST_THREADS];
        let mut disturbances =
            Disturbances { of, threads: self.tables.len(), active: 0, exclusive: 0 };
        for thread in 0..self.tables.len() {
            self.moved(state, thread, &mut disturbances);
        }
        disturbances
    }

    /// Looks where one thread stands.
    #[inline]
    pub(super) fn moved(&self, state: &State<W>, thread: usize, disturbances: &mut Disturbances) {
        let local = self.tables[thread].local(state);
        disturbances.set(thread, self.interference.disturbance(thread, local));
    }

    /// The threads that are explored in a state, as bits.
    pub(super) fn chosen(
        &self,
        state: &State<W>,
        disturbances: &Disturbances,
    ) -> Result<u16, Unknown> {
        let Reductions { exclusive, persistent, .. } = self.reductions;
        let excluding = disturbances.excluding();
        if exclusive && excluding != 0 {
            let (is_chosen, _) = self.unless_flagged(state, excluding)?;
            return Ok(if is_chosen { excluding } else { ALL });
        }
        if !persistent {
            return Ok(ALL);
        }
        let active = disturbances.active;
        let Some(sets) = self.interference.closed_sets(disturbances.all(), active) else {
            return Ok(ALL);
        };
        let mut best = ALL;
        for set in (0..disturbances.threads).map(|thread| sets.of(thread)).filter(|set| *set != 0) {
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
    #[inline]
    pub(super) fn only_step(
        &self,
        state: &State<W>,
        disturbances: &Disturbances,
    ) -> Result<Option<Only<W>>, Unknown> {
        let Reductions { exclusive, persistent, .. } = self.reductions;
        let excluding = disturbances.excluding();
        if exclusive && excluding != 0 {
            return Ok(self.unless_flagged(state, excluding)?.1);
        }
        let mut undisturbed = if persistent {
            self.interference.undisturbed(disturbances.all(), disturbances.active)
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
