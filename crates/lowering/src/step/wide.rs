//! Numbers of 128 bits: two words, the low one first. No register and no access of the model is so wide, so
//! each word is a number of its own; atomic accesses of both at once are locked sections, as good as the `lock`
//! prefix of `cmpxchg16b`, which waits for the buffer and keeps others away.

use llvm::{BinaryOp as Llvm, CastOp, IntegerPredicate, LocalId, RmwOp};
use program::{BinaryOp, Expr, Instruction, Order, Value};

use crate::thread::{Cursor, Scratch, Walk};
use crate::value::{self, Val};

/// The low and the high word.
pub(crate) type Pair = [Expr; 2];

/// The width of a pair, and of a word of it.
pub(crate) const WIDE: u32 = 128;
const WORD: u32 = 64;

/// The first number of what is read as a word of a pair: an instruction may read other things before.
const WORDS: u32 = 4096;

/// The words of a constant.
pub(crate) fn split(number: Value) -> [Value; 2] {
    let word = |number| value::int(WORD).map_or(number, |int| int.wrap(number));
    [word(number), word(number >> WORD)]
}

/// A pair as a value.
pub(crate) fn joined([low, high]: Pair) -> Val {
    Val::Aggregate(vec![Val::Expr(low), Val::Expr(high)])
}

fn inexpressible() -> Val {
    Val::Inexpressible("arithmetic on 128 bits".into())
}

fn op(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    value::fold(Expr::binary(op, left, right))
}

fn without_sign(word: &Expr) -> Option<Expr> {
    value::zero_extend(WORD, WORD, word.clone())
}

/// A number as the word that it is, without what does not fit.
fn word(number: Expr) -> Option<Expr> {
    value::truncate(WORD, number)
}

/// What a sum or a difference of two words without a sign takes from the next: 0, 1 or -1.
fn carry(plain: BinaryOp, left: &Expr, right: &Expr) -> Option<Expr> {
    let exact = op(plain, without_sign(left)?, without_sign(right)?);
    Some(op(BinaryOp::Shr, exact, Expr::Const(WORD.into())))
}

/// The product of two words without a sign.
fn product(left: &Expr, right: &Expr) -> Option<Pair> {
    const HALF: Expr = Expr::Const(32);
    let factor = without_sign(right)?;
    let lower = op(BinaryOp::BitAnd, without_sign(left)?, Expr::Const(0xffff_ffff));
    let upper = op(BinaryOp::Shr, without_sign(left)?, HALF);
    // No part of it is longer than 96 bits.
    let carried = op(BinaryOp::Shr, op(BinaryOp::Mul, lower, factor.clone()), HALF);
    let high = op(BinaryOp::Add, op(BinaryOp::Mul, upper, factor), carried);
    let low = value::arithmetic(Llvm::Mul, WORD, left.clone(), right.clone())?;
    Some([low, word(op(BinaryOp::Shr, high, HALF))?])
}

/// A pair shifted by so many bits.
fn shifted(shift: Llvm, [low, high]: &Pair, by: u32) -> Option<Pair> {
    let one = |op: Llvm, word: &Expr, by: u32| {
        value::arithmetic(op, WORD, word.clone(), Expr::Const(by.into()))
    };
    let filled = if shift == Llvm::AShr { one(Llvm::AShr, high, 63)? } else { Expr::Const(0) };
    Some(match (shift, by) {
        (_, 0) => [low.clone(), high.clone()],
        (Llvm::Shl, 64..) => [Expr::Const(0), one(Llvm::Shl, low, by - WORD)?],
        (Llvm::Shl, _) => {
            let over = one(Llvm::LShr, low, WORD - by)?;
            let kept = one(Llvm::Shl, high, by)?;
            [one(Llvm::Shl, low, by)?, op(BinaryOp::BitOr, kept, over)]
        }
        (_, 64..) => [one(shift, high, by - WORD)?, filled],
        (_, _) => {
            let over = one(Llvm::Shl, high, WORD - by)?;
            let kept = one(Llvm::LShr, low, by)?;
            [op(BinaryOp::BitOr, kept, over), one(shift, high, by)?]
        }
    })
}

