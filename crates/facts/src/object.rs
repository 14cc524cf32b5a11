//! Objects, offsets in them, and the cells that hold what is stored in them.
//!
//! An address is an object and an offset in bytes: one number, or numbers at equal distances for elements
//! of an array that are not told apart. What an object holds is kept by words of eight bytes, so that a
//! pointer that is copied in pieces is not lost: a piece lies in the same word. An offset that is not
//! known may be any.

use linkage::Item;
use llvm::LocalId;
use rustc_hash::FxHashMap;

use crate::solver::Var;

/// An object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ObjectId(pub(crate) u32);

/// What memory that is not the program's own is: external code may hold it and pass it.
pub(crate) const OUTSIDE: ObjectId = ObjectId(0);

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ObjectKind {
    /// Memory from outside.
    Outside,
    /// A variable.
    Global(Item),
    /// A function.
    Function(Item),
    /// A local variable whose address gets about, in an instance of its function.
    Stack(u32, LocalId),
    /// What is allocated by one instruction: its instance, block and place in the block.
    Heap(u32, u32, u32),
    /// The unnamed arguments of an instance of a function.
    Unnamed(u32),
    /// What threads keep for themselves by a key.
    Kept,
    /// Variables of the library that every thread has for itself.
    Own,
    /// The results of threads.
    Results,
    /// Memory of libraries, such as texts that they return.
    Library,
    /// All constants without addresses, such as texts of the program: nobody writes there.
    Constants,
}

/// Offsets: `base`, `base + stride`, …, `count` of them; all that are congruent if `count` is 0. An
/// exact offset has no stride.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Offset {
    pub(crate) base: i32,
    pub(crate) stride: u32,
    pub(crate) count: u32,
}

impl Offset {
    pub(crate) const ZERO: Self = Self::exact(0);
    pub(crate) const ANY: Self = Self { base: 0, stride: 1, count: 0 };

    pub(crate) const fn exact(base: i32) -> Self {
        Self { base, stride: 0, count: 1 }
    }

    pub(crate) const fn is_exact(self) -> bool {
        self.stride == 0
    }

    /// The first and the last byte of accesses of so many bytes.
    pub(crate) fn extent(self, bytes: u32) -> (i64, i64) {
        if self.count == 0 {
            return (i64::MIN / 2, i64::MAX / 2);
        }
        let last = i64::from(self.base) + i64::from(self.stride) * i64::from(self.count - 1);
        (i64::from(self.base), last + i64::from(bytes.max(1)) - 1)
    }

    /// Whether accesses of so many bytes each may touch a common byte.
    pub(crate) fn overlaps(self, bytes: u32, other: Self, others: u32) -> bool {
        let ((from, to), (start, end)) = (self.extent(bytes), other.extent(others));
        if from > end || start > to {
            return false;
        }
        let common = gcd(self.stride, other.stride);
        if common == 0 {
            return true;
        }
        // Some multiple of the common stride must bring the two pieces together.
        let apart = (i64::from(other.base) - i64::from(self.base)).rem_euclid(i64::from(common));
        apart < i64::from(bytes.max(1)) || i64::from(common) - apart < i64::from(others.max(1))
    }
}

pub(crate) fn gcd(left: u32, right: u32) -> u32 {
    if right == 0 { left } else { gcd(right, left % right) }
}

/// Words of an object: `first`, `first + step`, … up to `last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Words {
    pub(crate) first: i32,
    pub(crate) last: i32,
    pub(crate) step: u32,
}

/// The size of a word.
pub(crate) const WORD: u32 = 8;

impl Words {
    pub(crate) const ALL: Self = Self { first: 0, last: i32::MAX, step: 1 };

    pub(crate) const fn is_one(self) -> bool {
        self.first == self.last
    }

    pub(crate) fn overlap(self, other: Self) -> bool {
        if self.first > other.last || other.first > self.last {
            return false;
        }
        let step = |words: Self| if words.is_one() { 0 } else { words.step };
        let common = gcd(step(self), step(other));
        let apart = i64::from(self.first) - i64::from(other.first);
        if common == 0 { apart == 0 } else { apart.rem_euclid(i64::from(common)) == 0 }
    }
}

