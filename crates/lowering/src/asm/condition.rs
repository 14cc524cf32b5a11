//! Flags, and the conditions that instructions make of them.

use program::{BinaryOp, Expr};

use crate::value;

/// A condition of the flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    Equal,
    NotEqual,
    Carry,
    NotCarry,
    Sign,
    NotSign,
    Less,
    NotLess,
    LessOrEqual,
    Greater,
    BelowOrEqual,
    Above,
}

impl Condition {
    /// The condition that mnemonics end in: `e` of `sete`.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "e" | "z" => Self::Equal,
            "ne" | "nz" => Self::NotEqual,
            "c" | "b" | "nae" => Self::Carry,
            "nc" | "ae" | "nb" => Self::NotCarry,
            "s" => Self::Sign,
            "ns" => Self::NotSign,
            "l" | "nge" => Self::Less,
            "ge" | "nl" => Self::NotLess,
            "le" | "ng" => Self::LessOrEqual,
            "g" | "nle" => Self::Greater,
            "be" | "na" => Self::BelowOrEqual,
            "a" | "nbe" => Self::Above,
            _ => return None,
        })
    }
}

/// What is known of the flags: 0 or 1 each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flags {
    pub(crate) zero: Option<Expr>,
    pub(crate) sign: Option<Expr>,
    pub(crate) carry: Option<Expr>,
    /// Sign and overflow differ.
    pub(crate) less: Option<Expr>,
}

impl Flags {
    /// The flags that a result leaves, as far as they depend on it alone.
    pub(crate) fn of_result(result: &Expr) -> Self {
        let zero = value::fold(Expr::binary(BinaryOp::Eq, result.clone(), Expr::Const(0)));
        let sign = value::fold(Expr::binary(BinaryOp::Lt, result.clone(), Expr::Const(0)));
        Self { zero: Some(zero), sign: Some(sign), carry: None, less: None }
    }

    /// Whether a condition holds: 0 or 1; nothing if the flags it needs are not known.
    pub(crate) fn holds(&self, condition: Condition) -> Option<Expr> {
        let not = |flag: &Option<Expr>| flag.as_ref().map(Expr::negated);
        let either = |one: &Option<Expr>, other: &Option<Expr>| {
            let (one, other) = (one.clone()?, other.clone()?);
            Some(Expr::binary(BinaryOp::Or, one, other))
        };
        match condition {
            Condition::Equal => self.zero.clone(),
            Condition::NotEqual => not(&self.zero),
            Condition::Carry => self.carry.clone(),
            Condition::NotCarry => not(&self.carry),
            Condition::Sign => self.sign.clone(),
            Condition::NotSign => not(&self.sign),
            Condition::Less => self.less.clone(),
            Condition::NotLess => not(&self.less),
            Condition::LessOrEqual => either(&self.less, &self.zero),
            Condition::Greater => not(&either(&self.less, &self.zero)),
            Condition::BelowOrEqual => either(&self.carry, &self.zero),
            Condition::Above => not(&either(&self.carry, &self.zero)),
        }
        .map(value::fold)
    }
}