/// Arithmetic on pairs, as far as it can be expressed.
fn arithmetic(kind: Llvm, left: &Pair, right: &Pair) -> Option<Pair> {
    let each =
        |plain: BinaryOp| Some([0, 1].map(|at| op(plain, left[at].clone(), right[at].clone())));
    match kind {
        Llvm::And => each(BinaryOp::BitAnd),
        Llvm::Or => each(BinaryOp::BitOr),
        Llvm::Xor => each(BinaryOp::BitXor),
        Llvm::Add | Llvm::Sub => {
            let plain = if kind == Llvm::Add { BinaryOp::Add } else { BinaryOp::Sub };
            let low = value::arithmetic(kind, WORD, left[0].clone(), right[0].clone())?;
            let high = op(plain, left[1].clone(), right[1].clone());
            let carry = carry(plain, &left[0], &right[0])?;
            Some([low, word(op(BinaryOp::Add, high, carry))?])
        }
        Llvm::Mul => {
            let [low, high] = product(&left[0], &right[0])?;
            let crossed = |one: &Expr, other: &Expr| {
                value::arithmetic(Llvm::Mul, WORD, one.clone(), other.clone())
            };
            let crossed = [crossed(&left[0], &right[1])?, crossed(&left[1], &right[0])?];
            let high = crossed.into_iter().fold(high, |sum, one| op(BinaryOp::Add, sum, one));
            Some([low, word(high)?])
        }
        Llvm::Shl | Llvm::LShr | Llvm::AShr => {
            let [Expr::Const(by), Expr::Const(0)] = right else { return None };
            shifted(kind, left, u32::try_from(*by).ok().filter(|by| *by < WIDE)?)
        }
        // Of what fits into a word.
        Llvm::UDiv | Llvm::URem => {
            let ([left, Expr::Const(0)], [right, Expr::Const(0)]) = (left, right) else {
                return None;
            };
            let low = value::arithmetic(kind, WORD, left.clone(), right.clone())?;
            Some([low, Expr::Const(0)])
        }
        Llvm::SDiv
        | Llvm::SRem
        | Llvm::FAdd
        | Llvm::FSub
        | Llvm::FMul
        | Llvm::FDiv
        | Llvm::FRem => None,
    }
}

/// Whether pairs compare like this: 0 or 1.
fn comparison(predicate: IntegerPredicate, left: &Pair, right: &Pair) -> Option<Expr> {
    use IntegerPredicate::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
    let word =
        |predicate, at: usize| value::compare(predicate, WORD, left[at].clone(), right[at].clone());
    let same = |at| word(Eq, at);
    // The high words decide, unless they are the same.
    let ordered = |high, low| {
        let low = op(BinaryOp::And, same(1)?, word(low, 0)?);
        Some(op(BinaryOp::Or, word(high, 1)?, low))
    };
    match predicate {
        Eq => Some(op(BinaryOp::And, same(0)?, same(1)?)),
        Ne => Some(op(BinaryOp::Or, word(Ne, 0)?, word(Ne, 1)?)),
        Ult | Ule => ordered(Ult, predicate),
        Ugt | Uge => ordered(Ugt, predicate),
        Slt => ordered(Slt, Ult),
        Sle => ordered(Slt, Ule),
        Sgt => ordered(Sgt, Ugt),
        Sge => ordered(Sgt, Uge),
    }
}

