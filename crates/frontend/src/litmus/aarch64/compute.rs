//! Reading A64 instructions on registers.

use program::{BinaryOp, Diagnostic, UnaryOp, Value};

use super::super::arm::addressing::extended;
use super::super::arm::{condition, shift};
use super::super::lex::Kind;
use super::super::load_store::syntax::{Comparison, Condition, Register, Rest, Step, Term};
use super::super::load_store::{Cell, term};
use super::super::machine::{signed, unsigned};
use super::bits;
use super::mnemonic::{Compared, Compute, Otherwise};
use crate::token::Parsed;

pub(super) fn steps(cell: &mut Cell<'_>, operation: Compute) -> Parsed<Vec<Step>> {
    let first = cell.register()?;
    let bits = first.bits().unwrap_or(64);
    let assign = |value| Ok(vec![Step::Assign { to: first.with_bits(bits), value }]);
    match operation {
        Compute::Bits(what) => {
            let to = first.with_bits(bits);
            let value = bits::value(cell, &to, what, bits)?;
            assign(value)
        }
        Compute::CodeAddress => {
            cell.comma()?;
            assign(Term::Code(cell.label()?))
        }
        Compute::Move { complement } => {
            cell.comma()?;
            let value = operand(cell, bits)?;
            assign(if complement { Term::Unary(UnaryOp::BitNot, Box::new(value)) } else { value })
        }
        Compute::MoveKeep => {
            cell.comma()?;
            let part = cell.number_up_to(0xffff)?;
            let by = shift_of_immediate(cell)?;
            let kept = Term::Number(signed(bits).wrap(!(0xffff << by)));
            let kept = Term::binary(BinaryOp::BitAnd, term(first.clone()), kept);
            assign(Term::binary(BinaryOp::BitOr, kept, Term::Number(part << by)))
        }
        Compute::Negate => {
            cell.comma()?;
            assign(Term::Unary(UnaryOp::Neg, Box::new(operand(cell, bits)?)))
        }
        Compute::Arithmetic { op, complement, sets_flags } => {
            cell.comma()?;
            let left = register_of(cell, bits)?;
            cell.comma()?;
            let right = operand(cell, bits)?;
            let right =
                if complement { Term::Unary(UnaryOp::BitNot, Box::new(right)) } else { right };
            let value = Term::binary(op, left.clone(), right.clone());
            let comparison = if op == BinaryOp::Add {
                Comparison::Sum { left, right, bits }
            } else if op == BinaryOp::Sub {
                Comparison::Signed { left, right, bits }
            } else {
                Comparison::Bits { value: value.clone(), bits, rest: Rest::Cleared }
            };
            let flags = sets_flags.then_some(Step::Compare { field: 0, comparison });
            let to = first.with_bits(bits);
            Ok(flags.into_iter().chain([Step::Assign { to, value }]).collect())
        }
        Compute::Shift(shift) => {
            cell.comma()?;
            let value = register_of(cell, bits)?;
            cell.comma()?;
            let by = shift::amount(cell, bits)?;
            assign(shift.apply(value, by, bits))
        }
        Compute::Extend { bits: from, signed: is_signed } => {
            cell.comma()?;
            let source = cell.register()?;
            let int = if is_signed { signed(from) } else { unsigned(from) };
            // The lower half of a register is read as a signed number already.
            if is_signed && from == 32 {
                return assign(term(source.with_bits(32)));
            }
            assign(Term::Cast(int, Box::new(term(source))))
        }
        Compute::Compare(compared) => compare(cell, &first.with_bits(bits), compared, bits),
        Compute::Select(otherwise) => {
            cell.comma()?;
            let chosen = register_of(cell, bits)?;
            cell.comma()?;
            let other = changed(register_of(cell, bits)?, otherwise);
            cell.comma()?;
            let test = Term::Condition(named_condition(cell)?);
            assign(Term::Select(Box::new([test, chosen, other])))
        }
        Compute::Set { all_bits } => {
            cell.comma()?;
            let test = Term::Condition(named_condition(cell)?);
            let value = Term::Number(if all_bits { -1 } else { 1 });
            assign(Term::Select(Box::new([test, value, Term::Number(0)])))
        }
        Compute::ChangeIf(change) => {
            cell.comma()?;
            let value = register_of(cell, bits)?;
            cell.comma()?;
            let test = Term::Condition(named_condition(cell)?);
            assign(Term::Select(Box::new([test, changed(value.clone(), change), value])))
        }
    }
}

