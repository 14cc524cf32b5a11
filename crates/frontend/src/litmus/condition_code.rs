//! Condition codes: what they mean for the operands of the instruction that set the flags. x86 and
//! Arm have the same ones after a comparison, Power has some of them.

use program::{BinaryOp, Expr, UnaryOp, Value};

use super::machine::{signed, unsigned};

/// What a conditional instruction asks of the flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Condition {
    pub(super) code: Code,
    pub(super) negated: bool,
}

/// A condition code, after a comparison of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Code {
    Equal,
    /// As signed numbers.
    Less,
    LessOrEqual,
    /// As unsigned numbers: the carry flag.
    Below,
    BelowOrEqual,
    Sign,
    Overflow,
}

impl Code {
    pub(super) const ALL: [Self; 7] = [
        Self::Equal,
        Self::Less,
        Self::LessOrEqual,
        Self::Below,
        Self::BelowOrEqual,
        Self::Sign,
        Self::Overflow,
    ];

    /// The name of the generated register that holds it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Equal => "flag_equal",
            Self::Less => "flag_less",
            Self::LessOrEqual => "flag_less_or_equal",
            Self::Below => "flag_below",
            Self::BelowOrEqual => "flag_below_or_equal",
            Self::Sign => "flag_sign",
            Self::Overflow => "flag_overflow",
        }
    }

    pub(super) const fn bit(self) -> u8 {
        1 << (self as u8)
    }
}

/// What the flags are set from: signed numbers of `bits` bits.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// As by `cmp` and `sub`. A result alone is compared with zero.
    Difference { left: Expr, right: Expr, bits: u8 },
    /// As by x86 `add`, where "below" is the carry.
    Sum { left: Expr, right: Expr, bits: u8 },
    /// As by Arm's `ADDS`, where "below" is that there is no carry.
    ArmSum { left: Expr, right: Expr, bits: u8 },
    /// As by `ANDS` of A64: the sign and whether it is zero of a value; carry and overflow are
    /// cleared.
    Bits(Expr),
}

/// Whether a code holds, as an expression.
pub(super) fn holds(code: Code, source: &Source) -> Expr {
    match source {
        Source::Difference { left, right, bits } => {
            let compared = |op| Expr::binary(op, left.clone(), right.clone());
            let unsigned =
                |op| Expr::binary(op, as_unsigned(left, *bits), as_unsigned(right, *bits));
            let exact = Expr::binary(BinaryOp::Sub, left.clone(), right.clone());
            match code {
                Code::Equal => compared(BinaryOp::Eq),
                Code::Less => compared(BinaryOp::Lt),
                Code::LessOrEqual => compared(BinaryOp::Le),
                Code::Below => unsigned(BinaryOp::Lt),
                Code::BelowOrEqual => unsigned(BinaryOp::Le),
                Code::Sign => negative(wrapped(exact, *bits)),
                Code::Overflow => Expr::binary(BinaryOp::Ne, wrapped(exact.clone(), *bits), exact),
            }
        }
        Source::Sum { left, right, bits } | Source::ArmSum { left, right, bits } => {
            let exact = Expr::binary(BinaryOp::Add, left.clone(), right.clone());
            let zero = || Expr::binary(BinaryOp::Eq, wrapped(exact.clone(), *bits), Expr::Const(0));
            let below = || {
                let sum = Expr::binary(
                    BinaryOp::Add,
                    as_unsigned(left, *bits),
                    as_unsigned(right, *bits),
                );
                let op = match source {
                    Source::ArmSum { .. } => BinaryOp::Le,
                    Source::Sum { .. } | Source::Difference { .. } | Source::Bits(_) => {
                        BinaryOp::Gt
                    }
                };
                Expr::binary(op, sum, Expr::Const(unsigned(*bits).max()))
            };
            match code {
                Code::Equal => zero(),
                Code::Less => negative(exact),
                Code::LessOrEqual => Expr::binary(BinaryOp::Or, negative(exact.clone()), zero()),
                Code::Below => below(),
                Code::BelowOrEqual => Expr::binary(BinaryOp::Or, below(), zero()),
                Code::Sign => negative(wrapped(exact, *bits)),
                Code::Overflow => Expr::binary(BinaryOp::Ne, wrapped(exact.clone(), *bits), exact),
            }
        }
        Source::Bits(value) => {
            let compared = |op| Expr::binary(op, value.clone(), Expr::Const(0));
            // What does not depend on the value still mentions it: the flags are set from it.
            let always = || Expr::binary(BinaryOp::Mul, value.clone(), Expr::Const(0));
            match code {
                Code::Equal => compared(BinaryOp::Eq),
                Code::Less | Code::Sign => compared(BinaryOp::Lt),
                Code::LessOrEqual => compared(BinaryOp::Le),
                Code::Below | Code::BelowOrEqual => Expr::unary(UnaryOp::Not, always()),
                Code::Overflow => always(),
            }
        }
    }
}

fn negative(value: Expr) -> Expr {
    Expr::binary(BinaryOp::Lt, value, Expr::Const(0))
}

fn wrapped(value: Expr, bits: u8) -> Expr {
    Expr::Cast(signed(bits), Box::new(value))
}

fn as_unsigned(value: &Expr, bits: u8) -> Expr {
    let constant: Option<Value> = if let Expr::Const(value) = value { Some(*value) } else { None };
    match constant {
        Some(value) => Expr::Const(unsigned(bits).wrap(value)),
        None => Expr::Cast(unsigned(bits), Box::new(value.clone())),
    }
}
