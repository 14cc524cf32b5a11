//! Reading the operands of A32 instructions.

use program::{BinaryOp, UnaryOp};

use super::super::lex::Kind;
use super::super::load_store::Cell;
use super::super::load_store::syntax::{Comparison, Flow, Line, Register, Rest, Step, Term};
use super::mnemonic::{self, Compared, Mnemonic, Operation};
use super::{barrier, memory, shift};
use crate::token::Parsed;

const BITS: u8 = 32;

pub(super) fn line(cell: &mut Cell<'_>) -> Parsed<Line> {
    let word = cell.mnemonic()?;
    if let Some(line) = barrier::line(&word, barrier::Set::A32, cell) {
        return line;
    }
    let Some(mnemonic) = mnemonic::find(&word) else { return cell.unknown() };
    let flow = match mnemonic.operation {
        Operation::Branch => {
            let target = cell.label()?;
            match mnemonic.condition {
                Some(condition) => Flow::Branch(Term::Condition(condition), target),
                None => Flow::Jump(target),
            }
        }
        Operation::BranchIfZero { negated } => {
            let value = cell.value()?;
            cell.comma()?;
            let op = if negated { BinaryOp::Ne } else { BinaryOp::Eq };
            Flow::Branch(Term::binary(op, value, Term::Number(0)), cell.label()?)
        }
        Operation::Return => {
            if !cell.eat_word("LR") || mnemonic.condition.is_some() {
                return cell.unexpected("`BX LR`, the end of the thread");
            }
            Flow::Return
        }
        Operation::Refused(what, help) => return cell.unsupported(what, help),
        Operation::Move { .. }
        | Operation::MoveTop
        | Operation::Arithmetic { .. }
        | Operation::Shift(_)
        | Operation::Compare(_)
        | Operation::Load { .. }
        | Operation::Store { .. }
        | Operation::StoreExclusive { .. }
        | Operation::Several(_)
        | Operation::Nothing => {
            let steps = steps(cell, mnemonic)?;
            return Ok(Line { guard: mnemonic.condition, ..Line::new(steps, cell.span()) });
        }
    };
    Ok(Line::leading(flow, cell.span()))
}

fn steps(cell: &mut Cell<'_>, mnemonic: Mnemonic) -> Parsed<Vec<Step>> {
    match mnemonic.operation {
        Operation::Move { complement } => {
            let to = cell.register_and_comma()?;
            let value = complemented(operand(cell)?, complement);
            Ok(computed(to, value, mnemonic.sets_flags))
        }
        Operation::MoveTop => {
            let to = cell.register_and_comma()?;
            let top = cell.number_up_to(0xffff)?;
            let low =
                Term::binary(BinaryOp::BitAnd, Term::Register(to.clone()), Term::Number(0xffff));
            let value = Term::binary(BinaryOp::BitOr, low, Term::Number(top << 16));
            Ok(computed(to, value, false))
        }
        Operation::Arithmetic { op, complement, reverse } => {
            let (to, left, right) = three(cell)?;
            let right = complemented(right, complement);
            let (left, right) = if reverse { (right, left) } else { (left, right) };
            let value = Term::binary(op, left.clone(), right.clone());
            let comparison = if op == BinaryOp::Sub {
                Some(Comparison::Signed { left, right, bits: BITS })
            } else if op == BinaryOp::Add {
                Some(Comparison::Sum { left, right, bits: BITS })
            } else {
                None
            };
            let mut steps = computed(to, value, mnemonic.sets_flags);
            if let (true, Some(comparison)) = (mnemonic.sets_flags, comparison) {
                steps[0] = Step::Compare { field: 0, comparison };
            }
            Ok(steps)
        }
        Operation::Shift(shift) => {
            let to = cell.register_and_comma()?;
            let first = cell.register();
            let value = super::super::load_store::term(first?);
            cell.comma()?;
            let by = shift::amount(cell, BITS)?;
            Ok(computed(to, shift.apply(value, by, BITS), mnemonic.sets_flags))
        }
        Operation::Compare(compared) => {
            let left = cell.value()?;
            cell.comma()?;
            let right = operand(cell)?;
            let bits = BITS;
            let result = |op, left, right| bits_of(Term::binary(op, left, right));
            let comparison = match compared {
                Compared::Difference => Comparison::Signed { left, right, bits },
                Compared::Sum => Comparison::Sum { left, right, bits },
                Compared::And => result(BinaryOp::BitAnd, left, right),
                Compared::ExclusiveOr => result(BinaryOp::BitXor, left, right),
            };
            Ok(vec![Step::Compare { field: 0, comparison }])
        }
        Operation::Load { .. }
        | Operation::Store { .. }
        | Operation::StoreExclusive { .. }
        | Operation::Several(_) => memory::steps(cell, mnemonic.operation),
        Operation::Nothing
        | Operation::Branch
        | Operation::BranchIfZero { .. }
        | Operation::Return
        | Operation::Refused(..) => Ok(Vec::new()),
    }
}

/// `R1,R2,R3`, or `R1,R3` for `R1,R1,R3`; the last is any operand.
fn three(cell: &mut Cell<'_>) -> Parsed<(Register, Term, Term)> {
    let to = cell.register_and_comma()?;
    if !cell.at_register() || cell.peek_at(1).kind != Kind::Comma && !symbolic_first(cell) {
        let right = operand(cell)?;
        return Ok((to.clone(), Term::Register(to), right));
    }
    let left = cell.value()?;
    cell.comma()?;
    Ok((to, left, operand(cell)?))
}

/// Whether a symbolic register comes next that is not the last operand.
fn symbolic_first(cell: &Cell<'_>) -> bool {
    cell.peek().kind == Kind::Percent && cell.peek_at(2).kind == Kind::Comma
}

/// `#1`, `R1` or `R1,LSL #2`.
fn operand(cell: &mut Cell<'_>) -> Parsed<Term> {
    if cell.at_word_or_register() {
        let value = cell.value()?;
        return shift::shifted(cell, value, BITS);
    }
    Ok(Term::Number(cell.number()?))
}

fn complemented(value: Term, complement: bool) -> Term {
    if complement { Term::Unary(UnaryOp::BitNot, Box::new(value)) } else { value }
}

/// Flags are computed from the operands before the destination overwrites one of them.
fn computed(to: Register, value: Term, sets_flags: bool) -> Vec<Step> {
    let mut steps = Vec::new();
    if sets_flags {
        let comparison = bits_of(value.clone());
        steps.push(Step::Compare { field: 0, comparison });
    }
    steps.push(Step::Assign { to, value });
    steps
}

fn bits_of(value: Term) -> Comparison {
    Comparison::Bits { value, bits: BITS, rest: Rest::Kept }
}
