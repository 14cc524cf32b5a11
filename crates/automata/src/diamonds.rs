//! Steps whose successors need not be looked up, because others lead there as well.
//!
//! Where two threads can each make a step and neither touches what the other writes, the order does
//! not matter: both orders lead to the same state, and a search finds it twice. Half of all that a
//! search without reductions looks up is of this kind. Here one of the orders is left out: **of the
//! states none is**, unlike with a partial-order reduction.
//!
//! A state that was found by a step `f` of thread `i` is expanded without looking up what a step `g`
//! of a thread `j < i` leads to, if `f` and `g` touch nothing that the other writes.
//!
//! *Every state is found, as near as it is* ([`explore::System::successors_from`]). Let `x` be `d + 1`
//! steps away, and take from all steps to `x` from states `d` steps away one whose thread `j` is the
//! greatest. Suppose that it is left out: its step `g` leads from `p` to `x`, and `p` was found by `f`
//! of thread `i > j` from a state `s`, which is then `d - 1` steps away. Thread `j` is in `s` where it
//! is in `p`, and `f` wrote nothing that `g` touches: so `g` leads from `s` to a state `q`, and since
//! `g` wrote nothing that `f` touches, `f` leads from `q` to `x`. Then `q` is at most `d` steps away,
//! and not less because `x` is one more: so there is a step to `x` by thread `i`, greater than `j`,
//! from a state that is `d` steps away. Contradiction.
//!
//! All states of a level must be expanded for that, those too that wait until the automata have grown:
//! the search does so even if it has found a goal meanwhile.
//!
//! Nothing else is asked of the states: which of its predecessors a state was found by does not matter.
//! What a step does depends on the thread's local state and on the contents of its cells alone; with
//! local steps taken eagerly ([`crate::eager`]) that is still so.

use explore::Origin;

use crate::Mode;
use crate::layout::Field;

/// What a step of a thread touches, as bits of a state.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Footing<const W: usize> {
    thread: usize,
    touched: [u64; W],
    written: [u64; W],
}

impl<const W: usize> Footing<W> {
    pub(crate) const fn of(thread: usize) -> Self {
        Self { thread, touched: [0; W], written: [0; W] }
    }

    pub(crate) fn add(&mut self, field: Field, mode: Mode) {
        let bits = field.mask() << field.shift;
        self.touched[field.word::<W>()] |= bits;
        if mode.writes() {
            self.written[field.word::<W>()] |= bits;
        }
    }

    /// Whether a step like this is left out in a state that was found by one like `before`.
    fn is_left_out_after(&self, before: &Self) -> bool {
        let disjoint = |left: &[u64; W], right: &[u64; W]| {
            left.iter().zip(right).all(|(left, right)| left & right == 0)
        };
        self.thread < before.thread
            && disjoint(&self.written, &before.touched)
            && disjoint(&self.touched, &before.written)
    }
}

/// Footings by number, from one on; those that got no number are zero.
const NUMBERS: usize = Origin::MAX as usize + 1;

/// The footings that are left out in a state, by number.
#[derive(Clone, Copy)]
pub(crate) struct LeftOut([u64; NUMBERS / 64]);

impl LeftOut {
    const NONE: Self = Self([0; NUMBERS / 64]);

    #[inline]
    pub(crate) const fn has(&self, footing: Origin) -> bool {
        self.0[footing as usize / 64] >> (footing % 64) & 1 == 1
    }
}

/// Which steps are left out after which.
pub(crate) struct Diamonds<const W: usize> {
    /// The footings that have numbers.
    footings: Vec<Footing<W>>,
    /// For each origin, and there is one more that says nothing.
    left_out: Vec<LeftOut>,
}

impl<const W: usize> Diamonds<W> {
    pub(crate) fn new() -> Self {
        Self { footings: Vec::new(), left_out: vec![LeftOut::NONE; NUMBERS] }
    }

    /// For a search that never asks: no footing has a number.
    pub(crate) fn unasked() -> Self {
        Self { footings: Vec::new(), left_out: vec![LeftOut::NONE] }
    }

    /// The number of a footing; zero if there are no more numbers.
    pub(crate) fn number_of(&mut self, footing: Footing<W>) -> Origin {
        if self.left_out.len() < NUMBERS {
            return Origin::default();
        }
        let known = self.footings.iter().position(|known| *known == footing);
        let place = known.unwrap_or_else(|| self.add(footing));
        Origin::try_from(place + 1).unwrap_or(0)
    }

    fn add(&mut self, footing: Footing<W>) -> usize {
        let place = self.footings.len();
        if place + 1 == NUMBERS {
            return place;
        }
        self.footings.push(footing);
        for (at, other) in self.footings.iter().enumerate() {
            if footing.is_left_out_after(other) {
                self.left_out[at + 1].0[(place + 1) / 64] |= 1 << ((place + 1) % 64);
            }
            if other.is_left_out_after(&footing) {
                self.left_out[place + 1].0[(at + 1) / 64] |= 1 << ((at + 1) % 64);
            }
        }
        place
    }

    /// What is left out in a state that was found like this.
    #[inline]
    pub(crate) fn left_out(&self, origin: Origin) -> &LeftOut {
        &self.left_out[usize::from(origin)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a step does with a bit of each of two words: nothing, reading, writing.
    const USES: [[u64; 2]; 9] =
        [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2], [2, 0], [2, 1], [2, 2]];

    fn footing(thread: usize, uses: [u64; 2]) -> Footing<2> {
        let touched = uses.map(|use_of| u64::from(use_of > 0));
        Footing { thread, touched, written: uses.map(|use_of| use_of >> 1) }
    }

    #[test]
    fn what_meets_in_one_word_of_several_is_not_left_out() {
        for left in USES {
            for right in USES {
                let meets = |(left, right): (u64, u64)| left.min(right) > 0 && left.max(right) > 1;
                let expected = !left.into_iter().zip(right).any(meets);
                let (first, second) = (footing(0, left), footing(1, right));
                assert_eq!(first.is_left_out_after(&second), expected, "{left:?} {right:?}");
                assert!(!second.is_left_out_after(&first), "only the thread that comes first");
            }
        }
    }
}
