//! Reading Power's instructions on registers.

use program::{BinaryOp, UnaryOp, Value};

use super::super::arm::shift::Shift;
use super::super::condition_code::Code;
use super::super::load_store::syntax::{Comparison, Condition, Flag, Register, Step, Term};
use super::super::load_store::{Cell, term};
use super::super::machine::signed;
use super::is_zero_as_base;
use super::mnemonic::{Binary, Compute, Rotate};
use crate::token::Parsed;

pub(super) fn steps(cell: &mut Cell<'_>, compute: Compute, records: bool) -> Parsed<Vec<Step>> {
    let to = cell.register()?;
    if compute != Compute::ConditionRegister {
        cell.comma()?;
    }
    let to = match compute {
        Compute::Shift { bits: 64, .. } | Compute::Rotate(Rotate { bits: 64, .. }) => {
            to.with_bits(64)
        }
        Compute::Immediate { .. }
        | Compute::Move
        | Compute::Unary(_)
        | Compute::Binary(_)
        | Compute::WithImmediate { .. }
        | Compute::Shift { .. }
        | Compute::Rotate(_)
        | Compute::ConditionRegister
        | Compute::Extend(_) => to,
    };
    let value = value(cell, &to, compute)?;
    let mut steps = vec![Step::Assign { to: to.clone(), value }];
    if records {
        // Of the result, as far as the thread sees it.
        let (left, right) = (term(to), Term::Number(0));
        let comparison = Comparison::Signed { left, right, bits: 64 };
        steps.push(Step::Compare { field: 0, comparison });
    }
    Ok(steps)
}

fn value(cell: &mut Cell<'_>, to: &Register, compute: Compute) -> Parsed<Term> {
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
            let shifted = match shift {
                Shift::ArithmeticRight => return Ok(shift.apply(from, by, bits)),
                // By less than the width, so that the result can be computed.
                Shift::Left => {
                    let width = Term::Number(Value::from(bits));
                    let rest = Term::binary(BinaryOp::Rem, by.clone(), width.clone());
                    let inside = Term::binary(BinaryOp::Lt, by, width);
                    Term::binary(BinaryOp::Mul, inside, shift.apply(from, rest, bits))
                }
                Shift::LogicalRight | Shift::Rotate => shift.apply(from, by, bits),
            };
            Ok(shifted.unsigned(bits))
        }
        Compute::Rotate(rotate) => rotated(cell, to, rotate),
        Compute::ConditionRegister => Ok(condition_register()),
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

/// A register rotated left, and of that the bits from one to another, counted from the highest; they
/// may wrap around.
fn rotated(cell: &mut Cell<'_>, to: &Register, rotate: Rotate) -> Parsed<Term> {
    let Rotate { bits, by, first, last, inserts } = rotate;
    let greatest = Value::from(bits - 1);
    let from = term(cell.register()?.with_bits(bits));
    let mut next = |given: Option<u8>| {
        if let Some(bit) = given {
            return Ok(Value::from(bit));
        }
        cell.comma()?;
        cell.number_up_to(greatest)
    };
    let by = if by { next(None)? } else { 0 };
    let (first, last) = (next(first)?, next(last)?);
    let rotated =
        Shift::Rotate.apply(from, Term::Number((greatest + 1 - by) % (greatest + 1)), bits);
    let rotated = rotated.unsigned(bits);
    // From the highest bit of 64 on, `rlwinm` rotates the lower word in both halves.
    let high = 64 - Value::from(bits);
    let (all, mask) = match first <= last {
        true => (rotated, run(first + high, last + high)),
        false if bits == 64 => (rotated, run(first, 63) | run(0, last)),
        false => {
            let copy = Term::binary(BinaryOp::Shl, rotated.clone(), Term::Number(32));
            let both = Term::binary(BinaryOp::BitOr, copy, rotated);
            (both, run(first + high, 63) | run(0, last + high))
        }
    };
    let taken = Term::binary(BinaryOp::BitAnd, all, Term::Number(mask));
    if !inserts {
        return Ok(taken);
    }
    let kept = Term::Number(signed(64).wrap(!mask));
    let kept = Term::binary(BinaryOp::BitAnd, term(to.clone()), kept);
    Ok(Term::binary(BinaryOp::BitOr, kept, taken))
}

/// The bits from one to another of a doubleword, counted from the highest.
const fn run(first: Value, last: Value) -> Value {
    ((1 << (last - first + 1)) - 1) << (63 - last)
}

/// All fields of the condition register: less, greater, equal, and no overflow.
fn condition_register() -> Term {
    let bit = |field: u8, code: Code, negated: bool, place: u8| {
        let condition = Condition { flag: Flag { field, code }, negated };
        let by = Term::Number(Value::from(28 - 4 * field + place));
        Term::binary(BinaryOp::Shl, Term::Condition(condition), by)
    };
    let bits = (0..8).flat_map(|field| {
        [
            bit(field, Code::Less, false, 3),
            bit(field, Code::LessOrEqual, true, 2),
            bit(field, Code::Equal, false, 1),
        ]
    });
    bits.reduce(|all, bit| Term::binary(BinaryOp::BitOr, all, bit)).unwrap_or(Term::Number(0))
}
