//! Reading A64 instructions that move, count and reverse bits, multiply and divide.

use program::{BinaryOp, IntType, UnaryOp, Value};

use super::super::load_store::syntax::{Register, Term};
use super::super::load_store::{Cell, term};
use super::super::machine::{signed, unsigned};
use super::compute::sized_register;
use crate::token::Parsed;

/// What an instruction makes of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bits {
    /// `UBFM`, `SBFM` and `BFM`, or one of their other names.
    Field { fill: Fill, form: Form },
    /// `REV` and its kin: bytes are reversed within groups of so many bits, or of all.
    ReverseBytes(Option<u8>),
    /// `RBIT`.
    Reverse,
    /// `CLZ`.
    LeadingZeros,
    /// `ABS`.
    Absolute,
    /// `EXTR`.
    Extract,
    /// `MADD` and `MSUB`; without a third operand `MUL` and `MNEG`. A long product is that of the
    /// lower halves.
    Multiply { subtract: bool, adds: bool, long: Option<bool> },
    /// `UDIV` and `SDIV`.
    Divide { is_signed: bool },
    /// `ADC` and `SBC`.
    WithCarry { subtract: bool },
}

/// What surrounds a field of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fill {
    Zeros,
    Sign,
    /// What was there.
    Old,
}

/// How a field is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// By the rotation and the number of the highest bit.
    Rotated,
    /// `UBFX`: the lowest bit taken, and how many.
    Taken,
    /// `UBFIZ`: where the lowest bits go, and how many.
    Put,
}

const FIELDS: [(&str, Fill, Form); 9] = [
    ("ubfm", Fill::Zeros, Form::Rotated),
    ("sbfm", Fill::Sign, Form::Rotated),
    ("bfm", Fill::Old, Form::Rotated),
    ("ubfx", Fill::Zeros, Form::Taken),
    ("sbfx", Fill::Sign, Form::Taken),
    ("bfxil", Fill::Old, Form::Taken),
    ("ubfiz", Fill::Zeros, Form::Put),
    ("sbfiz", Fill::Sign, Form::Put),
    ("bfi", Fill::Old, Form::Put),
];

const fn multiply(subtract: bool, adds: bool, long: Option<bool>) -> Bits {
    Bits::Multiply { subtract, adds, long }
}

const OTHERS: [(&str, Bits); 24] = [
    ("rev", Bits::ReverseBytes(None)),
    ("rev64", Bits::ReverseBytes(None)),
    ("rev32", Bits::ReverseBytes(Some(32))),
    ("rev16", Bits::ReverseBytes(Some(16))),
    ("rbit", Bits::Reverse),
    ("clz", Bits::LeadingZeros),
    ("abs", Bits::Absolute),
    ("extr", Bits::Extract),
    ("mul", multiply(false, false, None)),
    ("mneg", multiply(true, false, None)),
    ("madd", multiply(false, true, None)),
    ("msub", multiply(true, true, None)),
    ("smull", multiply(false, false, Some(true))),
    ("umull", multiply(false, false, Some(false))),
    ("smnegl", multiply(true, false, Some(true))),
    ("umnegl", multiply(true, false, Some(false))),
    ("smaddl", multiply(false, true, Some(true))),
    ("umaddl", multiply(false, true, Some(false))),
    ("smsubl", multiply(true, true, Some(true))),
    ("umsubl", multiply(true, true, Some(false))),
    ("sdiv", Bits::Divide { is_signed: true }),
    ("udiv", Bits::Divide { is_signed: false }),
    ("adc", Bits::WithCarry { subtract: false }),
    ("sbc", Bits::WithCarry { subtract: true }),
];

/// The instruction of this name, in lower case.
pub(super) fn find(word: &str) -> Option<Bits> {
    let field = FIELDS.iter().find(|(name, ..)| *name == word);
    let field = field.map(|(_, fill, form)| Bits::Field { fill: *fill, form: *form });
    field.or_else(|| OTHERS.iter().find(|(name, _)| *name == word).map(|(_, bits)| *bits))
}

/// The names, to be suggested.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    FIELDS.iter().map(|(name, ..)| *name).chain(OTHERS.iter().map(|(name, _)| *name))
}

