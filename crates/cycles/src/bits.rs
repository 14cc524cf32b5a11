//! Sets of small numbers.

/// A set of numbers below a fixed limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// No number below `limit`.
    pub(crate) fn new(limit: usize) -> Self {
        Self { words: vec![0; limit.div_ceil(64)] }
    }

    pub(crate) fn insert(&mut self, number: usize) {
        self.words[number / 64] |= 1 << (number % 64);
    }

    pub(crate) fn contains(&self, number: usize) -> bool {
        self.words[number / 64] >> (number % 64) & 1 == 1
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    /// Adds numbers; whether some are new.
    pub(crate) fn add_all(&mut self, other: &Self) -> bool {
        let mut new = 0;
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            new |= more & !*word;
            *word |= more;
        }
        new != 0
    }

    /// Keeps what another set has too.
    pub(crate) fn keep(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= other;
        }
    }

    /// Leaves out what another set has.
    pub(crate) fn leave_out(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= !other;
        }
    }

    pub(crate) fn clear(&mut self) {
        self.words.fill(0);
    }

    pub(crate) fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).any(|(one, other)| one & other != 0)
    }

    pub(crate) fn remove(&mut self, number: usize) {
        self.words[number / 64] &= !(1 << (number % 64));
    }

    pub(crate) fn and(&self, other: &Self) -> Self {
        Self {
            words: self.words.iter().zip(&other.words).map(|(one, other)| one & other).collect(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        numbers(self.words.iter().copied())
    }

    /// What is in both sets.
    pub(crate) fn both<'b>(&'b self, other: &'b Self) -> impl Iterator<Item = usize> + 'b {
        numbers(self.words.iter().zip(&other.words).map(|(one, other)| one & other))
    }
}

fn numbers(words: impl Iterator<Item = u64>) -> impl Iterator<Item = usize> {
    words.enumerate().flat_map(|(at, word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let bit = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            Some(at * 64 + bit)
        })
    })
}