/// The words that accesses of so many bytes at an offset touch, one piece for each word of one access.
pub(crate) fn words(offset: Offset, bytes: u32) -> Vec<Words> {
    let word = WORD.cast_signed();
    if offset.count == 0 {
        if !offset.stride.is_multiple_of(WORD) || offset.stride == WORD {
            return vec![Words::ALL];
        }
        let step = offset.stride / WORD;
        let pieces = (bytes.max(1).cast_signed() + offset.base % word + word - 1) / word;
        return (0..pieces.min(step.cast_signed()))
            .map(|at| {
                let first = (offset.base / word + at).rem_euclid(step.cast_signed());
                Words { first, last: i32::MAX, step }
            })
            .collect();
    }
    let (from, to) = offset.extent(bytes);
    let clip = |at: i64| i32::try_from(at.div_euclid(i64::from(WORD))).unwrap_or(i32::MAX).max(0);
    if to < 0 {
        return Vec::new();
    }
    let (first, last) = (clip(from), clip(to));
    if offset.is_exact() || offset.count == 1 {
        return (first..=last.min(first + MOST_WORDS))
            .map(|at| Words { first: at, last: at, step: 1 })
            .collect();
    }
    if !offset.stride.is_multiple_of(WORD) || offset.base % word + bytes.cast_signed() > word {
        return vec![Words { first, last, step: 1 }];
    }
    vec![Words { first, last, step: offset.stride / WORD }]
}

/// No value that is loaded or stored at once has more words.
const MOST_WORDS: i32 = 64;

/// What is stored in some words of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub(crate) words: Words,
    /// What is stored by these words.
    pub(crate) into: Var,
    /// What is loaded by these words, if something is.
    pub(crate) out: Option<Var>,
}

/// A copy of memory from an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listener {
    pub(crate) from: Offset,
    pub(crate) to: (ObjectId, Offset),
    pub(crate) bytes: Option<u32>,
}

/// An object.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) kind: ObjectKind,
    /// How many bytes it has, if that is known.
    pub(crate) size: Option<u64>,
    pub(crate) cells: Vec<Cell>,
    pub(crate) by_words: FxHashMap<Words, usize>,
    pub(crate) listeners: Vec<Listener>,
    /// How many offsets are known.
    pub(crate) offsets: u32,
    /// How many of them external code holds.
    pub(crate) escaped_offsets: u32,
    /// Whether external code holds it, so that it holds all that external code does.
    pub(crate) is_escaped: bool,
}

impl Object {
    pub(crate) fn new(kind: ObjectKind, size: Option<u64>) -> Self {
        let (cells, listeners) = (Vec::new(), Vec::new());
        Self {
            kind,
            size,
            cells,
            by_words: FxHashMap::default(),
            listeners,
            offsets: 0,
            escaped_offsets: 0,
            is_escaped: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_overlap_where_they_touch_a_common_byte() {
        let every = |base, stride, count| Offset { base, stride, count };
        let table = [
            (Offset::exact(0), 4, Offset::exact(4), 4, false),
            (Offset::exact(0), 8, Offset::exact(4), 4, true),
            (every(0, 16, 0), 8, Offset::exact(40), 8, false),
            (every(0, 16, 0), 8, Offset::exact(36), 8, true),
            (every(0, 16, 0), 8, Offset::exact(24), 8, false),
            (every(0, 16, 0), 8, Offset::exact(28), 8, true),
            (every(0, 16, 3), 8, Offset::exact(48), 8, false),
            (every(8, 4, 10), 4, Offset::exact(0), 8, false),
            (every(8, 4, 10), 4, Offset::exact(44), 4, true),
            (every(0, 16, 0), 4, every(8, 24, 0), 4, true),
            (every(0, 16, 0), 4, every(4, 24, 0), 4, false),
            (Offset::ANY, 1, Offset::exact(1000), 1, true),
        ];
        for (left, bytes, right, others, expected) in table {
            assert_eq!(left.overlaps(bytes, right, others), expected, "{left:?} {right:?}");
            assert_eq!(right.overlaps(others, left, bytes), expected, "{right:?} {left:?}");
        }
    }

    #[test]
    fn words_are_those_of_the_bytes() {
        let one = |at| Words { first: at, last: at, step: 1 };
        assert_eq!(words(Offset::exact(12), 4), [one(1)]);
        assert_eq!(words(Offset::exact(4), 8), [one(0), one(1)]);
        assert_eq!(words(Offset::exact(-8), 8), []);
        let every = Offset { base: 8, stride: 24, count: 0 };
        assert_eq!(words(every, 8), [Words { first: 1, last: i32::MAX, step: 3 }]);
        let some = Offset { base: 8, stride: 24, count: 4 };
        assert_eq!(words(some, 8), [Words { first: 1, last: 10, step: 3 }]);
        assert!(words(every, 8)[0].overlap(one(4)) && !words(every, 8)[0].overlap(one(5)));
        assert!(Words::ALL.overlap(one(7)) && !one(7).overlap(one(8)));
    }
}
