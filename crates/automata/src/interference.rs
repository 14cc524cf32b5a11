//! Who disturbs whom in a state, as a table of bits: what [`crate::persistent`] asks in every state.
//!
//! What a thread is about to touch, and what another may touch some time, is the same in many local
//! states. Both are numbered, and for each pair of numbers a bit says whether the second disturbs
//! the first. Mostly the other disturbs wherever he is, or nowhere: that is known for each local state
//! beforehand, and only the rest is looked up. The closure is a short loop of fixed length without a
//! branch, since what depends on the state cannot be predicted.

use arrayvec::ArrayVec;

use crate::build::IndexSet;
use crate::numbers::LIKELY;
use crate::persistent::Footprint;

/// With more threads than this all of them are always explored.
pub(crate) const MOST_THREADS: usize = 16;

/// Numbers of what a class may touch some time. What gets none is taken to touch everything.
const MOST_FUTURES: usize = 63;

/// Numbers of what is touched next. What gets none is taken to be disturbed by everybody.
const MOST_NEXTS: usize = u16::MAX as usize;

/// A local state, as far as it matters here. Small, since it is copied often.
#[derive(Clone, Copy, Default)]
pub(crate) struct Disturbance {
    /// The number of what it touches next.
    next: u16,
    /// The threads that disturb it wherever they are, as bits.
    always_disturbed_by: u16,
    /// The threads for which that depends on where they are.
    may_be_disturbed_by: u16,
    /// The number of what it may touch some time.
    future: u8,
    flags: u8,
}

impl Disturbance {
    const ACTIVE: u8 = 1;
    const EXCLUSIVE: u8 = 2;

    /// Whether there is a next step.
    #[inline]
    pub(crate) const fn is_active(self) -> bool {
        self.flags & Self::ACTIVE != 0
    }

    /// Whether there is a next step and nobody else can touch a cell.
    #[inline]
    pub(crate) const fn is_excluding(self) -> bool {
        self.flags == Self::ACTIVE | Self::EXCLUSIVE
    }
}

/// The table.
pub(crate) struct Interference {
    class_of: Vec<usize>,
    /// For each class, by local state.
    disturbances: Vec<Vec<Disturbance>>,
    /// What is touched next: read and written.
    nexts: IndexSet<(u64, u64)>,
    /// For each class, what may be touched some time: read and written.
    futures: Vec<IndexSet<(u64, u64)>>,
    /// For each of `nexts` and each class, which of the class's futures disturb it.
    disturbed: Vec<u64>,
    /// For each class, the futures of local states with a next step, as bits.
    of_active: Vec<u64>,
    /// For each class, how many local states know who disturbs them, as things are.
    settled: Vec<usize>,
}

impl Interference {
    pub(crate) fn new(class_of: &[usize], classes: usize) -> Self {
        Self {
            class_of: class_of.to_vec(),
            disturbances: (0..classes).map(|_| Vec::with_capacity(LIKELY)).collect(),
            nexts: IndexSet::default(),
            futures: vec![IndexSet::default(); classes],
            disturbed: Vec::new(),
            of_active: vec![0; classes],
            settled: vec![0; classes],
        }
    }

    /// How many local states of a class are known.
    pub(crate) fn known(&self, class: usize) -> usize {
        self.disturbances[class].len()
    }

    /// Adds the next local state of a class.
    pub(crate) fn add(&mut self, class: usize, print: &Footprint) {
        let disturbance = Disturbance {
            next: self.number_of_next((print.next_reads, print.next_writes)),
            future: self.number_of_future(class, (print.reads, print.writes)),
            flags: if print.is_active { Disturbance::ACTIVE } else { 0 }
                | if print.is_exclusive { Disturbance::EXCLUSIVE } else { 0 },
            always_disturbed_by: 0,
            may_be_disturbed_by: 0,
        };
        if disturbance.is_active() && self.of_active[class] >> disturbance.future & 1 == 0 {
            self.of_active[class] |= 1 << disturbance.future;
            self.settled.fill(0);
        }
        self.disturbances[class].push(disturbance);
    }

