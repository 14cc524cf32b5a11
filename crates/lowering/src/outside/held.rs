//! How expressions depend on a value from outside, and which of its values stand for all.

use std::collections::{BTreeMap, BTreeSet};

use program::{BinaryOp, Expr, IntType, RegisterId, UnaryOp, Value};

use super::MOST_VALUES;

/// More than this is never added: a loop that adds would never end.
const MOST_ADDED: Value = 1 << 16;

/// What a register holds, as far as a value from outside is concerned; the last of these that it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Held {
    /// The value, and a constant.
    Itself,
    /// The value, and something that is not always the same: an address, some way off the one it is.
    Moved,
    /// Something else that depends on it.
    Computed,
}

/// How a register or an expression depends on a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Holding {
    pub(super) held: Held,
    /// What was added to the value, if it is the value.
    pub(super) offset: Value,
    /// Whether it does so however one has come here.
    pub(super) is_certain: bool,
}

impl Holding {
    pub(super) const ITSELF: Self = Self { held: Held::Itself, offset: 0, is_certain: true };
    const COMPUTED: Self = Self { held: Held::Computed, offset: 0, is_certain: true };

    /// The same, but less is known of what it is.
    pub(super) fn weakened(self, held: Held) -> Self {
        Self { held: self.held.max(held), offset: 0, ..self }
    }

    /// What is known if one of two ways was taken.
    fn or(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        match (one, other) {
            (Some(one), Some(other)) => {
                let is_certain = one.is_certain && other.is_certain;
                let both = Self { is_certain, ..one.weakened(other.held) };
                let is_same = both.held == Held::Itself && one.offset == other.offset;
                Some(if is_same {
                    Self { offset: one.offset, ..both }
                } else {
                    both.weakened(Held::Moved)
                })
            }
            (Some(one), None) | (None, Some(one)) => Some(Self { is_certain: false, ..one }),
            (None, None) => None,
        }
    }
}

/// The registers that depend on a value.
pub(super) type Holders = BTreeMap<RegisterId, Holding>;

/// What of a value counts.
pub(super) struct Seen {
    range: (Value, Value),
    /// The constants that it is compared with.
    constants: BTreeSet<Value>,
    /// The least common multiple of what it is divided by.
    modulus: Value,
    /// Whether it is looked at at all.
    pub(super) counts: bool,
    /// Whether a step could fail for one value and not for another.
    pub(super) may_fail: bool,
}

impl Seen {
    pub(super) fn new(range: (Value, Value)) -> Self {
        Self { range, constants: BTreeSet::new(), modulus: 1, counts: false, may_fail: false }
    }

    /// Whether it may be an address that is none.
    pub(super) fn may_be_null(&self) -> bool {
        self.range.0 == 0
    }

    pub(super) fn compared(&mut self, constant: Value) {
        self.counts = true;
        self.constants.insert(constant);
    }

    fn divided(&mut self, divisor: Value) {
        self.counts = true;
        let (mut left, mut right) = (self.modulus, divisor.abs());
        while right != 0 {
            (left, right) = (right, left % right);
        }
        self.modulus = (self.modulus / left).saturating_mul(divisor.abs());
    }

    /// That it is compared with a constant after something was added and perhaps it was wrapped to a type
    /// which cannot hold all of its range: what is compared is known by how often it was wrapped, and by
    /// the value. Whether that can be told apart.
    fn compared_as(&mut self, way: Way, constant: Value) -> bool {
        let Some(int) = way.wrapped else {
            self.compared(constant - way.offset);
            return true;
        };
        let (low, high) = self.range;
        let step: Value = 1 << int.bits();
        let wraps = |value: Value| (value + way.offset - int.min()).div_euclid(step);
        let (first, last) = (wraps(low), wraps(high));
        if last - first > 4 {
            return false;
        }
        for times in first..=last {
            for constant in [constant, int.min()] {
                self.compared(constant + times * step - way.offset);
            }
        }
        true
    }

    /// That an operation is made with a value and a constant on its right, or a comparison on either side;
    /// whether its result depends on nothing but the class of the value.
    fn counts_as(&mut self, op: BinaryOp, way: Way, constant: Value) -> bool {
        if is_comparison(op) {
            return self.compared_as(way, constant);
        }
        // The sign of a remainder is that of the value.
        if op == BinaryOp::Rem && constant != 0 && self.compared_as(way, 0) {
            self.divided(constant);
            return true;
        }
        // The low bits are the remainder modulo a power of two, below zero too and however wrapped.
        let is_wide = way.wrapped.is_none_or(|int| int.bits() >= 8);
        if op == BinaryOp::BitAnd && (0..256).contains(&constant) && is_wide {
            let mut power = 1;
            while power <= constant {
                power *= 2;
            }
            self.divided(power);
            return true;
        }
        false
    }

