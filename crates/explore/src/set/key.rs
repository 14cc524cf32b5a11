//! What identifies a state in the set: where it belongs, and what must be stored to tell it from all
//! others that belong there.
//!
//! **A place is a state in another order.** A word of a state, a number below 2ⁿ, is multiplied by an odd
//! number modulo 2ⁿ, its upper half is added to its lower half bit by bit, and it is multiplied again.
//! Each of these can be undone, so different words have different places; and the upper bits of a place
//! depend on all bits of the word. If there are two words, the narrower one is mixed into the other
//! before that, which can be undone as well by whoever knows it: it is kept beside the place. So a
//! [`Key`] is as good as the state, and is never turned back into one.
//!
//! **With more buckets each state's bucket moves up, never down**: the bucket of place `p` is the
//! integral part of `p / 2ⁿ × buckets`.
//!
//! **In its bucket a key takes fewer bits** (the quotienting of Cleary 1984, for any number of
//! buckets). `p × buckets` is `bucket × 2ⁿ + rest` with `rest < 2ⁿ`. For two places in one bucket these
//! rests differ by a multiple of `buckets`, so they still differ without their lowest
//! `⌊log₂ buckets⌋` bits. Nothing is lost: of all multiples of `buckets` exactly one has this bucket and
//! this rest, up to the bits left out ([`Buckets::place`]).
//!
//! States of three words and more have no key; their place is a hash, and they are stored as they are.

use super::halves;
use crate::State;

/// Places are read from their highest bit on: they are numbers of 64 bits whose lowest ones are zero.
const BITS: u32 = 64;

/// The wider of two words is taken to have as many bits at least: all states whose places are the same
/// are near one bucket, and where there are few places, more may be there than can be displaced.
const LEAST_OF_TWO: u32 = 32;

/// How states become keys.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keys<const W: usize> {
    /// Which word becomes the place, its bits, at least one, and those of the other.
    placed: usize,
    first: u32,
    second: u32,
}

/// A state of one or two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) place: u64,
    /// The other word.
    pub(crate) beside: u64,
}

impl<const W: usize> Keys<W> {
    /// For states whose words have at most so many bits.
    pub(crate) fn new(widths: [u32; W]) -> Self {
        let placed = usize::from(W == 2 && widths[W - 1] > widths[0]);
        let (least, second) = if W == 2 { (LEAST_OF_TWO, widths[1 - placed]) } else { (1, 0) };
        Self { placed, first: widths[placed].max(least), second }
    }

    #[inline]
    pub(crate) fn key(self, state: &State<W>) -> Key {
        debug_assert!(W <= 2, "there is room for two words");
        let (word, beside) =
            if W == 2 { (state[self.placed], state[1 - self.placed]) } else { (state[0], 0) };
        debug_assert!(word >> self.first == 0, "words are as narrow as the system says");
        debug_assert!(beside >> self.second == 0, "words are as narrow as the system says");
        let above = BITS - self.first;
        let mut place = word << above;
        let mask = u64::MAX << above;
        if W == 2 {
            place ^= beside.wrapping_mul(0x9FB2_1C65_1E98_DF25) & mask;
        }
        place = place.wrapping_mul(0xD6E8_FEB8_6659_FD93);
        place ^= (place >> self.first.div_ceil(2)) & mask;
        Key { place: place.wrapping_mul(0xA076_1D64_78BD_642F), beside }
    }

    /// Where a state belongs: for few words the place of its key.
    #[inline]
    pub(crate) fn place(self, state: &State<W>) -> u64 {
        if W <= 2 { self.key(state).place } else { hash(state) }
    }
}

/// A well-mixed hash of a state: the two halves of a 128-bit product depend on all its bits.
#[inline]
fn hash<const W: usize>(state: &State<W>) -> u64 {
    let mut hash = 0x9E37_79B9_7F4A_7C15_u64;
    // One product is enough for the last word.
    let (last, others) = state.split_last().expect("a state has a word");
    for word in others {
        let [low, high] = halves(u128::from(hash ^ word) * 0xD6E8_FEB8_6659_FD93_u128);
        hash = low ^ high;
    }
    let hash = hash ^ last;
    let [low, high] = halves(u128::from(hash) * 0xA076_1D64_78BD_642F_u128);
    low ^ high
}

/// The most buckets that there can be: what [`Buckets::place`] computes then has 64 bits.
pub(crate) const MOST_BUCKETS: usize = 1 << 31;

/// Buckets among which keys are distributed, at least two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buckets<const W: usize> {
    keys: Keys<W>,
    number: u64,
    /// Bits that a rest of 64 bits has too many.
    left_out: u32,
    /// How many places a bucket has, and how many are left when each has as many.
    share: u64,
    remainder: u64,
    /// `⌈2⁶⁴ / number⌉`, to divide by the number.
    reciprocal: u64,
}