impl Walk<'_, '_, '_> {
    /// The words of a value of 128 bits; nothing if that is not known.
    pub(crate) fn pair(&mut self, cursor: &Cursor, value: &Val) -> Option<Pair> {
        match value {
            Val::Aggregate(words) => match words.as_slice() {
                [low, high] => Some([low, high].map(|word| match word {
                    Val::Undefined => Expr::Const(0),
                    Val::Expr(_) | Val::Private(..) | Val::Aggregate(_) | Val::Inexpressible(_) => {
                        self.expr(cursor, word.clone())
                    }
                })),
                _ => None,
            },
            Val::Expr(Expr::Const(number)) => Some(split(*number).map(Expr::Const)),
            Val::Undefined => Some([Expr::Const(0), Expr::Const(0)]),
            Val::Expr(_) | Val::Private(..) | Val::Inexpressible(_) => None,
        }
    }

    pub(crate) fn wide_binary(
        &mut self,
        cursor: &Cursor,
        op: Llvm,
        left: &Val,
        right: &Val,
    ) -> Val {
        let pairs = self.pair(cursor, left).zip(self.pair(cursor, right));
        let result = pairs.and_then(|(left, right)| arithmetic(op, &left, &right));
        result.map_or_else(inexpressible, joined)
    }

    /// A sum or a difference without a sign, and whether it does not fit.
    pub(crate) fn wide_overflowing(
        &mut self,
        cursor: &Cursor,
        kind: Llvm,
        left: &Val,
        right: &Val,
    ) -> Option<Val> {
        let (left, right) = (self.pair(cursor, left)?, self.pair(cursor, right)?);
        let result = arithmetic(kind, &left, &right)?;
        let overflow = match kind {
            Llvm::Add => comparison(IntegerPredicate::Ult, &result, &left)?,
            Llvm::Sub => comparison(IntegerPredicate::Ult, &left, &right)?,
            // Of what fits into a word, the product fits into two.
            Llvm::Mul if left[1] == Expr::Const(0) && right[1] == Expr::Const(0) => Expr::Const(0),
            Llvm::Mul
            | Llvm::UDiv
            | Llvm::SDiv
            | Llvm::URem
            | Llvm::SRem
            | Llvm::Shl
            | Llvm::LShr
            | Llvm::AShr
            | Llvm::And
            | Llvm::Or
            | Llvm::Xor
            | Llvm::FAdd
            | Llvm::FSub
            | Llvm::FMul
            | Llvm::FDiv
            | Llvm::FRem => return None,
        };
        Some(Val::Aggregate(vec![joined(result), Val::Expr(overflow)]))
    }

    pub(super) fn wide_compare(
        &mut self,
        cursor: &Cursor,
        predicate: IntegerPredicate,
        left: &Val,
        right: &Val,
    ) -> Val {
        let pairs = self.pair(cursor, left).zip(self.pair(cursor, right));
        let result = pairs.and_then(|(left, right)| comparison(predicate, &left, &right));
        result.map_or_else(inexpressible, Val::Expr)
    }

    /// A number made 128 bits wide, or narrower again.
    pub(super) fn wide_cast(
        &mut self,
        cursor: &Cursor,
        op: CastOp,
        given: Val,
        (from, to): (u32, u32),
    ) -> Val {
        let cast = if to == WIDE && from <= WORD {
            let low = self.expr(cursor, given);
            if op == CastOp::SExt {
                let low = value::sign_extend(from, WORD, low);
                low.and_then(|low| {
                    let high = value::arithmetic(Llvm::AShr, WORD, low.clone(), Expr::Const(63));
                    Some(joined([low, high?]))
                })
            } else {
                let low = value::zero_extend(from, WORD, low).and_then(word);
                low.map(|low| joined([low, Expr::Const(0)]))
            }
        } else if from == WIDE && to <= WORD {
            let low = self.pair(cursor, &given).map(|[low, _]| low);
            low.and_then(|low| value::truncate(to, low)).map(Val::Expr)
        } else {
            None
        };
        cast.unwrap_or_else(inexpressible)
    }

    /// Reads both words, at once if it is an atomic access.
    pub(super) fn wide_load(
        &mut self,
        cursor: &mut Cursor,
        result: Option<LocalId>,
        address: &Val,
        order: Order,
        number: &mut u32,
    ) -> Val {
        let is_atomic = is_atomic(order);
        if is_atomic {
            self.emit(cursor, Instruction::Lock);
        }
        let words = [0, 8].map(|at| {
            let place = self.moved(address, at);
            *number += 1;
            self.load_bytes(cursor, result, *number - 1, &place, 8, order)
        });
        if is_atomic {
            self.emit(cursor, Instruction::Unlock);
        }
        Val::Aggregate(words.to_vec())
    }

    /// Writes both words, at once if it is an atomic access.
    pub(super) fn wide_store(
        &mut self,
        cursor: &mut Cursor,
        value: &Val,
        address: &Val,
        order: Order,
    ) {
        let Some(words) = self.pair(cursor, value) else {
            let what = value.clone();
            self.expr(cursor, what);
            return;
        };
        let is_atomic = is_atomic(order);
        if is_atomic {
            self.emit(cursor, Instruction::Lock);
        }
        let order = if is_atomic { Order::Relaxed } else { order };
        for (word, at) in words.into_iter().zip([0, 8]) {
            let place = self.moved(address, at);
            self.store_bytes(cursor, &place, 8, Val::Expr(word), order);
        }
        if is_atomic {
            self.emit(cursor, Instruction::Unlock);
        }
    }

    /// Compares two neighbouring numbers of so many bits with others, and replaces them if they are the same;
    /// what was there, and whether they were.
    pub(crate) fn compare_and_swap_pair(
        &mut self,
        cursor: &mut Cursor,
        (low, half): (&Val, u32),
        expected: Pair,
        new: Pair,
        is_locked: bool,
    ) -> (Pair, Expr) {
        let size = u64::from(half / 8);
        let places = [low.clone(), self.moved(low, size)];
        let expected = self.held_pair(cursor, expected, 0);
        let new = self.held_pair(cursor, new, 2);
        if is_locked {
            self.emit(cursor, Instruction::Lock);
        }
        let old = self.read_pair(cursor, &places, size);
        let same = [0, 1].map(|at| op(BinaryOp::Eq, old[at].clone(), expected[at].clone()));
        let [low, high] = same;
        let is_same = op(BinaryOp::And, low, high);
        let is_same = self.held_apart(cursor, is_same, Scratch::Success);
        let differs = self.branch(cursor, value::fold(is_same.negated()));
        self.emit(cursor, Instruction::Assume(is_same.clone()));
        for (place, new) in places.iter().zip(new) {
            self.store_bytes(cursor, place, size, Val::Expr(new), Order::Relaxed);
        }
        self.meet(cursor, &differs);
        if is_locked {
            self.emit(cursor, Instruction::Unlock);
        }
        (old, is_same)
    }

    /// A read-modify-write of 128 bits; what it read.
    pub(super) fn wide_rmw(
        &mut self,
        cursor: &mut Cursor,
        kind: RmwOp,
        address: &Val,
        operand: &Val,
    ) -> Val {
        let arithmetics = match kind {
            RmwOp::Xchg => None,
            RmwOp::Add => Some(Llvm::Add),
            RmwOp::Sub => Some(Llvm::Sub),
            RmwOp::And => Some(Llvm::And),
            RmwOp::Or => Some(Llvm::Or),
            RmwOp::Xor => Some(Llvm::Xor),
            RmwOp::Nand
            | RmwOp::Max
            | RmwOp::Min
            | RmwOp::UMax
            | RmwOp::UMin
            | RmwOp::FAdd
            | RmwOp::FSub
            | RmwOp::FMax
            | RmwOp::FMin
            | RmwOp::FMaximum
            | RmwOp::FMinimum
            | RmwOp::UIncWrap
            | RmwOp::UDecWrap
            | RmwOp::USubCond
            | RmwOp::USubSat => return inexpressible(),
        };
        let Some(operand) = self.pair(cursor, operand) else { return inexpressible() };
        let operand = self.held_pair(cursor, operand, 0);
        let places = [address.clone(), self.moved(address, 8)];
        self.emit(cursor, Instruction::Lock);
        let old = self.read_pair(cursor, &places, 8);
        let new = match arithmetics {
            None => Some(operand),
            Some(kind) => arithmetic(kind, &old, &operand),
        };
        let Some(new) = new else { return inexpressible() };
        for (place, new) in places.iter().zip(new) {
            self.store_bytes(cursor, place, 8, Val::Expr(new), Order::Relaxed);
        }
        self.emit(cursor, Instruction::Unlock);
        joined(old)
    }

    fn read_pair(&mut self, cursor: &mut Cursor, places: &[Val; 2], size: u64) -> Pair {
        [0, 1].map(|at: u32| {
            let place = &places[at as usize];
            let word = self.load_bytes(cursor, None, WORDS + at, place, size, Order::Relaxed);
            let word = if matches!(word, Val::Undefined) { Val::constant(0) } else { word };
            let word = self.expr(cursor, word);
            self.held_apart(cursor, word, Scratch::Wide(4 + at))
        })
    }

    /// Words that stay the same while variables change.
    fn held_pair(&mut self, cursor: &mut Cursor, words: Pair, first: u32) -> Pair {
        let [low, high] = words;
        let low = self.held_apart(cursor, low, Scratch::Wide(first));
        [low, self.held_apart(cursor, high, Scratch::Wide(first + 1))]
    }
}

/// Whether an access is atomic.
const fn is_atomic(order: Order) -> bool {
    match order {
        Order::Plain | Order::Volatile => false,
        Order::Relaxed
        | Order::Acquire
        | Order::Release
        | Order::AcquireRelease
        | Order::SeqCst => true,
    }
}
