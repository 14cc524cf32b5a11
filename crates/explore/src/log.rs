//! How each state was found, in two bytes for each, and how a path is read from that.
//!
//! A search by one thread numbers states in the order in which it finds them and expands them in the
//! same order. So it is enough to log, for the states in the order of their expansion, which of their
//! successors were new: the `n`-th new successor in the log is state `n`, and it was found by state
//! `k` if it stands in the `k`-th entry. An entry is a row of bytes: a new successor is its place
//! among the successors, modulo [`SKIP`]; the byte [`SKIP`] stands for that many successors passed
//! over; [`END`] ends the entry.
//!
//! Read from its end backwards, a log gives the path to the last state and to any others at once: a
//! state's number says which mark to look for, the mark's entry is the number of the state it was
//! found by, and that state's own mark stands before. When there is not enough memory, the log forgets
//! its beginning: it then tells the last steps, and what is still wanted is for another search.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::account::{Account, OutOfMemory};

const END: u8 = 255;
const SKIP: u8 = 254;
const CHUNK: usize = 1 << 16;

/// The log of a search.
pub(crate) struct Log {
    chunks: VecDeque<Vec<u8>>,
    /// Whether the beginning was forgotten.
    cut: bool,
    /// Entries that were ended.
    entries: usize,
    /// Successors that were passed over in this entry.
    skipped: usize,
}

/// How a state was found: by which state, and at which place among its successors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) from: usize,
    pub(crate) place: usize,
}

impl Log {
    pub(crate) const fn new() -> Self {
        Self { chunks: VecDeque::new(), cut: false, entries: 0, skipped: 0 }
    }

    /// The successor at `place` of the state expanded now was new.
    pub(crate) fn new_successor(
        &mut self,
        place: usize,
        account: &Account,
    ) -> Result<(), OutOfMemory> {
        while place - self.skipped >= usize::from(SKIP) {
            self.skipped += usize::from(SKIP);
            self.append(SKIP, account)?;
        }
        let rest = u8::try_from(place - self.skipped).expect("less than a skip");
        self.append(rest, account)
    }

    /// The next state will be expanded.
    pub(crate) fn end(&mut self, account: &Account) -> Result<(), OutOfMemory> {
        self.entries += 1;
        self.skipped = 0;
        self.append(END, account)
    }

    fn append(&mut self, byte: u8, account: &Account) -> Result<(), OutOfMemory> {
        if self.chunks.back().is_none_or(|chunk| chunk.len() == CHUNK) {
            let mut chunk = Vec::new();
            if account.extend(&mut chunk, CHUNK).is_err() {
                // The oldest is used again.
                chunk = self.chunks.pop_front().ok_or(OutOfMemory)?;
                chunk.clear();
                self.cut = true;
            }
            self.chunks.try_reserve(1).map_err(|_| OutOfMemory)?;
            self.chunks.push_back(chunk);
        }
        if let Some(chunk) = self.chunks.back_mut() {
            chunk.push(byte);
        }
        Ok(())
    }

    /// Gives memory back that is needed more elsewhere; says whether there was any.
    pub(crate) fn forget_some(&mut self, account: &Account) -> bool {
        let chunk = if self.chunks.len() > 1 { self.chunks.pop_front() } else { None };
        self.cut |= chunk.is_some();
        account.release(chunk.as_ref().map_or(0, Vec::capacity));
        chunk.is_some()
    }

    /// Gives all memory back.
    pub(crate) fn free(self, account: &Account) {
        account.release(self.chunks.iter().map(Vec::capacity).sum());
    }

    /// Finds out how states were found, and those they were found by, and so on. `states` is how
    /// many were found, of which `initial` are not in the log. Takes from `wanted` what it knows or
    /// is initial, and adds what it comes to know to `steps`.
    pub(crate) fn read(
        &self,
        states: usize,
        initial: usize,
        wanted: &mut BTreeSet<usize>,
        steps: &mut BTreeMap<usize, Step>,
    ) {
        let mut number = states;
        let mut entry = self.entries;
        // Those of the present entry, whose skips are still to be counted.
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut close = |entry: usize, open: &mut Vec<(usize, usize)>, wanted: &mut BTreeSet<_>| {
            for (state, place) in open.drain(..) {
                steps.insert(state, Step { from: entry, place });
                wanted.insert(entry);
            }
        };
        for byte in self.chunks.iter().rev().flat_map(|chunk| chunk.iter().rev()) {
            match *byte {
                END => {
                    close(entry, &mut open, wanted);
                    entry -= 1;
                }
                SKIP => open.iter_mut().for_each(|(_, place)| *place += usize::from(SKIP)),
                rest => {
                    number -= 1;
                    if wanted.last() == Some(&number) {
                        wanted.remove(&number);
                        open.push((number, usize::from(rest)));
                    }
                }
            }
        }
        if self.cut {
            wanted.extend(open.into_iter().map(|(state, _)| state));
        } else {
            close(entry, &mut open, wanted);
        }
        wanted.retain(|state| *state >= initial);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    const INITIAL: usize = 3;

    /// How some states were found: at random, but in an order that a search could have.
    fn steps(count: usize) -> BTreeMap<usize, Step> {
        let mut random = fastrand::Rng::with_seed(4);
        let mut steps = BTreeMap::new();
        let (mut from, mut place) = (0, 0);
        for state in INITIAL..INITIAL + count {
            while from + 1 < state && random.u8(..2) == 0 {
                (from, place) = (from + 1, 0);
            }
            let farthest = if random.u8(..20) == 0 { 1000 } else { 3 };
            place += random.usize(..farthest);
            steps.insert(state, Step { from, place });
            place += 1;
        }
        steps
    }

    /// The log of a search that ends when it finds `last`.
    fn log(steps: &BTreeMap<usize, Step>, last: usize, account: &Account) -> Log {
        let mut log = Log::new();
        for step in steps.range(..=last).map(|(_, step)| step) {
            while log.entries < step.from {
                log.end(account).unwrap();
            }
            log.new_successor(step.place, account).unwrap();
        }
        log
    }

    /// Reads how some states were found; returns how many searches that took.
    fn check(memory: usize) -> usize {
        let account = Account::new(&Limits { memory: Some(memory), ..Limits::default() });
        let expected = steps(300_000);
        let mut wanted: BTreeSet<usize> = [1, 77, 5000, 123_456, 299_999, 300_002].into();
        let mut found = BTreeMap::new();
        let mut searches = 0;
        let targets = wanted.clone();
        while let Some(last) = wanted.last().copied() {
            let log = log(&expected, last, &account);
            log.read(last + 1, INITIAL, &mut wanted, &mut found);
            log.free(&account);
            assert!(wanted.last().is_none_or(|next| *next < last));
            searches += 1;
        }
        assert_eq!(account.used(), 0);
        assert!(found.iter().all(|(state, step)| expected[state] == *step));
        for target in targets {
            let first = std::iter::successors(Some(target), |at| Some(found.get(at)?.from)).last();
            assert!(first.is_some_and(|first| first < INITIAL), "{target}");
        }
        searches
    }

    #[test]
    fn a_log_tells_how_states_were_found_all_at_once_or_chunk_by_chunk() {
        assert_eq!(check(usize::MAX), 1);
        assert!(check(5 * CHUNK) > 1);
        assert!(check(2 * CHUNK) > 4);
    }
}