impl<const W: usize> Buckets<W> {
    /// So many buckets; nothing if they are too few or too many.
    pub(crate) fn new(keys: Keys<W>, number: usize) -> Option<Self> {
        let is_possible = (2..=MOST_BUCKETS).contains(&number);
        let (number, places) = (number as u64, 1_u64 << keys.first);
        is_possible.then(|| Self {
            keys,
            number,
            left_out: BITS - keys.first + number.ilog2().min(keys.first - 1),
            share: places / number,
            remainder: places % number,
            reciprocal: u64::MAX / number + 1,
        })
    }

    /// Bits of what is stored of a key.
    pub(crate) const fn stored_bits(&self) -> u32 {
        BITS - self.left_out + self.keys.second
    }

    /// The bucket of a key, and what is stored there.
    #[inline]
    pub(crate) fn split(&self, key: Key) -> (usize, u64) {
        let [rest, bucket] = halves(u128::from(key.place) * u128::from(self.number));
        let rest = rest >> self.left_out;
        let stored = if W == 2 { rest << self.keys.second | key.beside } else { rest };
        (usize::try_from(bucket).expect("fewer buckets than bytes"), stored)
    }

    /// The key with this bucket of which that is stored.
    #[inline]
    pub(crate) fn join(&self, bucket: usize, stored: u64) -> Key {
        let (rest, beside) = if W == 2 {
            (stored >> self.keys.second, stored & !(u64::MAX << self.keys.second))
        } else {
            (stored, 0)
        };
        Key { place: self.place(bucket as u64, rest), beside }
    }

    /// The place in a bucket with this rest, from which bits were left out: the least one whose product
    /// with the number of buckets is not less. Here a place `p` is a number below 2ⁿ, and
    /// 2ⁿ = `share × number + remainder`.
    #[inline]
    fn place(&self, bucket: u64, rest: u64) -> u64 {
        let above = BITS - self.keys.first;
        let product = bucket * self.remainder + (rest << (self.left_out - above));
        let least = bucket * self.share + self.divided(product + self.number - 1);
        least << above
    }

    /// The integral part of a number divided by that of the buckets. The upper half of a product with
    /// the reciprocal is that, or one more.
    #[inline]
    fn divided(&self, dividend: u64) -> u64 {
        let [_, quotient] = halves(u128::from(dividend) * u128::from(self.reciprocal));
        quotient - u64::from(quotient * self.number > dividend)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Every state has a key of its own, and what is stored gives it back.
    fn check<const W: usize>(widths: [u32; W], numbers: &[usize], states: &[State<W>]) {
        let keys = Keys::new(widths);
        let all: BTreeSet<Key> = states.iter().map(|state| keys.key(state)).collect();
        assert_eq!(all.len(), states.len(), "{widths:?}");
        for number in numbers {
            let buckets = Buckets::new(keys, *number).unwrap();
            let mut before = 0;
            let mut stored = BTreeSet::new();
            for key in &all {
                let (bucket, rest) = buckets.split(*key);
                assert!(before <= bucket && bucket < *number, "{widths:?} {number} {key:?}");
                assert!(rest.checked_shr(buckets.stored_bits()).unwrap_or(0) == 0);
                assert_eq!(buckets.join(bucket, rest), *key, "{widths:?} {number}");
                stored.insert((bucket, rest));
                before = bucket;
            }
            assert_eq!(stored.len(), states.len(), "{widths:?} {number}");
        }
    }

    const NUMBERS: [usize; 12] =
        [2, 3, 7, 8, 9, 100, 1 << 10, 1433, 65_537, 98_304, (1 << 31) - 1, MOST_BUCKETS];

    #[test]
    fn all_states_of_few_bits() {
        for width in 0..=14 {
            let states: Vec<State<1>> = (0..1 << width).map(|state| [state]).collect();
            check([width], &NUMBERS, &states);
        }
        for (first, second) in [(1, 0), (0, 0), (5, 3), (9, 1), (2, 9), (0, 4)] {
            let words = |one: u64| (0..1 << second).map(move |other| [one, other]);
            let states: Vec<State<2>> = (0..1 << first).flat_map(words).collect();
            check([first, second], &NUMBERS, &states);
        }
    }

    #[test]
    fn some_states_of_many_bits() {
        let mut random = fastrand::Rng::with_seed(1);
        for width in 15..=63 {
            let top = (1 << width) - 1;
            let mut states: BTreeSet<State<1>> = (0..500).map(|_| [random.u64(..=top)]).collect();
            states.extend((0..100).flat_map(|state| [[state], [top - state]]));
            let states: Vec<_> = states.into_iter().collect();
            check([width], &NUMBERS, &states);
            for second in [0, 1, 17, 63] {
                let beside =
                    |state: &State<1>| [state[0], state[0].wrapping_mul(77) & ((1 << second) - 1)];
                let states: Vec<_> = states.iter().map(beside).collect();
                let keys = Keys::new([width, second]);
                let numbers = NUMBERS.map(|number| (number, Buckets::new(keys, number).unwrap()));
                let fit = numbers.iter().filter(|(_, buckets)| buckets.stored_bits() <= 64);
                let fit: Vec<usize> = fit.map(|(number, _)| *number).collect();
                check([width, second], &fit, &states);
            }
        }
    }
}
