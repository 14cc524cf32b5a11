//! Reading RISC-V's load-reserved, store-conditional and AMOs.

use program::Order;

use super::super::load_store::Cell;
use super::super::load_store::syntax::{Change, Extension, Memory, Status, Step, Term};
use super::super::machine::signed;
use super::memory::address;
use super::mnemonic::AtomicChange;
use crate::token::Parsed;

pub(super) fn load_reserved(cell: &mut Cell<'_>, bits: u8, order: Order) -> Parsed<Step> {
    let to = cell.register_and_comma()?;
    let memory = Memory { address: address(cell)?, bits, order };
    Ok(Step::Load { to, extension: Extension::Sign, memory, exclusive: true })
}

pub(super) fn store_conditional(cell: &mut Cell<'_>, bits: u8, order: Order) -> Parsed<Step> {
    let status = Status::Register(cell.register_and_comma()?);
    let value = cell.value()?;
    cell.comma()?;
    let memory = Memory { address: address(cell)?, bits, order };
    Ok(Step::StoreExclusive { status, memory, value })
}

pub(super) fn update(
    cell: &mut Cell<'_>,
    change: AtomicChange,
    bits: u8,
    order: Order,
) -> Parsed<Step> {
    let result = cell.register_and_comma()?;
    let operand = cell.value()?;
    cell.comma()?;
    let memory = Memory { address: address(cell)?, bits, order };
    let change = match change {
        AtomicChange::Swap => Change::Exchange(operand),
        AtomicChange::Fetch(op) => Change::Fetch(op, word(operand, bits)),
    };
    Ok(Step::Update { result, extension: Extension::Sign, memory, change })
}

/// The part of a register that an access of this width uses.
fn word(value: Term, bits: u8) -> Term {
    if bits == 64 { value } else { Term::Cast(signed(bits), Box::new(value)) }
}
