//! Reading the operands of A32 loads and stores.

use program::Order;

use super::super::load_store::Cell;
use super::super::load_store::syntax::{Memory, Status, Step};
use super::addressing::{Addressing, address, simple_address};
use super::mnemonic::Operation;
use super::several;
use crate::token::Parsed;

const POINTER_BITS: u8 = 32;

/// The steps of a load or a store; nothing for anything else.
pub(super) fn steps(cell: &mut Cell<'_>, operation: Operation) -> Parsed<Vec<Step>> {
    match operation {
        Operation::Load { bits, extension, order, exclusive } => {
            let to = cell.register_and_comma()?;
            let addressing = any_address(cell, order == Order::Plain && !exclusive)?;
            let memory = Memory { address: addressing.address.clone(), bits, order };
            let written_back = addressing.write_back(cell, Some(&to))?;
            let load = Step::Load { to, extension, memory, exclusive };
            Ok([load].into_iter().chain(written_back).collect())
        }
        Operation::Store { bits, order } => {
            let value = cell.value()?;
            cell.comma()?;
            let addressing = any_address(cell, order == Order::Plain)?;
            let memory = Memory { address: addressing.address.clone(), bits, order };
            let written_back = addressing.write_back(cell, None)?;
            Ok([Step::Store { memory, value }].into_iter().chain(written_back).collect())
        }
        Operation::StoreExclusive { bits, order } => {
            let status = Status::Register(cell.register_and_comma()?);
            let value = cell.value()?;
            cell.comma()?;
            let memory = Memory { address: simple_address(cell, POINTER_BITS)?, bits, order };
            Ok(vec![Step::StoreExclusive { status, memory, value }])
        }
        Operation::Several(several) => several::steps(cell, several),
        Operation::Move { .. }
        | Operation::MoveTop
        | Operation::Arithmetic { .. }
        | Operation::Shift(_)
        | Operation::Compare(_)
        | Operation::Branch
        | Operation::BranchIfZero { .. }
        | Operation::Return
        | Operation::Nothing
        | Operation::Refused(..) => Ok(Vec::new()),
    }
}

fn any_address(cell: &mut Cell<'_>, plain: bool) -> Parsed<Addressing> {
    if plain {
        return address(cell, POINTER_BITS);
    }
    Ok(Addressing { address: simple_address(cell, POINTER_BITS)?, write_back: None })
}