    /// One value at least of every class; nothing if these are too many.
    pub(super) fn representatives(&self) -> Option<Vec<Value>> {
        if !self.counts {
            return Some(Vec::new());
        }
        let (low, high) = self.range;
        let mut values = BTreeSet::new();
        if self.modulus > MOST_VALUES {
            return None;
        }
        for constant in self.constants.iter().chain([&low]) {
            for value in *constant..=constant.saturating_add(self.modulus) {
                if (low..=high).contains(&value) {
                    values.insert(value);
                }
            }
            if Value::try_from(values.len()).is_ok_and(|count| count > MOST_VALUES) {
                return None;
            }
        }
        Some(values.into_iter().collect())
    }
}

/// What is known where two ways meet.
pub(super) fn joined(one: &Holders, other: &Holders) -> Holders {
    let registers: BTreeSet<&RegisterId> = one.keys().chain(other.keys()).collect();
    let both = registers.into_iter().filter_map(|register| {
        let both = Holding::or(one.get(register).copied(), other.get(register).copied());
        both.map(|both| (*register, both))
    });
    both.collect()
}

/// Whether it depends on more than the class of a value whether an expression is 0.
pub(super) fn is_truth_computed(expr: &Expr, holders: &Holders, seen: &mut Seen) -> bool {
    match held(expr, holders, seen) {
        None => false,
        Some(Holding { held: Held::Itself, offset, .. }) => {
            seen.compared(-offset);
            false
        }
        Some(Holding { held: Held::Moved | Held::Computed, .. }) => true,
    }
}

/// What a cast makes of a value.
pub(super) fn cast(int: IntType, operand: Holding, seen: &mut Seen) -> Option<Holding> {
    match operand.held {
        Held::Itself if fits(int, seen.range, operand.offset) => Some(operand),
        Held::Itself if int.bits() <= 8 => {
            seen.divided(1 << int.bits());
            None
        }
        // Addresses are where they are.
        Held::Moved if int.bits() == 64 => Some(operand),
        Held::Itself | Held::Moved | Held::Computed => Some(operand.weakened(Held::Computed)),
    }
}

/// How an expression depends on a value: not at all (or only by its class), or what it is then.
pub(super) fn held(expr: &Expr, holders: &Holders, seen: &mut Seen) -> Option<Holding> {
    let computed = |holding: Holding| holding.weakened(Held::Computed);
    match expr {
        Expr::Const(_) => None,
        Expr::Register(register) => holders.get(register).copied(),
        Expr::Element(_, index) => {
            let index = held(index, holders, seen);
            seen.may_fail |= index.is_some();
            index.map(computed)
        }
        Expr::Unary(UnaryOp::Not, operand) => {
            is_truth_computed(operand, holders, seen).then_some(Holding::COMPUTED)
        }
        Expr::Unary(UnaryOp::Neg | UnaryOp::BitNot, operand) => {
            held(operand, holders, seen).map(computed)
        }
        Expr::Cast(int, operand) => cast(*int, held(operand, holders, seen)?, seen),
        Expr::Select(operands) => {
            let [condition, then, otherwise] = &**operands;
            if is_truth_computed(condition, holders, seen) {
                return Some(Holding::COMPUTED);
            }
            Holding::or(held(then, holders, seen), held(otherwise, holders, seen))
        }
        Expr::Binary(op, left, right) => of_operation(*op, left, right, holders, seen),
    }
}

fn of_operation(
    op: BinaryOp,
    left: &Expr,
    right: &Expr,
    holders: &Holders,
    seen: &mut Seen,
) -> Option<Holding> {
    let value_and_constant = match (left, right) {
        (value, Expr::Const(constant)) => Some((value, *constant)),
        (Expr::Const(constant), value) if is_comparison(op) => Some((value, *constant)),
        _ => None,
    };
    if let Some((value, constant)) = value_and_constant
        && let Some(way) = itself(value, holders, seen)
        && seen.counts_as(op, way, constant)
    {
        return None;
    }
    if let BinaryOp::And | BinaryOp::Or = op {
        let left = is_truth_computed(left, holders, seen);
        let right = is_truth_computed(right, holders, seen);
        return (left || right).then_some(Holding::COMPUTED);
    }
    let added = match (op, left, right) {
        (BinaryOp::Add, _, Expr::Const(more)) | (BinaryOp::Add, Expr::Const(more), _) => {
            Some(*more)
        }
        (BinaryOp::Sub, _, Expr::Const(less)) => Some(-less),
        _ => None,
    };
    let (left, right) = (held(left, holders, seen), held(right, holders, seen));
    // For some operands these have no result.
    seen.may_fail |= right.is_some() && may_fail_by_right(op);
    match (op, left, right) {
        (BinaryOp::Add | BinaryOp::Sub, Some(base), None) | (BinaryOp::Add, None, Some(base)) => {
            let offset = added.and_then(|added| base.offset.checked_add(added));
            match offset {
                Some(offset) if base.held == Held::Itself && offset.abs() < MOST_ADDED => {
                    Some(Holding { offset, ..base })
                }
                Some(_) | None => Some(base.weakened(Held::Moved)),
            }
        }
        (_, Some(_), _) | (_, _, Some(_)) => Some(Holding::COMPUTED),
        (_, None, None) => None,
    }
}

