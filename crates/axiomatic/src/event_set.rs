//! Sets of events, as bits.

use std::ops::{BitAnd, BitOr, Not, Sub};

/// How many words a set has.
const WORDS: usize = 4;

const WORD_BITS: usize = u64::BITS as usize;

/// A set of events, by their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventSet {
    words: [u64; WORDS],
}

impl EventSet {
    /// The greatest number of events that a set can hold.
    pub const MAX_EVENTS: usize = WORDS * WORD_BITS;

    /// No event.
    pub const EMPTY: Self = Self { words: [0; WORDS] };

    /// How many words hold the events up to a number, which is not among them.
    pub(crate) const fn words_for(events: usize) -> usize {
        events.div_ceil(WORD_BITS)
    }

    /// The set that these words hold; those that are left out hold nothing.
    pub(crate) fn from_words(words: &[u64]) -> Self {
        let mut set = Self::EMPTY;
        set.words[..words.len()].copy_from_slice(words);
        set
    }

    /// The words that hold it.
    pub(crate) const fn words(&self) -> &[u64; WORDS] {
        &self.words
    }

    /// One event.
    pub const fn only(event: usize) -> Self {
        let mut set = Self::EMPTY;
        set.insert(event);
        set
    }

    /// Whether an event is in it.
    pub const fn contains(self, event: usize) -> bool {
        self.words[event / WORD_BITS] >> (event % WORD_BITS) & 1 == 1
    }

    /// Whether there is none in it.
    pub fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    /// Adds an event.
    pub const fn insert(&mut self, event: usize) {
        self.words[event / WORD_BITS] |= 1 << (event % WORD_BITS);
    }

    /// Its events in order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        self.words
            .into_iter()
            .enumerate()
            .flat_map(|(number, word)| bits(word).map(move |bit| number * WORD_BITS + bit))
    }

    /// The greatest number in it that is less than `event`.
    pub(crate) fn last_before(self, event: usize) -> Option<usize> {
        let earlier = self & Self::below(event);
        let last = |(number, word): (usize, &u64)| {
            word.checked_ilog2().map(|last| number * WORD_BITS + last as usize)
        };
        earlier.words.iter().enumerate().rev().find_map(last)
    }

    /// The least number in it that is greater than `event`.
    pub(crate) fn first_after(self, event: usize) -> Option<usize> {
        (self - Self::below(event) - Self::only(event)).iter().next()
    }

    /// The events before a number.
    fn below(event: usize) -> Self {
        let word = |number: usize| {
            let bits = event.saturating_sub(number * WORD_BITS);
            if bits >= WORD_BITS { u64::MAX } else { (1 << bits) - 1 }
        };
        Self { words: std::array::from_fn(word) }
    }

    /// The same set with every event's number raised by `by`. Callers know that there is room.
    pub(crate) fn shifted(self, by: usize) -> Self {
        self.iter().map(|event| event + by).collect()
    }

    fn combined(self, other: Self, with: impl Fn(u64, u64) -> u64) -> Self {
        Self { words: std::array::from_fn(|word| with(self.words[word], other.words[word])) }
    }
}

/// The bits of a word, in order.
pub(crate) fn bits(word: u64) -> impl Iterator<Item = usize> {
    let mut rest = word;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let bit = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        Some(bit)
    })
}

impl FromIterator<usize> for EventSet {
    fn from_iter<It: IntoIterator<Item = usize>>(events: It) -> Self {
        let mut set = Self::EMPTY;
        for event in events {
            set.insert(event);
        }
        set
    }
}

impl BitOr for EventSet {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        self.combined(other, |left, right| left | right)
    }
}

impl BitAnd for EventSet {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        self.combined(other, |left, right| left & right)
    }
}

impl Sub for EventSet {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.combined(other, |left, right| left & !right)
    }
}

impl Not for EventSet {
    type Output = Self;
    fn not(self) -> Self {
        Self { words: self.words.map(|word| !word) }
    }
}