/// What is assigned to the destination, which has this many bits.
pub(super) fn value(cell: &mut Cell<'_>, to: &Register, what: Bits, bits: u8) -> Parsed<Term> {
    cell.comma()?;
    let operand = |cell: &mut Cell<'_>, bits| Ok(term(sized_register(cell, bits)?));
    let whole = Value::from(bits);
    match what {
        Bits::Field { fill, form } => {
            let from = operand(cell, bits)?;
            field(cell, term(to.clone()), from, fill, form, bits)
        }
        Bits::ReverseBytes(group) => {
            let group = group.unwrap_or(bits).min(bits);
            let from = operand(cell, bits)?;
            let bytes = (0..bits / 8).map(|byte| {
                let (start, within) = (byte * 8 / group * group, byte * 8 % group);
                moved(&from, bits, 8, byte * 8, start + group - 8 - within)
            });
            Ok(joined(bytes))
        }
        Bits::Reverse => {
            let from = operand(cell, bits)?;
            Ok(joined((0..bits).map(|bit| moved(&from, bits, 1, bit, bits - 1 - bit))))
        }
        Bits::LeadingZeros => {
            let from = operand(cell, bits)?.unsigned(bits);
            let power = |bit: u8| Term::Number(Value::from(1_u64 << bit));
            let less = |bit| Term::binary(BinaryOp::Lt, from.clone(), power(bit));
            let all = (0..bits).map(less);
            Ok(all.reduce(|sum, one| Term::binary(BinaryOp::Add, sum, one)).unwrap_or(from.clone()))
        }
        Bits::Absolute => {
            let from = operand(cell, bits)?;
            let negative = Term::binary(BinaryOp::Lt, from.clone(), Term::Number(0));
            let negated = Term::Unary(UnaryOp::Neg, Box::new(from.clone()));
            Ok(Term::Select(Box::new([negative, negated, from])))
        }
        Bits::Extract => {
            let high = operand(cell, bits)?;
            cell.comma()?;
            let low = operand(cell, bits)?.unsigned(bits);
            cell.comma()?;
            let by = cell.number_up_to(whole - 1)?;
            let low = Term::binary(BinaryOp::Shr, low, Term::Number(by));
            // Nothing of the upper register is left where nothing is shifted.
            let kept = Term::Cast(integer(bits, by, false), Box::new(high.clone()));
            let high = if by == 0 {
                Term::binary(BinaryOp::Mul, high, Term::Number(0))
            } else {
                Term::binary(BinaryOp::Shl, kept, Term::Number(whole - by))
            };
            Ok(Term::binary(BinaryOp::BitOr, high, low))
        }
        Bits::Multiply { subtract, adds, long } => {
            let factor = |cell: &mut Cell<'_>| match long {
                None => operand(cell, bits),
                Some(true) => operand(cell, 32),
                Some(false) => Ok(operand(cell, 32)?.unsigned(32)),
            };
            let left = factor(cell)?;
            cell.comma()?;
            let product = Term::binary(BinaryOp::Mul, left, factor(cell)?);
            let start = if adds {
                cell.comma()?;
                operand(cell, bits)?
            } else {
                Term::Number(0)
            };
            Ok(match (subtract, adds) {
                (false, false) => product,
                (false, true) => Term::binary(BinaryOp::Add, start, product),
                (true, _) => Term::binary(BinaryOp::Sub, start, product),
            })
        }
        Bits::Divide { is_signed } => {
            let side = |cell: &mut Cell<'_>| {
                let side = operand(cell, bits)?;
                Ok(if is_signed { side } else { side.unsigned(bits) })
            };
            let left = side(cell)?;
            cell.comma()?;
            let right = side(cell)?;
            let by_zero = Term::binary(BinaryOp::Eq, right.clone(), Term::Number(0));
            let quotient = Term::binary(BinaryOp::Div, left.clone(), right);
            let zero = Term::binary(BinaryOp::Mul, left, Term::Number(0));
            Ok(Term::Select(Box::new([by_zero, zero, quotient])))
        }
        Bits::WithCarry { subtract } => {
            let left = operand(cell, bits)?;
            cell.comma()?;
            let right = operand(cell, bits)?;
            let right =
                if subtract { Term::Unary(UnaryOp::BitNot, Box::new(right)) } else { right };
            let sum = Term::binary(BinaryOp::Add, left, right);
            let carry = super::super::arm::condition::carry();
            Ok(Term::binary(BinaryOp::Add, sum, Term::Condition(carry)))
        }
    }
}

/// A field of bits with what surrounds it.
fn field(
    cell: &mut Cell<'_>,
    old: Term,
    from: Term,
    fill: Fill,
    form: Form,
    bits: u8,
) -> Parsed<Term> {
    let whole = Value::from(bits);
    cell.comma()?;
    let first = cell.number_up_to(whole - 1)?;
    cell.comma()?;
    // The lowest bit taken, how many there are, and where the lowest goes.
    let (lowest, count, place) = match form {
        Form::Rotated => {
            let highest = cell.number_up_to(whole - 1)?;
            if highest >= first {
                (first, highest - first + 1, 0)
            } else {
                (0, highest + 1, whole - first)
            }
        }
        Form::Taken => (first, counted(cell, whole - first)?, 0),
        Form::Put => (0, counted(cell, whole - first)?, first),
    };
    let taken = Term::binary(BinaryOp::Shr, from.unsigned(bits), Term::Number(lowest));
    let is_signed = fill == Fill::Sign;
    let taken = Term::Cast(integer(bits, count, is_signed), Box::new(taken));
    let put = Term::binary(BinaryOp::Shl, taken, Term::Number(place));
    if fill != Fill::Old {
        return Ok(put);
    }
    let mask = ((1 << count) - 1) << place;
    let kept = Term::binary(BinaryOp::BitAnd, old, Term::Number(signed(bits).wrap(!mask)));
    Ok(Term::binary(BinaryOp::BitOr, kept, put))
}

/// A number of bits, at least one.
fn counted(cell: &mut Cell<'_>, greatest: Value) -> Parsed<Value> {
    let count = cell.number_up_to(greatest)?;
    if count == 0 { cell.unexpected("at least one bit") } else { Ok(count) }
}

/// Numbers of so many bits, of which there are at most `bits`.
fn integer(bits: u8, count: Value, is_signed: bool) -> IntType {
    let count = u8::try_from(count).ok().filter(|count| (1..=bits).contains(count));
    let otherwise = if is_signed { signed(bits) } else { unsigned(bits) };
    count.and_then(|count| IntType::new(count, is_signed)).unwrap_or(otherwise)
}

/// So many bits from one place at another.
fn moved(from: &Term, bits: u8, count: u8, at: u8, to: u8) -> Term {
    let shifted = Term::binary(BinaryOp::Shr, from.clone().unsigned(bits), Term::Number(at.into()));
    let mask = Term::Number((1 << count) - 1);
    let part = Term::binary(BinaryOp::BitAnd, shifted, mask);
    Term::binary(BinaryOp::Shl, part, Term::Number(to.into()))
}

fn joined(parts: impl Iterator<Item = Term>) -> Term {
    parts.reduce(|all, part| Term::binary(BinaryOp::BitOr, all, part)).unwrap_or(Term::Number(0))
}