    /// Finds out who disturbs the local states that were added; nobody asks before. For each thread
    /// it is said where it begins, if nothing can be touched from a local state on that could not be
    /// touched before.
    pub(crate) fn settle(&mut self, begins: Option<&[Vec<usize>]>) {
        let classes = self.disturbances.len();
        let of_thread = |(thread, class): (usize, &usize)| {
            let all = self.of_active[*class];
            let Some(begins) = begins else { return (*class, all) };
            let touched = begins[thread].iter().fold((0, 0), |(reads, writes), begin| {
                let future = usize::from(self.disturbances[*class][*begin].future);
                let (r, w) = self.futures[*class].get_index(future).unwrap_or(&(!0, !0));
                (reads | r, writes | w)
            });
            let is_beyond = |(reads, writes): &(u64, u64)| reads & !touched.0 | writes & !touched.1;
            let futures = self.futures[*class].iter().enumerate();
            let beyond = futures.map(|(at, future)| u64::from(is_beyond(future) != 0) << at);
            (*class, all & !beyond.sum::<u64>())
        };
        let threads = self.class_of.iter().take(MOST_THREADS).enumerate();
        let threads: ArrayVec<(usize, u64), MOST_THREADS> = threads.map(of_thread).collect();
        for (disturbances, settled) in self.disturbances.iter_mut().zip(&mut self.settled) {
            for disturbance in &mut disturbances[*settled..] {
                let row = &self.disturbed[usize::from(disturbance.next) * classes..][..classes];
                (disturbance.always_disturbed_by, disturbance.may_be_disturbed_by) = (0, 0);
                for (thread, (class, futures)) in threads.iter().enumerate() {
                    match row[*class] & futures {
                        0 => {}
                        some if some == *futures => disturbance.always_disturbed_by |= 1 << thread,
                        _ => disturbance.may_be_disturbed_by |= 1 << thread,
                    }
                }
            }
            *settled = disturbances.len();
        }
    }

    fn number_of_next(&mut self, next: (u64, u64)) -> u16 {
        // The last one stands for all that get no number of their own.
        let next = if self.nexts.len() < MOST_NEXTS { next } else { (u64::MAX, u64::MAX) };
        let (number, is_new) = self.nexts.insert_full(next);
        if is_new {
            for futures in &self.futures {
                let bits = futures.iter().enumerate();
                let bits = bits.map(|(at, future)| u64::from(disturbs(next, *future)) << at);
                // What has no number disturbs everything.
                self.disturbed.push(bits.sum::<u64>() | 1 << MOST_FUTURES);
            }
        }
        u16::try_from(number).expect("at most as many as there are numbers")
    }

    fn number_of_future(&mut self, class: usize, future: (u64, u64)) -> u8 {
        let futures = &mut self.futures[class];
        let number = match futures.get_index_of(&future) {
            Some(known) => known,
            None if futures.len() == MOST_FUTURES => MOST_FUTURES,
            None => {
                let (number, _) = futures.insert_full(future);
                let classes = self.disturbances.len();
                let rows = self.disturbed.iter_mut().skip(class).step_by(classes);
                for (row, next) in rows.zip(&self.nexts) {
                    *row |= u64::from(disturbs(*next, future)) << number;
                }
                number
            }
        };
        u8::try_from(number).expect("at most 63")
    }

    #[inline]
    pub(crate) fn disturbance(&self, thread: usize, local: usize) -> Disturbance {
        self.disturbances[self.class_of[thread]][local]
    }

