//! Reading Power's instructions on registers.

use program::{BinaryOp, UnaryOp, Value};

use super::super::arm::shift::Shift;
use super::super::load_store::syntax::{Comparison, Step, Term};
use super::super::load_store::{Cell, term};
use super::super::machine::signed;
use super::is_zero_as_base;
use super::mnemonic::{Binary, Compute};
use crate::token::Parsed;

pub(super) fn steps(cell: &mut Cell<'_>, compute: Compute, records: bool) -> Parsed<Vec<Step>> {
    let to = cell.register_and_comma()?;
    let to = match compute {
        Compute::Shift { bits: 64, .. } => to.with_bits(64),
        Compute::Immediate { .. }
        | Compute::Move
        | Compute::Unary(_)
        | Compute::Binary(_)
        | Compute::WithImmediate { .. }
        | Compute::Shift { .. }
        | Compute::Extend(_) => to,
    };
    let value = value(cell, compute)?;
    let mut steps = vec![Step::Assign { to: to.clone(), value }];
    if records {
        // Of the result, as far as the thread sees it.
        let (left, right) = (term(to), Term::Number(0));
        let comparison = Comparison::Signed { left, right, bits: 64 };
        steps.push(Step::Compare { field: 0, comparison });
    }
    Ok(steps)
}

fn value(cell: &mut Cell<'_>, compute: Compute) -> Parsed<Term> {
    match compute {
        Compute::Immediate { shift } => shifted_number(cell, shift),
        Compute::Move => cell.value(),
        Compute::Unary(op) => Ok(Term::Unary(op, Box::new(cell.value()?))),
        Compute::Binary(Binary { op, reverse, complement_right, complement_result }) => {
            let left = cell.value()?;
            cell.comma()?;
            let right = cell.value()?;
            let right = complemented(right, complement_right);
            let (left, right) = if reverse { (right, left) } else { (left, right) };
            Ok(complemented(Term::binary(op, left, right), complement_result))
        }
        Compute::WithImmediate { op, shift, zero_base } => {
            let base = cell.register_and_comma()?;
            let base =
                if zero_base && is_zero_as_base(&base) { Term::Number(0) } else { term(base) };
            Ok(Term::binary(op, base, shifted_number(cell, shift)?))
        }
        Compute::Shift { shift, bits, immediate } => {
            let from = term(cell.register_and_comma()?.with_bits(bits));
            let by = if immediate {
                Term::Number(cell.number_up_to(Value::from(bits - 1))?)
            } else {
                // One bit more than the width counts: shifting by all of it gives nothing.
                let mask = Term::Number(Value::from(bits) * 2 - 1);
                Term::binary(BinaryOp::BitAnd, cell.value()?, mask)
            };
            let shifted = shift.apply(from, by, bits);
            Ok(match shift {
                Shift::ArithmeticRight => shifted,
                Shift::Left | Shift::LogicalRight | Shift::Rotate => shifted.unsigned(bits),
            })
        }
        Compute::Extend(bits) => Ok(Term::Cast(signed(bits), Box::new(cell.value()?))),
    }
}

/// A number, shifted left.
fn shifted_number(cell: &mut Cell<'_>, shift: u8) -> Parsed<Term> {
    Ok(Term::Number(signed(64).wrap(cell.number()? << shift)))
}

fn complemented(value: Term, complement: bool) -> Term {
    if complement { Term::Unary(UnaryOp::BitNot, Box::new(value)) } else { value }
}
