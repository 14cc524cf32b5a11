//! Who disturbs whom in a state, as a table of bits: what [`crate::persistent`] asks in every state.
//!
//! What a thread is about to touch, and what another may touch some time, is the same in many local
//! states. Both are numbered, and for each pair of numbers a bit says whether the second disturbs
//! the first. Who disturbs a thread is then a few shifts, and so is the closure: short loops of
//! fixed length without a branch, since what depends on the state cannot be predicted.

use indexmap::IndexSet;

use crate::persistent::Footprint;

/// With more threads than this all of them are always explored.
pub(crate) const MOST_THREADS: usize = 16;

/// Numbers of what a class may touch some time. What gets none is taken to touch everything.
const MOST_FUTURES: usize = 63;

/// A local state, as far as it matters here.
#[derive(Clone, Copy, Default)]
pub(crate) struct Standing {
    /// The number of what it touches next.
    next: u32,
    /// The number of what it may touch some time.
    future: u8,
    /// Whether there is a next step.
    pub(crate) is_active: bool,
    /// Whether nobody else can touch a cell.
    pub(crate) is_exclusive: bool,
}

/// The table.
pub(crate) struct Interference {
    class_of: Vec<usize>,
    /// For each class, by local state.
    standings: Vec<Vec<Standing>>,
    /// What is touched next: read and written.
    nexts: IndexSet<(u64, u64)>,
    /// For each class, what may be touched some time: read and written.
    futures: Vec<IndexSet<(u64, u64)>>,
    /// For each of `nexts` and each class, which of the class's futures disturb it.
    disturbed: Vec<u64>,
}

impl Interference {
    pub(crate) fn new(class_of: &[usize], classes: usize) -> Self {
        Self {
            class_of: class_of.to_vec(),
            standings: vec![Vec::new(); classes],
            nexts: IndexSet::new(),
            futures: vec![IndexSet::new(); classes],
            disturbed: Vec::new(),
        }
    }

    /// How many local states of a class are known.
    pub(crate) fn known(&self, class: usize) -> usize {
        self.standings[class].len()
    }

    /// Adds the next local state of a class.
    pub(crate) fn add(&mut self, class: usize, print: &Footprint) {
        let standing = Standing {
            next: self.number_of_next((print.next_reads, print.next_writes)),
            future: self.number_of_future(class, (print.reads, print.writes)),
            is_active: print.is_active,
            is_exclusive: print.is_exclusive,
        };
        self.standings[class].push(standing);
    }

    fn number_of_next(&mut self, next: (u64, u64)) -> u32 {
        let (number, is_new) = self.nexts.insert_full(next);
        if is_new {
            for futures in &self.futures {
                let bits = futures.iter().enumerate();
                let bits = bits.map(|(at, future)| u64::from(disturbs(next, *future)) << at);
                // What has no number disturbs everything.
                self.disturbed.push(bits.sum::<u64>() | 1 << MOST_FUTURES);
            }
        }
        u32::try_from(number).expect("fewer than 2^32 footprints")
    }

    fn number_of_future(&mut self, class: usize, future: (u64, u64)) -> u8 {
        let futures = &mut self.futures[class];
        let number = match futures.get_index_of(&future) {
            Some(known) => known,
            None if futures.len() == MOST_FUTURES => MOST_FUTURES,
            None => {
                let (number, _) = futures.insert_full(future);
                let classes = self.standings.len();
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
    pub(crate) fn standing(&self, thread: usize, local: usize) -> Standing {
        self.standings[self.class_of[thread]][local]
    }

    /// For each thread the smallest set of active threads that contains it and everybody who
    /// disturbs a member; nothing for threads that are not active.
    #[inline]
    pub(crate) fn closed_sets(&self, standings: &[Standing], active: u16) -> [u16; MOST_THREADS] {
        let classes = self.standings.len();
        let mut sets = [0; MOST_THREADS];
        for (thread, standing) in standings.iter().enumerate() {
            let row = standing.next as usize * classes;
            let row = &self.disturbed[row..row + classes];
            let others = standings.iter().zip(&self.class_of).enumerate();
            let disturbing = others.fold(1_u16 << thread, |set, (other, (standing, class))| {
                set | (((row[*class] >> standing.future) & 1 != 0) as u16) << other
            });
            let is_active = 0_u16.wrapping_sub(active >> thread & 1);
            sets[thread] = disturbing & active & is_active;
        }
        // Warshall's closure: whoever has the member has all of its set.
        for member in 0..standings.len() {
            let of_member = sets[member];
            for set in &mut sets[..standings.len()] {
                *set |= of_member & 0_u16.wrapping_sub(*set >> member & 1);
            }
        }
        sets
    }
}

/// Whether what is touched some time can interfere with what is touched next.
const fn disturbs((next_reads, next_writes): (u64, u64), (reads, writes): (u64, u64)) -> bool {
    next_reads & writes | next_writes & (reads | writes) != 0
}