const fn is_comparison(op: BinaryOp) -> bool {
    op.negated().is_some()
}

/// Whether an operation can fail, depending on its second operand.
const fn may_fail_by_right(op: BinaryOp) -> bool {
    match op {
        BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr => true,
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Min
        | BinaryOp::Max => false,
    }
}

/// What was done to a value: something was added, then it was wrapped to a type.
#[derive(Clone, Copy)]
struct Way {
    offset: Value,
    wrapped: Option<IntType>,
}

/// Whether an expression is the value, with a constant added, perhaps wrapped to a type once.
fn itself(expr: &Expr, holders: &Holders, seen: &Seen) -> Option<Way> {
    // What is looked at here may be thrown away: only the outermost look counts.
    let range = seen.range;
    let offset = |expr: &Expr| {
        let mut other = Seen::new(range);
        let holding = held(expr, holders, &mut other)?;
        let is_itself = holding.held == Held::Itself && !other.counts && !other.may_fail;
        is_itself.then_some(holding.offset)
    };
    if let Some(offset) = offset(expr) {
        return Some(Way { offset, wrapped: None });
    }
    let Expr::Cast(int, operand) = expr else { return None };
    let offset = offset(operand)?;
    Some(Way { offset, wrapped: (!fits(*int, range, offset)).then_some(*int) })
}

/// Whether a type can hold all values of a range after something was added.
fn fits(int: IntType, (low, high): (Value, Value), offset: Value) -> bool {
    int.min() <= low + offset && high + offset <= int.max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use program::Memory;
    use program::index::{Idx, IndexVec};

    fn itself() -> RegisterId {
        RegisterId::new(0)
    }

    /// An expression over the value, with constants near its range.
    fn random(random: &mut fastrand::Rng, depth: u32) -> Expr {
        let near = |random: &mut fastrand::Rng| Expr::Const(Value::from(random.i32(-70..=70)));
        if depth == 0 || random.u32(0..4) == 0 {
            return if random.u32(0..3) == 0 { near(random) } else { Expr::Register(itself()) };
        }
        let mut inner = || self::tests::random(random, depth - 1);
        let (left, right, third) = (inner(), inner(), inner());
        let ops = [
            BinaryOp::Eq,
            BinaryOp::Ne,
            BinaryOp::Lt,
            BinaryOp::Ge,
            BinaryOp::Rem,
            BinaryOp::BitAnd,
            BinaryOp::And,
            BinaryOp::Or,
            BinaryOp::Add,
            BinaryOp::Sub,
            BinaryOp::Mul,
            BinaryOp::Div,
            BinaryOp::Min,
            BinaryOp::Shl,
        ];
        let int = |bits, signed| IntType::new(bits, signed).expect("a width");
        match random.u32(0..20) {
            0 => Expr::unary(UnaryOp::Not, left),
            1 => Expr::unary(UnaryOp::Neg, left),
            2 => Expr::Cast(int(5, false), Box::new(left)),
            3 => Expr::Cast(int(6, true), Box::new(left)),
            4 => Expr::Cast(int(9, random.bool()), Box::new(left)),
            5 => Expr::Select(Box::new([left, right, third])),
            _ => {
                let constant = near(random);
                let right = if random.u32(0..3) == 0 { right } else { constant };
                Expr::binary(ops[random.usize(0..ops.len())], left, right)
            }
        }
    }

    /// What depends only on the class of a value is the same for the value and for one of those that stand
    /// for it.
    #[test]
    fn representatives_stand_for_all_values() {
        let mut rng = fastrand::Rng::with_seed(18);
        let holders = Holders::from([(itself(), Holding::ITSELF)]);
        let mut fine = 0;
        for _ in 0..20_000 {
            let low = Value::from(rng.i32(-300..=0));
            let range = (low, low + Value::from(rng.i32(0..=600)));
            let exprs: Vec<Expr> = (0..2).map(|_| random(&mut rng, 3)).collect();
            let mut seen = Seen::new(range);
            let is_fine = exprs.iter().all(|expr| held(expr, &holders, &mut seen).is_none());
            if !is_fine || seen.may_fail || !seen.counts {
                continue;
            }
            let Some(values) = seen.representatives() else { continue };
            let results = |value: Value| {
                let registers = IndexVec::from_iter([value]);
                let result = |expr: &Expr| expr.evaluate(&Memory::flat(), &registers);
                exprs.iter().map(result).collect::<Vec<_>>()
            };
            assert!(values.iter().all(|value| (range.0..=range.1).contains(value)));
            let known: Vec<_> = values.iter().map(|value| results(*value)).collect();
            for value in range.0..=range.1 {
                assert!(known.contains(&results(value)), "{value} in {range:?}: {exprs:?}");
            }
            fine += 1;
        }
        assert!(fine > 1_500, "{fine} were tried");
    }
}
