//! Condition codes: what they mean for the operands of the instruction that set the flags, and
//! which of them are needed where.

use program::{BinaryOp, Expr, Value};

use super::super::machine::{signed, unsigned};
use super::syntax::{Operation, Unary};

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

    const fn bit(self) -> u8 {
        1 << (self as u8)
    }
}

/// A set of condition codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Codes(u8);

impl Codes {
    pub(super) fn iter(self) -> impl Iterator<Item = Code> {
        Code::ALL.into_iter().filter(move |code| self.contains(*code))
    }

    pub(super) const fn contains(self, code: Code) -> bool {
        self.0 & code.bit() != 0
    }

    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) const fn without_carry(self) -> Self {
        Self(self.0 & !Code::Below.bit())
    }

    const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// What an instruction does to the flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Keeps,
    Sets,
    SetsAllButCarry,
    /// It sets them in a way that is not modelled.
    Spoils,
}

pub(super) const fn effect(operation: Operation) -> Effect {
    match operation {
        Operation::Arithmetic(_)
        | Operation::Compare
        | Operation::Test
        | Operation::CompareExchange
        | Operation::ExchangeAdd
        | Operation::Unary(Unary::Negate) => Effect::Sets,
        Operation::Unary(Unary::Increment | Unary::Decrement) => Effect::SetsAllButCarry,
        Operation::Shift(_) => Effect::Spoils,
        Operation::Unary(Unary::Complement)
        | Operation::Move
        | Operation::Exchange
        | Operation::UnlockedExchange
        | Operation::Jump
        | Operation::JumpIf(_)
        | Operation::MoveIf(_)
        | Operation::SetIf(_)
        | Operation::Fence(_)
        | Operation::Nothing
        | Operation::Return => Effect::Keeps,
    }
}

/// For each line, the codes that something after it uses before the flags are set again.
/// `successors` gives the lines that may follow a line.
pub(super) fn needed_after(
    operations: &[Operation],
    successors: impl Fn(usize) -> Vec<usize>,
) -> Vec<Codes> {
    let next: Vec<Vec<usize>> = (0..operations.len()).map(successors).collect();
    let mut previous: Vec<Vec<usize>> = vec![Vec::new(); operations.len()];
    for (line, next) in next.iter().enumerate() {
        for next in next.iter().filter(|next| **next < operations.len()) {
            previous[*next].push(line);
        }
    }
    let mut before = vec![Codes::default(); operations.len()];
    let mut after = before.clone();
    let mut due: Vec<usize> = (0..operations.len()).collect();
    while let Some(line) = due.pop() {
        let needed = next[line].iter().filter_map(|next| before.get(*next));
        after[line] = needed.fold(Codes::default(), |all, codes| all.union(*codes));
        let kept = match effect(operations[line]) {
            Effect::Keeps => after[line],
            Effect::Sets | Effect::Spoils => Codes::default(),
            Effect::SetsAllButCarry => Codes(after[line].0 & Code::Below.bit()),
        };
        let new = kept.union(used(operations[line]));
        if new != before[line] {
            before[line] = new;
            due.extend(&previous[line]);
        }
    }
    after
}

/// The codes that an instruction asks for.
const fn used(operation: Operation) -> Codes {
    match operation {
        Operation::JumpIf(condition)
        | Operation::MoveIf(condition)
        | Operation::SetIf(condition) => Codes(condition.code.bit()),
        Operation::Move
        | Operation::Arithmetic(_)
        | Operation::Unary(_)
        | Operation::Shift(_)
        | Operation::Compare
        | Operation::Test
        | Operation::Exchange
        | Operation::UnlockedExchange
        | Operation::CompareExchange
        | Operation::ExchangeAdd
        | Operation::Jump
        | Operation::Fence(_)
        | Operation::Nothing
        | Operation::Return => Codes(0),
    }
}

/// What the flags are set from: signed numbers of `bits` bits.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// As by `cmp` and `sub`. A result alone is compared with zero.
    Difference { left: Expr, right: Expr, bits: u8 },
    /// As by `add`.
    Sum { left: Expr, right: Expr, bits: u8 },
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
        Source::Sum { left, right, bits } => {
            let exact = Expr::binary(BinaryOp::Add, left.clone(), right.clone());
            let zero = || Expr::binary(BinaryOp::Eq, wrapped(exact.clone(), *bits), Expr::Const(0));
            let carry = || {
                let sum = Expr::binary(
                    BinaryOp::Add,
                    as_unsigned(left, *bits),
                    as_unsigned(right, *bits),
                );
                Expr::binary(BinaryOp::Gt, sum, Expr::Const(unsigned(*bits).max()))
            };
            match code {
                Code::Equal => zero(),
                Code::Less => negative(exact),
                Code::LessOrEqual => Expr::binary(BinaryOp::Or, negative(exact.clone()), zero()),
                Code::Below => carry(),
                Code::BelowOrEqual => Expr::binary(BinaryOp::Or, carry(), zero()),
                Code::Sign => negative(wrapped(exact, *bits)),
                Code::Overflow => Expr::binary(BinaryOp::Ne, wrapped(exact.clone(), *bits), exact),
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
