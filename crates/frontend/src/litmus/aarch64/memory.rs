//! Reading A64 loads and stores, exclusive ones included.

use super::super::arm::addressing::{Addressing, address, simple_address};
use super::super::load_store::syntax::{Extension, Memory, Register, Status, Step};
use super::super::load_store::{Cell, term};
use super::compute::sized_register;
use super::mnemonic::{Addresses, Operation};
use crate::token::Parsed;

const POINTER_BITS: u8 = 64;

/// The steps of a load or a store; nothing for anything else.
pub(super) fn steps(cell: &mut Cell<'_>, operation: Operation) -> Parsed<Vec<Step>> {
    match operation {
        Operation::Load { bits, extension, order, addresses } => {
            let to = full(&cell.register_and_comma()?);
            let bits = access_bits(bits, &to);
            let addressing = any_address(cell, addresses)?;
            let memory = Memory { address: addressing.address.clone(), bits, order };
            let written_back = addressing.write_back(cell, Some(&to))?;
            let load = Step::Load { to, extension, memory, exclusive: false };
            Ok([load].into_iter().chain(written_back).collect())
        }
        Operation::LoadExclusive { bits, order } => {
            let to = full(&cell.register_and_comma()?);
            let bits = access_bits(bits, &to);
            let memory = Memory { address: simple_address(cell, POINTER_BITS)?, bits, order };
            Ok(vec![Step::Load { to, extension: Extension::Zero, memory, exclusive: true }])
        }
        Operation::Store { bits, order, addresses } => {
            let from = full(&cell.register_and_comma()?);
            let bits = access_bits(bits, &from);
            let addressing = any_address(cell, addresses)?;
            let memory = Memory { address: addressing.address.clone(), bits, order };
            let written_back = addressing.write_back(cell, None)?;
            let store = Step::Store { memory, value: term(from) };
            Ok([store].into_iter().chain(written_back).collect())
        }
        Operation::StoreExclusive { bits, order } => {
            let status = Status::Register(sized_register(cell, 32)?);
            cell.comma()?;
            let from = full(&cell.register_and_comma()?);
            let bits = access_bits(bits, &from);
            let memory = Memory { address: simple_address(cell, POINTER_BITS)?, bits, order };
            Ok(vec![Step::StoreExclusive { status, memory, value: term(from) }])
        }
        Operation::Compute(_)
        | Operation::Atomic { .. }
        | Operation::Pair(_)
        | Operation::Control(_)
        | Operation::Nothing
        | Operation::Refused(..) => Ok(Vec::new()),
    }
}

/// A register that does not say how wide it is, a symbolic one, is used as a whole.
pub(super) fn full(register: &Register) -> Register {
    let bits = register.bits().unwrap_or(64);
    register.with_bits(bits)
}

/// How wide an access is: as the mnemonic says, or else as the register is.
pub(super) fn access_bits(bits: Option<u8>, register: &Register) -> u8 {
    bits.or(register.bits()).unwrap_or(64)
}

fn any_address(cell: &mut Cell<'_>, addresses: Addresses) -> Parsed<Addressing> {
    match addresses {
        Addresses::All => address(cell, POINTER_BITS),
        Addresses::Simple => {
            Ok(Addressing { address: simple_address(cell, POINTER_BITS)?, write_back: None })
        }
    }
}
