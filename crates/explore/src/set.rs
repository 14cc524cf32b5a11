//! The set of states found: exact, open addressing, in shards.
//!
//! A state belongs to the shard that the first bits of its hash name. Shards grow one by one, by a
//! third, so that growth never holds two whole sets and the set stays between 56 and 75 % full; and
//! a shard can be filled by one thread while others fill theirs. States are added shard by shard,
//! many at a time, so that the part of memory in use fits a cache.
//!
//! A slot holds the state itself. All words zero means an empty slot; the state that is all zeros
//! is remembered beside them. With each state goes its depth, modulo 256: that is enough to find a
//! shortest path afterwards without keeping any other trace of the search ([`crate::path`]).

use std::hint::black_box;

use crate::State;

/// How many shards there are.
pub(crate) const SHARDS: usize = 256;
/// Slots of a shard when its first state arrives.
const FIRST_SLOTS: usize = 16;
/// How many states are looked up together, so that their cache misses overlap.
const BATCH: usize = 32;

/// There is no more memory.
#[derive(Debug)]
pub(crate) struct OutOfMemory;

/// A part of the set.
pub(crate) struct Shard<const W: usize> {
    slots: Vec<State<W>>,
    depths: Vec<u8>,
    len: usize,
    /// The depth of the state that is all zeros, if it was found.
    zero: Option<u8>,
}

