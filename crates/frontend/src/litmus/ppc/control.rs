//! Reading Power's comparisons and conditional branches.

use super::super::arm::numbered;
use super::super::lex::Kind;
use super::super::load_store::syntax::{Comparison, Condition, Flag, Flow, Step, Term};
use super::super::load_store::{Cell, term};
use crate::token::Parsed;

/// `cr1,` before the operands, if it is there; otherwise `cr0`.
fn field(cell: &mut Cell<'_>) -> Parsed<u8> {
    let text = cell.peek().text.to_ascii_lowercase();
    match text.strip_prefix("cr").and_then(|digits| numbered(digits, 7)) {
        Some(field) => {
            cell.advance();
            cell.comma()?;
            Ok(field)
        }
        None => Ok(0),
    }
}

pub(super) fn compare(
    cell: &mut Cell<'_>,
    bits: u8,
    is_unsigned: bool,
    immediate: bool,
) -> Parsed<Step> {
    let field = field(cell)?;
    let left = term(cell.register_and_comma()?.with_bits(bits));
    let right = if immediate {
        Term::Number(cell.number()?)
    } else {
        term(cell.register()?.with_bits(bits))
    };
    let comparison = if is_unsigned {
        Comparison::Unsigned { left, right, bits }
    } else {
        Comparison::Signed { left, right, bits }
    };
    Ok(Step::Compare { field, comparison })
}

/// The operands of a branch, whose mnemonic may end with a hint: `bne- cr1,L`.
pub(super) fn branch(cell: &mut Cell<'_>, condition: Condition) -> Parsed<Flow> {
    if !cell.eat(Kind::Minus) {
        cell.eat(Kind::Plus);
    }
    let flag = Flag { field: field(cell)?, ..condition.flag };
    let condition = Condition { flag, ..condition };
    Ok(Flow::Branch(Term::Condition(condition), cell.label()?))
}
