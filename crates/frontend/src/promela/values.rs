//! Sets of values, exact while they are small.

use std::collections::BTreeSet;

use program::{BinaryOp, Domain, Location, UnaryOp, Value};

/// The least value of Promela's `int`.
pub(super) const MIN: Value = i32::MIN as Value;
/// The greatest value of Promela's `int`.
pub(super) const MAX: Value = i32::MAX as Value;

/// How many values are kept apart.
const MAX_SET: usize = 64;

/// A set of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Values {
    /// Exactly these.
    Set(BTreeSet<Value>),
    /// All from the first to the second.
    Between(Value, Value),
}

impl Values {
    pub(super) fn one(value: Value) -> Self {
        Self::Set(BTreeSet::from([value]))
    }

    pub(super) fn truth() -> Self {
        Self::Set(BTreeSet::from([0, 1]))
    }

    fn between(low: Value, high: Value) -> Self {
        if low > high { Self::none() } else { Self::Between(low, high) }
    }

    pub(super) fn collect(values: impl IntoIterator<Item = Value>) -> Self {
        let set: BTreeSet<Value> = values.into_iter().collect();
        match (set.first(), set.last()) {
            (Some(low), Some(high)) if set.len() > MAX_SET => Self::Between(*low, *high),
            (_, _) => Self::Set(set),
        }
    }

    /// The least and the greatest value, unless there is none.
    pub(super) fn bounds(&self) -> Option<(Value, Value)> {
        match self {
            Self::Set(set) => Some((*set.first()?, *set.last()?)),
            Self::Between(low, high) => Some((*low, *high)),
        }
    }

    /// Whether all values lie between `low` and `high`.
    pub(super) fn within(&self, low: Value, high: Value) -> bool {
        self.bounds().is_none_or(|(least, greatest)| low <= least && greatest <= high)
    }

    pub(super) fn none() -> Self {
        Self::Set(BTreeSet::new())
    }

    pub(super) fn may_be(&self, value: Value) -> bool {
        match self {
            Self::Set(set) => set.contains(&value),
            Self::Between(low, high) => (*low..=*high).contains(&value),
        }
    }

    /// The values one by one, if there are at most `limit`.
    pub(super) fn list(&self, limit: usize) -> Option<Vec<Value>> {
        match self {
            Self::Set(set) => (set.len() <= limit).then(|| set.iter().copied().collect()),
            Self::Between(low, high) => {
                let fits = usize::try_from(high - low).is_ok_and(|distance| distance < limit);
                fits.then(|| (*low..=*high).collect())
            }
        }
    }

    /// Those between `low` and `high`.
    pub(super) fn clip(&self, low: Value, high: Value) -> Self {
        match self {
            Self::Set(set) => Self::Set(set.range(low..=high.max(low)).copied().collect()),
            Self::Between(least, greatest) => Self::between(*least.max(&low), *greatest.min(&high)),
        }
    }

    pub(super) fn join(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Set(left), Self::Set(right)) => Self::collect(left | right),
            (_, _) => match (self.bounds(), other.bounds()) {
                (Some((a, b)), Some((c, d))) => Self::Between(a.min(c), b.max(d)),
                (Some(_), None) => self.clone(),
                (None, _) => other.clone(),
            },
        }
    }

    /// The results of an operator with one operand.
    pub(super) fn unary(&self, op: UnaryOp) -> Self {
        match self {
            Self::Set(set) => Self::collect(set.iter().filter_map(|value| op.apply(*value).ok())),
            Self::Between(low, high) => match op {
                UnaryOp::Neg => Self::between(-high, -low),
                UnaryOp::BitNot => Self::between(!high, !low),
                UnaryOp::Not => Self::truth(),
            },
        }
    }

    /// The results of an operator with two operands.
    pub(super) fn binary(&self, op: BinaryOp, right: &Self) -> Self {
        if let (Self::Set(left), Self::Set(right)) = (self, right) {
            let apply = |left: &Value, right: &Value| match op.apply(*left, *right) {
                Ok(result) => Some(result),
                // Beyond all bounds, which is all that anyone wants to know.
                Err(fault) if fault.is_limit() => Some(Value::MAX),
                Err(_) => None,
            };
            let results = left
                .iter()
                .flat_map(|left| right.iter().filter_map(move |right| apply(left, right)));
            return Self::collect(results);
        }
        let (Some(left), Some(right)) = (self.bounds(), right.bounds()) else {
            return Self::none();
        };
        interval(op, left, right)
    }

    /// What is left after wrapping to a domain or checking it, in an `int`.
    pub(super) fn admit(&self, domain: Domain) -> Self {
        let (low, high) = domain.bounds();
        let held = match (domain, self) {
            (Domain::Integer | Domain::Range { .. }, _) => self.clip(low, high),
            (Domain::Wrapping(_), _) if self.within(low, high) => self.clone(),
            (Domain::Wrapping(int), Self::Set(set)) => {
                Self::collect(set.iter().map(|value| int.wrap(*value)))
            }
            (Domain::Wrapping(_), Self::Between(..)) => Self::Between(low, high),
        };
        held.clip(MIN, MAX)
    }

    /// The addresses of the elements of a location whose indices are these.
    pub(super) fn elements(&self, location: &Location) -> Self {
        let last = Value::from(location.cells()) - 1;
        let stride = Self::one(Value::from(location.stride));
        let offset = self.clip(0, last).binary(BinaryOp::Mul, &stride);
        offset.binary(BinaryOp::Add, &Self::one(location.base))
    }
}

/// An operator on two intervals. Operands are at most 32 bits wide, so nothing overflows here.
fn interval(op: BinaryOp, (a, b): (Value, Value), (c, d): (Value, Value)) -> Values {
    let size = a.abs().max(b.abs());
    let extremes = |f: fn(Value, Value) -> Value| {
        let all = [f(a, c), f(a, d), f(b, c), f(b, d)];
        let low = all.into_iter().fold(Value::MAX, Value::min);
        Values::Between(low, all.into_iter().fold(Value::MIN, Value::max))
    };
    match op {
        BinaryOp::Add => Values::Between(a + c, b + d),
        BinaryOp::Sub => Values::Between(a - d, b - c),
        BinaryOp::Mul => extremes(|left, right| left * right),
        BinaryOp::Min => extremes(Value::min),
        BinaryOp::Max => extremes(Value::max),
        BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shr => Values::Between(-size, size),
        BinaryOp::Shl => {
            let factor = 1 << d.clamp(0, 64);
            Values::Between((a * factor).min(a), (b * factor).max(b))
        }
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
            let bits = size.max(c.abs()).max(d.abs()).unsigned_abs().next_power_of_two();
            let bound = Value::try_from(bits).unwrap_or(Value::MAX);
            Values::Between(if a < 0 || c < 0 { -bound } else { 0 }, bound)
        }
        BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge
        | BinaryOp::And
        | BinaryOp::Or => Values::truth(),
    }
}