/// A well-mixed hash of a state: the two halves of a 128-bit product depend on all its bits.
pub(crate) fn hash<const W: usize>(state: &State<W>) -> u64 {
    let mut hash = 0x9E37_79B9_7F4A_7C15_u64;
    for word in state {
        let [low, high] = halves(u128::from(hash ^ word) * 0xD6E8_FEB8_6659_FD93_u128);
        hash = low ^ high;
    }
    let [low, high] = halves(u128::from(hash) * 0xA076_1D64_78BD_642F_u128);
    low ^ high
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half is what is wanted")]
const fn halves(value: u128) -> [u64; 2] {
    [value as u64, (value >> 64) as u64]
}

/// The shard of a state with this hash.
pub(crate) fn shard_of(hash: u64) -> usize {
    usize::from(hash.to_be_bytes()[0])
}

impl<const W: usize> Shard<W> {
    pub(crate) const fn new() -> Self {
        Self { slots: Vec::new(), depths: Vec::new(), len: 0, zero: None }
    }

    /// Bytes reserved for one slot.
    const SLOT: usize = size_of::<State<W>>() + 1;

    /// Bytes reserved.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<State<W>>() + self.depths.capacity()
    }

    /// Adds states at a depth; calls `new` with each that was not there. `may_reserve` is asked
    /// before that many more bytes are reserved.
    pub(crate) fn insert_all(
        &mut self,
        states: &[State<W>],
        depth: u8,
        may_reserve: &impl Fn(usize) -> bool,
        mut new: impl FnMut(State<W>),
    ) -> Result<(), OutOfMemory> {
        for batch in states.chunks(BATCH) {
            while (self.len + batch.len()) * 4 > self.slots.len() * 3 {
                self.grow(may_reserve)?;
            }
            // Touching all slots first lets the processor fetch them side by side.
            let mut starts = [0; BATCH];
            let mut touched = 0;
            for (state, start) in batch.iter().zip(&mut starts) {
                *start = self.first_slot(hash(state));
                touched ^= self.slots[*start][0];
            }
            black_box(touched);
            for (state, start) in batch.iter().zip(starts) {
                if self.insert(*state, start, depth) {
                    new(*state);
                }
            }
        }
        Ok(())
    }

    /// Where the search for a state with this hash begins.
    fn first_slot(&self, hash: u64) -> usize {
        // The bits that chose the shard are the same for all of its states.
        let [_, high] = halves(u128::from(hash << 8) * (self.slots.len() as u128));
        usize::try_from(high).expect("less than the number of slots")
    }

    fn insert(&mut self, state: State<W>, start: usize, depth: u8) -> bool {
        if state == [0; W] {
            let new = self.zero.is_none();
            self.zero.get_or_insert(depth);
            return new;
        }
        let mut slot = start;
        loop {
            if self.slots[slot] == state {
                return false;
            }
            if self.slots[slot] == [0; W] {
                self.slots[slot] = state;
                self.depths[slot] = depth;
                self.len += 1;
                return true;
            }
            slot = if slot + 1 == self.slots.len() { 0 } else { slot + 1 };
        }
    }

    fn grow(&mut self, may_reserve: &impl Fn(usize) -> bool) -> Result<(), OutOfMemory> {
        let slots = (self.slots.len() + self.slots.len() / 3).max(FIRST_SLOTS);
        // Until the old slots are given back, both are there.
        if !may_reserve(slots * Self::SLOT) {
            return Err(OutOfMemory);
        }
        let mut grown = Self::new();
        grown.slots.try_reserve_exact(slots).map_err(|_| OutOfMemory)?;
        grown.depths.try_reserve_exact(slots).map_err(|_| OutOfMemory)?;
        grown.slots.resize(slots, [0; W]);
        grown.depths.resize(slots, 0);
        for (state, depth) in self.slots.iter().zip(&self.depths) {
            if *state != [0; W] {
                let start = grown.first_slot(hash(state));
                grown.insert(*state, start, *depth);
            }
        }
        grown.zero = self.zero;
        *self = grown;
        Ok(())
    }

    /// The states whose depth is `depth`, modulo 256.
    pub(crate) fn at_depth(&self, depth: u8) -> impl Iterator<Item = State<W>> {
        let zero = (self.zero == Some(depth)).then_some([0; W]);
        let stored = self.slots.iter().zip(&self.depths);
        let stored = stored.filter(move |(state, at)| **at == depth && **state != [0; W]);
        zero.into_iter().chain(stored.map(|(state, _)| *state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn check<const W: usize>(states: &[State<W>]) {
        let mut shard = Shard::new();
        let mut expected: BTreeMap<State<W>, u8> = BTreeMap::new();
        for (number, state) in states.iter().enumerate() {
            let depth = number.to_le_bytes()[0];
            let mut found = Vec::new();
            shard.insert_all(&[*state], depth, &|_| true, |new| found.push(new)).unwrap();
            assert_eq!(found.is_empty(), expected.contains_key(state), "{state:?}");
            expected.entry(*state).or_insert(depth);
        }
        let mut stored = BTreeMap::new();
        for depth in 0..=u8::MAX {
            stored.extend(shard.at_depth(depth).map(|state| (state, depth)));
        }
        assert_eq!(stored, expected);
    }

    #[test]
    fn no_state_is_lost_or_confused() {
        let mut random = fastrand::Rng::with_seed(1);
        // Few bits, so that many repeat; and the extremes, which an encoding might misuse.
        let mut one: Vec<State<1>> = (0..5000).map(|_| [random.u64(..3000)]).collect();
        one.extend([[0], [u64::MAX], [0], [u64::MAX], [1 << 63]]);
        check(&one);
        let mut three: Vec<State<3>> =
            (0..5000).map(|_| std::array::from_fn(|_| random.u64(..12))).collect();
        three.extend([[0; 3], [u64::MAX; 3], [0, 0, 1], [1, 0, 0], [0; 3]]);
        check(&three);
    }

    #[test]
    fn growth_can_be_refused() {
        let mut shard: Shard<1> = Shard::new();
        let states: Vec<State<1>> = (1..1000).map(|number| [number]).collect();
        let mut found = 0;
        let result = shard.insert_all(&states, 0, &|bytes| bytes < 2000, |_| found += 1);
        assert!(result.is_err());
        assert!(found > 0 && shard.bytes() < 2000);
    }
}