fn compare(
    cell: &mut Cell<'_>,
    left: &Register,
    compared: Compared,
    bits: u8,
) -> Parsed<Vec<Step>> {
    cell.comma()?;
    let left = term(left.clone());
    let right = operand(cell, bits)?;
    let comparison = match compared {
        Compared::Difference => Comparison::Signed { left, right, bits },
        Compared::Sum => Comparison::Sum { left, right, bits },
        Compared::And => {
            let value = Term::binary(BinaryOp::BitAnd, left, right);
            Comparison::Bits { value, bits, rest: Rest::Cleared }
        }
    };
    Ok(vec![Step::Compare { field: 0, comparison }])
}

fn changed(value: Term, change: Otherwise) -> Term {
    match change {
        Otherwise::Same => value,
        Otherwise::Increment => Term::binary(BinaryOp::Add, value, Term::Number(1)),
        Otherwise::Invert => Term::Unary(UnaryOp::BitNot, Box::new(value)),
        Otherwise::Negate => Term::Unary(UnaryOp::Neg, Box::new(value)),
    }
}

fn named_condition(cell: &mut Cell<'_>) -> Parsed<Condition> {
    match condition::find(&cell.peek().text.to_ascii_lowercase()) {
        Some(condition) => {
            cell.advance();
            Ok(condition)
        }
        None => cell.unexpected("a condition such as `EQ`"),
    }
}

/// A register of this width.
pub(super) fn sized_register(cell: &mut Cell<'_>, bits: u8) -> Parsed<Register> {
    let span = cell.peek().span;
    let register = cell.register()?;
    match register.bits() {
        Some(own) if own != bits => {
            let error = Diagnostic::new(span, format!("this register has {own} bits, not {bits}"));
            cell.fail(error.help("the width of all operands must be the same"))
        }
        Some(_) | None => Ok(register.with_bits(bits)),
    }
}

fn register_of(cell: &mut Cell<'_>, bits: u8) -> Parsed<Term> {
    Ok(term(sized_register(cell, bits)?))
}

/// `#1`, `#1,LSL #12`, `W1`, `W1,LSL #2`, or `W1,SXTW` for an operation on `X` registers.
fn operand(cell: &mut Cell<'_>, bits: u8) -> Parsed<Term> {
    if !cell.at_word_or_register() {
        let value = cell.number()?;
        return Ok(Term::Number(signed(bits).wrap(value << shift_of_immediate(cell)?)));
    }
    let span = cell.peek().span;
    let register = cell.register()?;
    let narrow = register.bits().is_some_and(|own| own < bits);
    let value = term(register.clone());
    if let Some(extended) = extended(cell, &value, narrow)? {
        return Ok(extended);
    }
    if register.bits().is_some_and(|own| own != bits) {
        let message = format!("this register has not {bits} bits");
        let help = "the width of all operands must be the same; `,SXTW` extends a `W` register";
        return cell.fail(Diagnostic::new(span, message).help(help));
    }
    shift::shifted(cell, value, bits)
}

/// `,LSL #12` after a number, if it is there.
fn shift_of_immediate(cell: &mut Cell<'_>) -> Parsed<Value> {
    let lsl = cell.peek_at(1).text.eq_ignore_ascii_case("lsl");
    if cell.peek().kind != Kind::Comma || !lsl {
        return Ok(0);
    }
    cell.advance();
    cell.advance();
    cell.number_up_to(48)
}