    /// For each thread the smallest set of active threads that contains it and everybody who
    /// disturbs a member; nothing for threads that are not active, and nothing at all if each of
    /// these sets is all of them.
    #[inline]
    pub(crate) fn closed_sets(&self, disturbances: &[Disturbance], active: u16) -> Option<Sets> {
        let mut sets = Sets([0; MOST_THREADS / 4]);
        let mut common = active;
        for (thread, disturbance) in disturbances.iter().enumerate() {
            let mut disturbing = 1 << thread | disturbance.always_disturbed_by;
            let unsure = disturbance.may_be_disturbed_by & active & !disturbing;
            if unsure != 0 {
                disturbing |= self.looked_up(*disturbance, unsure, disturbances);
            }
            let if_active = 0_u16.wrapping_sub(active >> thread & 1);
            sets.0[thread / 4] |= u64::from(disturbing & active & if_active) << (thread % 4 * 16);
            common &= disturbing | !if_active;
        }
        if common == active && !active.is_power_of_two() {
            return None;
        }
        sets.close(disturbances.len());
        Some(sets)
    }

    /// The active threads that no other active thread disturbs, as bits.
    #[inline]
    pub(crate) fn undisturbed(&self, disturbances: &[Disturbance], active: u16) -> u16 {
        let mut undisturbed = 0;
        for (thread, disturbance) in disturbances.iter().enumerate() {
            let others = active & !(1 << thread);
            let is_sure = disturbance.always_disturbed_by & others == 0 && disturbance.is_active();
            let is_undisturbed = is_sure
                && (disturbance.may_be_disturbed_by & others == 0
                    || self.looked_up(
                        *disturbance,
                        disturbance.may_be_disturbed_by & others,
                        disturbances,
                    ) == 0);
            undisturbed |= u16::from(is_undisturbed) << thread;
        }
        undisturbed
    }

    /// Who disturbs a local state of these others.
    fn looked_up(
        &self,
        disturbance: Disturbance,
        mut others: u16,
        disturbances: &[Disturbance],
    ) -> u16 {
        let row = &self.disturbed[usize::from(disturbance.next) * self.disturbances.len()..];
        let mut disturbing = 0;
        while others != 0 {
            let other = others.trailing_zeros() as usize;
            others &= others - 1;
            let disturbs = row[self.class_of[other]] >> disturbances[other].future & 1 == 1;
            disturbing |= u16::from(disturbs) << other;
        }
        disturbing
    }
}

/// A set of threads for each thread: sixteen bits for each, four in a word.
#[derive(Clone, Copy)]
pub(crate) struct Sets([u64; MOST_THREADS / 4]);

impl Sets {
    /// The set of a thread.
    #[inline]
    pub(crate) fn of(&self, thread: usize) -> u16 {
        let [.., high, low] = (self.0[thread / 4] >> (thread % 4 * 16)).to_be_bytes();
        u16::from_be_bytes([high, low])
    }

    /// Warshall's closure for the first so many threads: whoever has a member has all of its set.
    #[inline]
    fn close(&mut self, threads: usize) {
        const EACH: u64 = 0x0001_0001_0001_0001;
        for member in 0..threads {
            let of_member = u64::from(self.of(member)) * EACH;
            for four in &mut self.0[..threads.div_ceil(4)] {
                let have_it = (*four >> member & EACH) * u64::from(u16::MAX);
                *four |= of_member & have_it;
            }
        }
    }
}

