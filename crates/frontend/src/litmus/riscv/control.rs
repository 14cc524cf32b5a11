//! Reading RISC-V's conditional branches.

use super::super::load_store::Cell;
use super::super::load_store::syntax::{Flow, Term};
use super::mnemonic::Branch;
use crate::token::Parsed;

pub(super) fn branch(cell: &mut Cell<'_>, branch: Branch) -> Parsed<Flow> {
    let left = cell.value()?;
    cell.comma()?;
    let right = if branch.with_zero {
        Term::Number(0)
    } else {
        let right = cell.value()?;
        cell.comma()?;
        right
    };
    let (left, right) =
        if branch.is_unsigned { (left.unsigned(64), right.unsigned(64)) } else { (left, right) };
    Ok(Flow::Branch(Term::binary(branch.op, left, right), cell.label()?))
}
