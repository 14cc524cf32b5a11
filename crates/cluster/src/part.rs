//! The states that one worker owns: whole, in the order in which they were found, so level after
//! level; and a table that finds them.
//!
//! States stand side by side in one list. A slot of the table has the number of a state, from one on,
//! in 32 bits; a state is looked for from the slot that its hash says, one by one, and compared as a
//! whole. So a state takes its own words and between five and eleven bytes. What is reserved is
//! counted before it is.

use explore::Limit;
use explore::tables::Tables;

use crate::batch::hash;

/// Slots that a table begins with.
const FIRST_SLOTS: usize = 1 << 10;

#[derive(Debug)]
pub(crate) struct Part {
    words: usize,
    states: Vec<u64>,
    slots: Vec<u32>,
    /// For each level that was begun, the number of its first state.
    begins: Vec<usize>,
    /// Bytes that may be reserved.
    most: usize,
}

impl Part {
    pub(crate) fn new(tables: &Tables, most: usize) -> Self {
        let Tables { words, .. } = *tables;
        Self { words, states: Vec::new(), slots: vec![0; FIRST_SLOTS], begins: vec![0], most }
    }

    pub(crate) fn len(&self) -> usize {
        self.states.len() / self.words
    }

    /// Bytes reserved.
    pub(crate) fn bytes(&self) -> usize {
        self.states.capacity() * size_of::<u64>() + self.slots.capacity() * size_of::<u32>()
    }

    pub(crate) fn state(&self, number: usize) -> &[u64] {
        &self.states[number * self.words..][..self.words]
    }

    /// What is added from now on belongs to this level.
    pub(crate) fn reach(&mut self, level: usize) {
        let len = self.len();
        while self.begins.len() <= level {
            self.begins.push(len);
        }
    }

    /// The numbers of the states of a level.
    pub(crate) fn level(&self, level: usize) -> std::ops::Range<usize> {
        let at = |level| self.begins.get(level).copied().unwrap_or_else(|| self.len());
        at(level)..at(level + 1)
    }

    /// Adds a state; says whether it is new.
    pub(crate) fn add(&mut self, state: &[u64]) -> Result<bool, Limit> {
        if self.len() >= self.slots.len() / 4 * 3 {
            self.grow()?;
        }
        let mask = self.slots.len() - 1;
        let mut slot = start(state, mask);
        loop {
            match self.slots[slot] {
                0 => break,
                number if self.state(number as usize - 1) == state => return Ok(false),
                _ => slot = (slot + 1) & mask,
            }
        }
        if self.states.len() + self.words > self.states.capacity() {
            let more = (self.states.capacity() / 4).max(FIRST_SLOTS);
            self.may_reserve(more * size_of::<u64>())?;
            self.states.try_reserve_exact(more).map_err(|_| Limit::Memory)?;
        }
        self.states.extend_from_slice(state);
        self.slots[slot] = u32::try_from(self.len()).map_err(|_| Limit::Memory)?;
        Ok(true)
    }

    fn may_reserve(&self, more: usize) -> Result<(), Limit> {
        if self.bytes() + more <= self.most { Ok(()) } else { Err(Limit::Memory) }
    }

    /// Doubles the table.
    fn grow(&mut self) -> Result<(), Limit> {
        let length = self.slots.len() * 2;
        // The old one stays until the new one is there.
        self.may_reserve(length * size_of::<u32>())?;
        let mut slots = Vec::new();
        slots.try_reserve_exact(length).map_err(|_| Limit::Memory)?;
        slots.resize(length, 0);
        let mask = length - 1;
        for number in 0..self.len() {
            let mut slot = start(self.state(number), mask);
            while slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            slots[slot] = u32::try_from(number + 1).map_err(|_| Limit::Memory)?;
        }
        self.slots = slots;
        Ok(())
    }
}

/// The slot from which a state is looked for. Its owner is told by the high bits of the hash, so that is
/// by the low ones.
fn start(state: &[u64], mask: usize) -> usize {
    let low = hash(state) & mask as u64;
    usize::try_from(low).expect("a number of a slot")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_added_once_and_belongs_to_its_level() {
        for words in 1..=3 {
            let mut part = Part::new(&Tables { words, ..Tables::default() }, usize::MAX);
            let state = |number: u64| vec![number / 2; words];
            for level in 0..4 {
                part.reach(level);
                for number in 0..(level as u64 + 1) * 2000 {
                    let is_new = part.add(&state(number)).expect("there is memory");
                    assert_eq!(is_new, number % 2 == 0 && number >= level as u64 * 2000);
                }
            }
            assert_eq!(part.len(), 4000);
            for level in 0..4 {
                assert_eq!(part.level(level), level * 1000..(level + 1) * 1000);
            }
            assert_eq!(part.level(7), 4000..4000);
            assert_eq!(part.state(1500), vec![1500; words]);
        }
    }

    #[test]
    fn memory_is_a_limit() {
        let mut part = Part::new(&Tables { words: 1, ..Tables::default() }, 100_000);
        let ends = (0..).find_map(|number| part.add(&[number]).err());
        assert_eq!(ends, Some(Limit::Memory));
        assert!(part.bytes() <= 100_000 && part.len() > 4000, "{} {}", part.bytes(), part.len());
    }
}