/// Whether what is touched some time can interfere with what is touched next.
const fn disturbs((next_reads, next_writes): (u64, u64), (reads, writes): (u64, u64)) -> bool {
    next_reads & writes | next_writes & (reads | writes) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread's set of direct disturbers by the footprints themselves.
    fn directly(prints: &[Footprint], thread: usize) -> u16 {
        let Footprint { next_reads, next_writes, .. } = prints[thread];
        let disturbing = |(other, print): (usize, &Footprint)| {
            let disturbs = disturbs((next_reads, next_writes), (print.reads, print.writes));
            u16::from(disturbs || other == thread) << other
        };
        prints.iter().enumerate().map(disturbing).sum()
    }

    /// Few futures are told apart exactly; of many, what is not disturbed is not, but not conversely.
    #[test]
    fn who_is_disturbed_is_what_footprints_say() {
        let mut random = fastrand::Rng::with_seed(3);
        for (locals, cells) in [(20, 6), (40, 30), (300, 60)] {
            let classes: Vec<Vec<Footprint>> = (0..3)
                .map(|_| {
                    let mut bits = || random.u64(..) & random.u64(..) & random.u64(..1 << cells);
                    let mut print = || Footprint {
                        next_reads: bits() & bits(),
                        next_writes: bits() & bits(),
                        reads: bits(),
                        writes: bits(),
                        is_active: true,
                        is_exclusive: false,
                    };
                    (0..locals).map(|_| print()).collect()
                })
                .collect();
            let class_of = [0, 1, 1, 2];
            let mut table = Interference::new(&class_of, classes.len());
            // Added bit by bit, as automata grow.
            for part in 0..4 {
                for (class, prints) in classes.iter().enumerate() {
                    for print in &prints[part * locals / 4..(part + 1) * locals / 4] {
                        table.add(class, print);
                    }
                }
                table.settle(None);
            }
            let is_exact = table.futures.iter().all(|futures| futures.len() < MOST_FUTURES);
            assert_eq!(is_exact, locals < MOST_FUTURES);
            for _ in 0..2000 {
                let at = class_of.map(|_| random.usize(..locals));
                let places = class_of.iter().zip(at).enumerate();
                let disturbances: Vec<Disturbance> =
                    places.map(|(thread, (_, local))| table.disturbance(thread, local)).collect();
                let prints: Vec<Footprint> =
                    class_of.iter().zip(at).map(|(class, local)| classes[*class][local]).collect();
                for (thread, disturbance) in disturbances.iter().enumerate() {
                    let found = disturbance.always_disturbed_by
                        | table.looked_up(
                            *disturbance,
                            disturbance.may_be_disturbed_by,
                            &disturbances,
                        )
                        | 1 << thread;
                    let expected = directly(&prints, thread);
                    assert_eq!(found & expected, expected);
                    assert!(!is_exact || found == expected, "{found:b} {expected:b}");
                }
            }
        }
    }

    #[test]
    fn what_gets_no_number_is_disturbed_by_everybody() {
        let mut table = Interference::new(&[0, 0], 1);
        let future = Footprint { reads: 2, writes: 2, is_active: true, ..Footprint::default() };
        let locals = MOST_NEXTS + 10;
        for local in 0..locals {
            // Nothing that anybody ever touches.
            table.add(0, &Footprint { next_reads: (local as u64) << 2, ..future });
        }
        table.settle(None);
        for (local, is_disturbed) in [(MOST_NEXTS - 1, false), (MOST_NEXTS, true)] {
            let disturbances = [local, local].map(|local| table.disturbance(0, local));
            let undisturbed = table.undisturbed(&disturbances, 0b11);
            assert_eq!(undisturbed, if is_disturbed { 0 } else { 0b11 }, "{local}");
        }
    }

    #[test]
    fn sets_are_closed_as_one_by_one() {
        let mut random = fastrand::Rng::with_seed(7);
        for threads in 1..=MOST_THREADS {
            for _ in 0..200 {
                let direct: Vec<u16> =
                    (0..threads).map(|at| 1 << at | random.u16(..) & random.u16(..)).collect();
                let direct: Vec<u16> =
                    direct.iter().map(|set| set & (u16::MAX >> (MOST_THREADS - threads))).collect();
                let mut sets = Sets([0; MOST_THREADS / 4]);
                for (thread, set) in direct.iter().enumerate() {
                    sets.0[thread / 4] |= u64::from(*set) << (thread % 4 * 16);
                }
                sets.close(threads);
                for thread in 0..threads {
                    let mut expected = direct[thread];
                    for _ in 0..threads {
                        for (member, set) in direct.iter().enumerate() {
                            expected |= if expected >> member & 1 == 1 { *set } else { 0 };
                        }
                    }
                    assert_eq!(sets.of(thread), expected, "{threads} {direct:?}");
                }
            }
        }
    }
}
