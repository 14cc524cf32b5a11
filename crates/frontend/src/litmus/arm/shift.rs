//! Shifted operands of both Arm instruction sets: `R1, LSL #2`.

use program::{BinaryOp, Value};

use super::super::lex::Kind;
use super::super::load_store::Cell;
use super::super::load_store::syntax::Term;
use crate::token::Parsed;

/// How bits are moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::litmus) enum Shift {
    Left,
    LogicalRight,
    ArithmeticRight,
    Rotate,
}

/// The shift of this name, in lower case.
pub(in crate::litmus) fn find(name: &str) -> Option<Shift> {
    match name {
        "lsl" => Some(Shift::Left),
        "lsr" => Some(Shift::LogicalRight),
        "asr" => Some(Shift::ArithmeticRight),
        "ror" => Some(Shift::Rotate),
        _ => None,
    }
}

impl Shift {
    /// A number of this width, shifted.
    pub(in crate::litmus) fn apply(self, value: Term, by: Term, bits: u8) -> Term {
        match self {
            Self::Left => Term::binary(BinaryOp::Shl, value, by),
            Self::LogicalRight => Term::binary(BinaryOp::Shr, value.unsigned(bits), by),
            Self::ArithmeticRight => Term::binary(BinaryOp::Shr, value, by),
            Self::Rotate => {
                // Not by all bits where nothing is moved.
                let whole = Value::from(bits);
                let rest = if let Term::Number(by) = by {
                    Term::Number((whole - by) % whole)
                } else {
                    let rest = Term::binary(BinaryOp::Sub, Term::Number(whole), by.clone());
                    Term::binary(BinaryOp::Rem, rest, Term::Number(whole))
                };
                let low = Term::binary(BinaryOp::Shr, value.clone().unsigned(bits), by);
                let high = Term::binary(BinaryOp::Shl, value.unsigned(bits), rest);
                Term::binary(BinaryOp::BitOr, low, high)
            }
        }
    }
}

/// `, LSL #2` after a register, if it is there.
pub(in crate::litmus) fn shifted(cell: &mut Cell<'_>, value: Term, bits: u8) -> Parsed<Term> {
    if cell.peek().kind != Kind::Comma {
        return Ok(value);
    }
    let Some(shift) = find(&cell.peek_at(1).text.to_ascii_lowercase()) else { return Ok(value) };
    cell.advance();
    cell.advance();
    let by = amount(cell, bits)?;
    Ok(shift.apply(value, by, bits))
}

/// How far to shift: a number, or the lowest bits of a register.
pub(in crate::litmus) fn amount(cell: &mut Cell<'_>, bits: u8) -> Parsed<Term> {
    let greatest = Value::from(bits - 1);
    if cell.at_register() {
        let by = cell.value()?;
        return Ok(Term::binary(BinaryOp::BitAnd, by, Term::Number(greatest)));
    }
    Ok(Term::Number(cell.number_up_to(greatest)?))
}
