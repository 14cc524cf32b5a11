//! Reading the single-instruction atomics of LSE.

use program::{Order, UnaryOp};

use super::super::arm::addressing::simple_address;
use super::super::load_store::syntax::{Change, Extension, Memory, Register, Step, Term};
use super::super::load_store::{Cell, term};
use super::compute::sized_register;
use super::memory::{access_bits, full};
use super::mnemonic::Atomic;
use crate::token::Parsed;

pub(super) fn steps(
    cell: &mut Cell<'_>,
    atomic: Atomic,
    bits: Option<u8>,
    order: Order,
) -> Parsed<Vec<Step>> {
    let first = full(&cell.register_and_comma()?);
    let register_bits = first.bits().unwrap_or(64);
    let bits = access_bits(bits, &first);
    let (result, change, order) = match atomic {
        Atomic::Swap => {
            let result = sized_register(cell, register_bits)?;
            cell.comma()?;
            let order = without_result(order, &result);
            (result, Change::Exchange(term(first)), order)
        }
        Atomic::CompareAndSwap => {
            let new = term(sized_register(cell, register_bits)?);
            cell.comma()?;
            let expected = narrowed(term(first.clone()), bits, register_bits);
            (first, Change::CompareAndSwap { expected, new }, order)
        }
        Atomic::Fetch { op, unsigned, complement, keeps_old } => {
            let result = if keeps_old {
                let result = sized_register(cell, register_bits)?;
                cell.comma()?;
                result
            } else {
                Register::Zero { bits: register_bits }
            };
            let operand = narrowed(term(first), bits, register_bits);
            let operand =
                if complement { Term::Unary(UnaryOp::BitNot, Box::new(operand)) } else { operand };
            let order = without_result(order, &result);
            let op = if unsigned { op.of_unsigned(bits) } else { op };
            (result, Change::Fetch(op, operand), order)
        }
    };
    let memory = Memory { address: simple_address(cell, 64)?, bits, order };
    Ok(vec![Step::Update { result, extension: Extension::Zero, memory, change }])
}

/// An atomic whose result nobody gets is no acquire.
fn without_result(order: Order, result: &Register) -> Order {
    match (result, order) {
        (Register::Zero { .. }, Order::Acquire) => Order::Plain,
        (Register::Zero { .. }, Order::AcquireRelease) => Order::Release,
        (Register::Zero { .. } | Register::Named { .. }, order) => order,
    }
}

/// The part of a register that an access compares or combines with memory.
fn narrowed(value: Term, bits: u8, register_bits: u8) -> Term {
    if bits < register_bits {
        Term::Cast(super::super::machine::signed(bits), Box::new(value))
    } else {
        value
    }
}
