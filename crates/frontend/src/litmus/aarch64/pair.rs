//! Reading A64 accesses to two registers.
//!
//! `LDP`, `STP` and their kin are two accesses, each single-copy atomic, in no order (DDI 0487,
//! B2.2.1; without `FEAT_LSE2`, which makes aligned ones atomic as a whole). `LDIAPP` and `STILP`
//! are two in order, each an acquire or a release. Exclusive accesses and `CASP` are one access to
//! the bytes of both: of 64 bits for two `W` registers, of 128 for two `X` registers, the first being the lower
//! half.

use program::{Diagnostic, Order, Value};

use super::super::arm::addressing::{address, simple_address};
use super::super::load_store::halves::{self, both, halves, together};
use super::super::load_store::syntax::{Change, Extension, Memory, Register, Status, Step, Term};
use super::super::load_store::{Cell, term};
use super::compute::sized_register;
use super::memory::full;
use crate::token::Parsed;

/// An access to two registers, its operands aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pair {
    /// Each of this many bits, or as many as the registers have.
    Load {
        bits: Option<u8>,
        extension: Extension,
        order: Order,
    },
    Store {
        order: Order,
    },
    LoadExclusive {
        order: Order,
    },
    StoreExclusive {
        order: Order,
    },
    CompareAndSwap {
        order: Order,
    },
}

const fn load(order: Order) -> Pair {
    Pair::Load { bits: None, extension: Extension::Zero, order }
}

pub(super) const PAIRS: [(&str, Pair); 15] = [
    ("ldp", load(Order::Plain)),
    ("ldnp", load(Order::Plain)),
    ("ldiapp", load(Order::Acquire)),
    ("ldpsw", Pair::Load { bits: Some(32), extension: Extension::Sign, order: Order::Plain }),
    ("stp", Pair::Store { order: Order::Plain }),
    ("stnp", Pair::Store { order: Order::Plain }),
    ("stilp", Pair::Store { order: Order::Release }),
    ("ldxp", Pair::LoadExclusive { order: Order::Plain }),
    ("ldaxp", Pair::LoadExclusive { order: Order::SeqCst }),
    ("stxp", Pair::StoreExclusive { order: Order::Plain }),
    ("stlxp", Pair::StoreExclusive { order: Order::Release }),
    ("casp", Pair::CompareAndSwap { order: Order::Plain }),
    ("caspa", Pair::CompareAndSwap { order: Order::Acquire }),
    ("caspl", Pair::CompareAndSwap { order: Order::Release }),
    ("caspal", Pair::CompareAndSwap { order: Order::AcquireRelease }),
];

const POINTER_BITS: u8 = 64;

pub(super) fn steps(cell: &mut Cell<'_>, pair: Pair) -> Parsed<Vec<Step>> {
    match pair {
        Pair::Load { bits, extension, order } => loads(cell, bits, extension, order),
        Pair::Store { order } => {
            let (first, second) = registers(cell)?;
            let bits = first.bits().unwrap_or(64);
            let addressing = address(cell, POINTER_BITS)?;
            let at = addressing.address.clone();
            let store = |address: Term, from: &Register| Step::Store {
                memory: Memory { address, bits, order },
                value: term(from.clone()),
            };
            let next = at.clone().plus(Value::from(bits / 8));
            let written_back = addressing.write_back(cell, None)?;
            let mut steps = vec![store(at, &first), store(next, &second)];
            // `STILP` that writes back pushes onto a stack: the upper half comes first.
            if order != Order::Plain && written_back.is_some() {
                steps.reverse();
            }
            steps.extend(written_back);
            Ok(steps)
        }
        Pair::LoadExclusive { order } => {
            let (first, second) = registers(cell)?;
            let memory = of_both(cell, &first, order)?;
            let to = both(&first, &second);
            let load =
                Step::Load { to: to.clone(), extension: Extension::Zero, memory, exclusive: true };
            Ok([load].into_iter().chain(halves(&to, &first, &second)).collect())
        }
        Pair::StoreExclusive { order } => {
            let status = Status::Register(sized_register(cell, 32)?);
            cell.comma()?;
            let (first, second) = registers(cell)?;
            let memory = of_both(cell, &first, order)?;
            let value = together(&first, &second);
            Ok(vec![Step::StoreExclusive { status, memory, value }])
        }
        Pair::CompareAndSwap { order } => {
            let (first, second) = registers(cell)?;
            let low = sized_register(cell, first.bits().unwrap_or(64))?;
            cell.comma()?;
            let high = sized_register(cell, first.bits().unwrap_or(64))?;
            cell.comma()?;
            let memory = of_both(cell, &first, order)?;
            let expected = together(&first, &second);
            let change = Change::CompareAndSwap { expected, new: together(&low, &high) };
            let result = both(&first, &second);
            let update =
                Step::Update { result: result.clone(), extension: Extension::Zero, memory, change };
            Ok([update].into_iter().chain(halves(&result, &first, &second)).collect())
        }
    }
}

fn loads(
    cell: &mut Cell<'_>,
    bits: Option<u8>,
    extension: Extension,
    order: Order,
) -> Parsed<Vec<Step>> {
    let (first, second) = registers(cell)?;
    let bits = bits.or(first.bits()).unwrap_or(64);
    let addressing = address(cell, POINTER_BITS)?;
    let at = addressing.address.clone();
    let base_lost = at.mentions(&first);
    let load = |address: Term, to: &Register| Step::Load {
        to: to.clone(),
        extension,
        memory: Memory { address, bits, order },
        exclusive: false,
    };
    let next = at.clone().plus(Value::from(bits / 8));
    let is_loaded = first == second && matches!(first, Register::Named { .. });
    if is_loaded || base_lost && order != Order::Plain {
        let error = Diagnostic::new(cell.span(), "these registers cannot be loaded together");
        return cell.fail(error.help("load other registers than that of the address, each once"));
    }
    let written_back = addressing.write_back(cell, Some(&first))?;
    let mut steps = vec![load(at, &first), load(next, &second)];
    if base_lost {
        // The address is needed once more; the two loads have no order.
        steps.reverse();
    }
    steps.extend(written_back);
    Ok(steps)
}

/// Two registers of one width, and the comma after them.
fn registers(cell: &mut Cell<'_>) -> Parsed<(Register, Register)> {
    let first = full(&cell.register_and_comma()?);
    let second = sized_register(cell, first.bits().unwrap_or(64))?;
    cell.comma()?;
    Ok((first, second))
}

/// The memory that an access to both of two registers covers, one of which is this.
fn of_both(cell: &mut Cell<'_>, first: &Register, order: Order) -> Parsed<Memory> {
    let bits = halves::bits(first);
    Ok(Memory { address: simple_address(cell, POINTER_BITS)?, bits, order })
}
