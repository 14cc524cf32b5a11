//! Which values an expression can have, as far as a few of them can be listed.
//!
//! [`Possible::Any`] is all integers, so it is right whatever an overflow may lead to. A value that
//! makes an instruction stop its thread by a fault is no value.

use std::collections::BTreeSet;

use program::{BinaryOp, Domain, Expr, Fault, IndexVec, Memory, RegisterId, UnaryOp, Value};

/// A set of values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Possible {
    /// These.
    Few(BTreeSet<Value>),
    /// All integers.
    Any,
}

/// More values than these are not listed.
const FEW: usize = 64;

impl Possible {
    pub(crate) fn only(value: Value) -> Self {
        Self::Few(BTreeSet::from([value]))
    }

    pub(crate) const fn none() -> Self {
        Self::Few(BTreeSet::new())
    }

    fn truth() -> Self {
        Self::Few(BTreeSet::from([0, 1]))
    }

    pub(crate) fn between(low: Value, high: Value) -> Self {
        let count = high.checked_sub(low).and_then(|more| usize::try_from(more).ok());
        if count.is_some_and(|count| count < FEW) {
            Self::Few((low..=high).collect())
        } else {
            Self::Any
        }
    }

    pub(crate) fn is_none(&self) -> bool {
        self.few().is_some_and(BTreeSet::is_empty)
    }

    /// The values, if they are few.
    pub(crate) const fn few(&self) -> Option<&BTreeSet<Value>> {
        match self {
            Self::Few(values) => Some(values),
            Self::Any => None,
        }
    }

    pub(crate) fn contains(&self, value: Value) -> bool {
        self.few().is_none_or(|values| values.contains(&value))
    }

    fn contains_other_than(&self, value: Value) -> bool {
        self.few().is_none_or(|values| values.iter().any(|other| *other != value))
    }

    /// Whether the condition with these values can be true.
    pub(crate) fn may_hold(&self) -> bool {
        self.contains_other_than(0)
    }

    /// The values but one.
    pub(crate) fn without(mut self, value: Value) -> Self {
        if let Self::Few(values) = &mut self {
            values.remove(&value);
        }
        self
    }

    /// Whether two sets have a value in common.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Few(values), other) | (other, Self::Few(values)) => {
                values.iter().any(|value| other.contains(*value))
            }
            (Self::Any, Self::Any) => true,
        }
    }

    /// Adds values; says whether that changes anything.
    pub(crate) fn add(&mut self, other: &Self) -> bool {
        let Self::Few(values) = self else { return false };
        let before = values.len();
        if let Self::Few(more) = other {
            values.extend(more);
            if values.len() <= FEW {
                return values.len() != before;
            }
        }
        *self = Self::Any;
        true
    }

    fn with(mut self, other: &Self) -> Self {
        self.add(other);
        self
    }

    /// What results of these exact results; an overflow may be anything.
    pub(crate) fn of_results(results: impl Iterator<Item = Result<Value, Fault>>) -> Self {
        let mut all = Self::none();
        for result in results {
            match result {
                Ok(value) => all.add(&Self::only(value)),
                Err(fault) => fault.is_limit() && all.add(&Self::Any),
            };
        }
        all
    }

    /// What results of an operation on one value of each.
    pub(crate) fn combined(
        &self,
        other: &Self,
        apply: impl Fn(Value, Value) -> Result<Value, Fault>,
    ) -> Self {
        match (self, other) {
            (Self::Few(left), Self::Few(right)) => Self::of_results(
                left.iter().flat_map(|left| right.iter().map(|right| apply(*left, *right))),
            ),
            (Self::Any, _) | (_, Self::Any) => Self::Any,
        }
    }

    /// What a domain makes of the values.
    pub(crate) fn admitted(&self, domain: Domain) -> Self {
        match self {
            Self::Few(values) => Self::of_results(values.iter().map(|value| domain.admit(*value))),
            Self::Any => match domain {
                Domain::Integer => Self::Any,
                Domain::Range { .. } | Domain::Wrapping(_) => {
                    let (low, high) = domain.bounds();
                    Self::between(low, high)
                }
            },
        }
    }

    /// The values of an expression.
    pub(crate) fn of(expr: &Expr, memory: &Memory, registers: &IndexVec<RegisterId, Self>) -> Self {
        let of = |operand: &Expr| Self::of(operand, memory, registers);
        match expr {
            Expr::Const(value) => Self::only(*value),
            Expr::Register(register) => registers[*register].clone(),
            Expr::Element(location, index) => {
                let location = memory.location(*location);
                let indices = match of(index) {
                    Self::Any => Self::between(0, Value::from(location.cells()) - 1),
                    few @ Self::Few(_) => few,
                };
                match indices {
                    Self::Few(indices) => {
                        Self::of_results(indices.iter().map(|index| location.address(*index)))
                    }
                    Self::Any => Self::Any,
                }
            }
            Expr::Unary(op, operand) => match of(operand) {
                Self::Few(values) => Self::of_results(values.iter().map(|value| op.apply(*value))),
                Self::Any => match op {
                    UnaryOp::Not => Self::truth(),
                    UnaryOp::Neg | UnaryOp::BitNot => Self::Any,
                },
            },
            Expr::Binary(op, left, right) => Self::of_binary(*op, &of(left), &of(right)),
            Expr::Select(operands) => {
                let [condition, then, otherwise] = operands.each_ref().map(of);
                let mut all = Self::none();
                if condition.may_hold() {
                    all = all.with(&then);
                }
                if condition.contains(0) {
                    all = all.with(&otherwise);
                }
                all
            }
            Expr::Cast(int, operand) => of(operand).admitted(Domain::Wrapping(*int)),
        }
    }

    fn of_binary(op: BinaryOp, left: &Self, right: &Self) -> Self {
        let truth_of = |set: &Self, decisive: bool| {
            // What the right operand decides, if the left one does not.
            let mut all = Self::none();
            let (is, is_not) = (set.may_hold(), set.contains(0));
            if if decisive { is } else { is_not } {
                all.add(&Self::only(Value::from(decisive)));
            }
            if if decisive { is_not } else { is } {
                if right.may_hold() {
                    all.add(&Self::only(1));
                }
                if right.contains(0) {
                    all.add(&Self::only(0));
                }
            }
            all
        };
        match op {
            BinaryOp::And => truth_of(left, false),
            BinaryOp::Or => truth_of(left, true),
            BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge
                if left.few().is_none() || right.few().is_none() =>
            {
                Self::truth()
            }
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::BitAnd
            | BinaryOp::BitOr
            | BinaryOp::BitXor
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge
            | BinaryOp::Min
            | BinaryOp::Max => left.combined(right, |left, right| op.apply(left, right)),
        }
    }
}
