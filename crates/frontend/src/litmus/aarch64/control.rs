//! Reading A64 branches.

use program::BinaryOp;

use super::super::load_store::Cell;
use super::super::load_store::syntax::{Flow, Term};
use super::mnemonic::Control;
use crate::token::Parsed;

pub(super) fn flow(cell: &mut Cell<'_>, control: Control) -> Parsed<Flow> {
    let compare = |negated: bool, value: Term| {
        let op = if negated { BinaryOp::Ne } else { BinaryOp::Eq };
        Term::binary(op, value, Term::Number(0))
    };
    match control {
        Control::Branch => Ok(Flow::Jump(cell.label()?)),
        Control::Return => Ok(Flow::Return),
        Control::IfZero { negated } => {
            let value = cell.value()?;
            cell.comma()?;
            Ok(Flow::Branch(compare(negated, value), cell.label()?))
        }
        Control::IfBit { negated } => {
            let value = cell.value()?;
            cell.comma()?;
            let bit = cell.number_up_to(63)?;
            cell.comma()?;
            let shifted = Term::binary(BinaryOp::Shr, value, Term::Number(bit));
            let bit = Term::binary(BinaryOp::BitAnd, shifted, Term::Number(1));
            Ok(Flow::Branch(compare(negated, bit), cell.label()?))
        }
    }
}
