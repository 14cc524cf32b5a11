//! Reading RISC-V's instructions on registers.

use program::{BinaryOp, UnaryOp, Value};

use super::super::load_store::Cell;
use super::super::load_store::syntax::{Step, Term};
use super::super::machine::signed;
use super::mnemonic::{Arithmetic, Compute};
use crate::token::Parsed;

pub(super) fn step(cell: &mut Cell<'_>, compute: Compute) -> Parsed<Step> {
    let to = cell.register_and_comma()?;
    let value = match compute {
        Compute::Immediate { shift } => Term::Number(signed(64).wrap(cell.number()? << shift)),
        Compute::Move => cell.value()?,
        Compute::Not => Term::Unary(UnaryOp::BitNot, Box::new(cell.value()?)),
        Compute::Negate { word } => {
            let value = Term::Unary(UnaryOp::Neg, Box::new(cell.value()?));
            if word { as_word(value) } else { value }
        }
        Compute::SignExtendWord => as_word(cell.value()?),
        Compute::Arithmetic { op, immediate, word } => {
            let left = cell.value()?;
            cell.comma()?;
            arithmetic(cell, op, left, immediate, word)?
        }
        Compute::IsZero { negated } => {
            let op = if negated { BinaryOp::Ne } else { BinaryOp::Eq };
            Term::binary(op, cell.value()?, Term::Number(0))
        }
    };
    Ok(Step::Assign { to, value })
}

fn arithmetic(
    cell: &mut Cell<'_>,
    op: Arithmetic,
    left: Term,
    immediate: bool,
    word: bool,
) -> Parsed<Term> {
    let bits = if word { 32 } else { 64 };
    let right = match (op, immediate) {
        (Arithmetic::ShiftLeft | Arithmetic::ShiftRight | Arithmetic::ShiftRightSigned, true) => {
            Term::Number(cell.number_up_to(Value::from(bits) - 1)?)
        }
        (Arithmetic::ShiftLeft | Arithmetic::ShiftRight | Arithmetic::ShiftRightSigned, false) => {
            let mask = Term::Number(Value::from(bits) - 1);
            Term::binary(BinaryOp::BitAnd, cell.value()?, mask)
        }
        (Arithmetic::Plain(_) | Arithmetic::Less | Arithmetic::LessUnsigned, true) => {
            Term::Number(cell.number()?)
        }
        (Arithmetic::Plain(_) | Arithmetic::Less | Arithmetic::LessUnsigned, false) => {
            cell.value()?
        }
    };
    let value = match op {
        Arithmetic::Plain(op) => Term::binary(op, left, right),
        Arithmetic::ShiftLeft => Term::binary(BinaryOp::Shl, left, right),
        Arithmetic::ShiftRight => Term::binary(BinaryOp::Shr, left.unsigned(bits), right),
        Arithmetic::ShiftRightSigned => {
            let left = if word { as_word(left) } else { left };
            Term::binary(BinaryOp::Shr, left, right)
        }
        Arithmetic::Less => Term::binary(BinaryOp::Lt, left, right),
        Arithmetic::LessUnsigned => {
            Term::binary(BinaryOp::Lt, left.unsigned(64), right.unsigned(64))
        }
    };
    Ok(if word { as_word(value) } else { value })
}

fn as_word(value: Term) -> Term {
    Term::Cast(signed(32), Box::new(value))
}
