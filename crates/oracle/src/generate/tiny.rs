//! All tiny programs: two straight-line threads over two scalars, smallest first.
//!
//! Swapping the threads or the scalars changes no verdict, so of such variants only the least is
//! produced.

use program::Program;

use crate::generate::straight::{Op, straight_line};

/// The operations on each of the two scalars, and those on none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alphabet<'a> {
    /// Operations on scalar 0; those on scalar 1 follow.
    pub on_a_scalar: &'a [Op],
    /// Operations that access nothing.
    pub on_none: &'a [Op],
}

impl Alphabet<'static> {
    /// Loads, stores of 1, compare-and-swaps of 0 by 1, full fences.
    pub const SIMPLE: Self = Self {
        on_a_scalar: &[Op::Load(0), Op::Store(0, 1), Op::CompareAndSwap(0, 0, 1)],
        on_none: &[Op::FENCE],
    };

    /// Also stores and exchanges of values that change nothing, and blocking operations.
    pub const RICH: Self = Self {
        on_a_scalar: &[
            Op::Load(0),
            Op::Store(0, 0),
            Op::Store(0, 1),
            Op::StoreLast(0),
            Op::CompareAndSwap(0, 0, 1),
            Op::BlockingReadWrite(0, 0, 1),
            Op::Exchange(0, 1),
        ],
        on_none: &[Op::FENCE, Op::AssumeLast(0), Op::AssertLast(0)],
    };
}

/// All programs of two threads with up to `length` operations in all, shortest first.
pub fn tiny_programs(alphabet: Alphabet<'_>, length: usize) -> impl Iterator<Item = Program> {
    tiny_threads(alphabet, length)
        .map(|[left, right]| straight_line(&format!("{left:?} | {right:?}"), &[&left, &right]))
}

/// The threads of these programs.
pub fn tiny_threads(
    alphabet: Alphabet<'_>,
    length: usize,
) -> impl Iterator<Item = [Vec<Op>; 2]> + use<> {
    let on_one = alphabet.on_a_scalar.iter().copied();
    let on_other = alphabet.on_a_scalar.iter().map(|op| on_the_other_scalar(*op));
    let ops: Vec<Op> = on_one.chain(on_other).chain(alphabet.on_none.iter().copied()).collect();
    (2..=length)
        .flat_map(|total| (1..=total / 2).map(move |right| (total - right, right)))
        .flat_map(move |(left, right)| {
            let ops = ops.clone();
            let rights: Vec<Vec<Op>> = words(&ops, right).collect();
            words(&ops, left).flat_map(move |left| {
                let pairs: Vec<_> =
                    rights.iter().map(|right| [left.clone(), right.clone()]).collect();
                pairs
            })
        })
        .filter(is_least_variant)
}

/// All words of this length.
fn words(ops: &[Op], length: usize) -> impl Iterator<Item = Vec<Op>> + use<> {
    let ops = ops.to_vec();
    let exponent = u32::try_from(length).expect("tiny programs are short");
    (0..ops.len().pow(exponent)).map(move |mut number| {
        let mut word = Vec::with_capacity(length);
        for _ in 0..length {
            word.push(ops[number % ops.len()]);
            number /= ops.len();
        }
        word
    })
}

fn is_least_variant(threads: &[Vec<Op>; 2]) -> bool {
    let other =
        threads.each_ref().map(|ops| ops.iter().map(|op| on_the_other_scalar(*op)).collect());
    let variants: &[[Vec<Op>; 2]] = &[swapped(&other), other, swapped(threads)];
    variants.iter().all(|variant| variant[0].len() != threads[0].len() || threads <= variant)
}

fn swapped([left, right]: &[Vec<Op>; 2]) -> [Vec<Op>; 2] {
    [right.clone(), left.clone()]
}

fn on_the_other_scalar(op: Op) -> Op {
    match op {
        Op::Load(scalar) => Op::Load(1 - scalar),
        Op::Store(scalar, value) => Op::Store(1 - scalar, value),
        Op::StoreSeqCst(scalar, value) => Op::StoreSeqCst(1 - scalar, value),
        Op::StoreLast(scalar) => Op::StoreLast(1 - scalar),
        Op::CompareAndSwap(scalar, expected, new) => Op::CompareAndSwap(1 - scalar, expected, new),
        Op::BlockingReadWrite(scalar, expected, new) => {
            Op::BlockingReadWrite(1 - scalar, expected, new)
        }
        Op::Exchange(scalar, value) => Op::Exchange(1 - scalar, value),
        Op::LoadExclusive(scalar) => Op::LoadExclusive(1 - scalar),
        Op::StoreExclusive(scalar, value) => Op::StoreExclusive(1 - scalar, value),
        Op::Fence(_) | Op::AssumeLast(_) | Op::AssertLast(_) | Op::Lock | Op::Unlock => op,
    }
}
