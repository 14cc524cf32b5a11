//! Numbers for things that occur again and again, so that a whole state or trace is a short row of
//! numbers that is cheap to copy, hash and compare.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// A hash map with the fast hash of this module.
pub(crate) type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<Mixer>>;
/// A hash set with the fast hash of this module.
pub(crate) type FastSet<T> = HashSet<T, BuildHasherDefault<Mixer>>;

/// A row of numbers that identifies a state, a trace or both.
pub(crate) type Key = Box<[u32]>;

/// Gives equal things equal numbers, counted from 0.
#[derive(Debug)]
pub(crate) struct Interner<T> {
    items: Vec<T>,
    numbers: FastMap<T, u32>,
}

impl<T: Clone + Eq + Hash> Interner<T> {
    pub(crate) fn new() -> Self {
        Self { items: Vec::new(), numbers: FastMap::default() }
    }

    /// The number of `item`.
    pub(crate) fn number(&mut self, item: T) -> u32 {
        if let Some(number) = self.numbers.get(&item) {
            return *number;
        }
        let number = u32::try_from(self.items.len()).expect("limits are far below 2^32");
        self.items.push(item.clone());
        self.numbers.insert(item, number);
        number
    }

    /// The item with this number.
    pub(crate) fn item(&self, number: u32) -> &T {
        &self.items[number as usize]
    }

    /// How many different items there are.
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }
}

/// A multiplicative hash: the keys are small numbers that nobody chose to collide.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mixer(u64);

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }

    fn write_u8(&mut self, byte: u8) {
        self.write_u64(u64::from(byte));
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn finish(&self) -> u64 {
        // The table looks at the high and the low bits; multiplication mixes upwards only.
        self.0 ^ (self.0 >> 29)
    }
}
