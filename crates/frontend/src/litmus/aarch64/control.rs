//! Reading A64 branches.

use program::BinaryOp;

use super::super::load_store::syntax::{Flow, Register, Term};
use super::super::load_store::{Cell, term};
use super::compute::sized_register;
use super::mnemonic::Control;
use crate::token::Parsed;

/// The register that a call leaves the address of the next instruction in.
fn link() -> Register {
    Register::Named { whole: "X30".to_owned(), bits: Some(64) }
}

pub(super) fn flow(cell: &mut Cell<'_>, control: Control) -> Parsed<Flow> {
    let compare = |negated: bool, value: Term| {
        let op = if negated { BinaryOp::Ne } else { BinaryOp::Eq };
        Term::binary(op, value, Term::Number(0))
    };
    match control {
        Control::Branch => Ok(Flow::Jump(cell.label()?)),
        Control::Return => {
            let address = if cell.is_at_end() { link() } else { sized_register(cell, 64)? };
            Ok(Flow::Computed { address: term(address), link: None })
        }
        Control::Call => Ok(Flow::Call { link: link(), to: cell.label()? }),
        Control::To { links } => {
            let address = term(sized_register(cell, 64)?);
            Ok(Flow::Computed { address, link: links.then(link) })
        }
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
