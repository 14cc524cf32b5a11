//! Reading A32 accesses to several registers.
//!
//! `LDRD`, `STRD`, `LDM` and `STM` are one access of 32 bits for each register, in no order (DDI 0406C, A3.5.3;
//! without the large physical address extension, which makes aligned ones of two registers atomic as a whole).
//! `LDREXD` and `STREXD` are one access to the 64 bits of both. Of several registers the lowest is at the
//! lowest address.

use program::{Diagnostic, Order, Value};

use super::super::lex::Kind;
use super::super::load_store::Cell;
use super::super::load_store::halves::{halves, together};
use super::super::load_store::syntax::{Extension, Memory, Register, Status, Step, Term};
use super::super::load_store::term;
use super::addressing::{address, simple_address};
use crate::token::Parsed;

/// An access to several registers, its operands aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Several {
    LoadPair,
    StorePair,
    LoadExclusivePair {
        order: Order,
    },
    StoreExclusivePair {
        order: Order,
    },
    /// `LDM` or `STM`: at the address and above it, or below; without the address itself if it is changed
    /// before each access.
    Multiple {
        loads: bool,
        upward: bool,
        before: bool,
    },
    Push,
    Pop,
}

const BITS: u8 = 32;
const BYTES: Value = 4;

pub(super) fn steps(cell: &mut Cell<'_>, several: Several) -> Parsed<Vec<Step>> {
    match several {
        Several::LoadPair | Several::StorePair => {
            let (first, second) = pair(cell)?;
            let addressing = address(cell, BITS)?;
            let accesses = [
                (first.clone(), addressing.address.clone()),
                (second.clone(), addressing.address.clone().plus(BYTES)),
            ];
            let loads = several == Several::LoadPair;
            if loads {
                if first == second {
                    return not_together(cell);
                }
                if let Some((_, value)) = &addressing.write_back
                    && value.mentions(&second)
                {
                    return not_together(cell);
                }
            }
            let written_back = addressing.write_back(cell, loads.then_some(&first))?;
            let mut steps = each(loads, accesses.into());
            steps.extend(written_back);
            Ok(steps)
        }
        Several::LoadExclusivePair { order } => {
            let (first, second) = pair(cell)?;
            if first == second {
                return not_together(cell);
            }
            let memory = Memory { address: simple_address(cell, BITS)?, bits: 64, order };
            let to = Register::Named { whole: "both".to_owned(), bits: Some(64) };
            let load =
                Step::Load { to: to.clone(), extension: Extension::Zero, memory, exclusive: true };
            Ok([load].into_iter().chain(halves(&to, &first, &second)).collect())
        }
        Several::StoreExclusivePair { order } => {
            let status = Status::Register(cell.register_and_comma()?);
            let (first, second) = pair(cell)?;
            let memory = Memory { address: simple_address(cell, BITS)?, bits: 64, order };
            Ok(vec![Step::StoreExclusive { status, memory, value: together(&first, &second) }])
        }
        Several::Multiple { loads, upward, before } => {
            let base = cell.register()?;
            let writes_back = cell.eat(Kind::Bang);
            cell.comma()?;
            multiple(cell, &base, writes_back, (loads, upward, before))
        }
        Several::Push => multiple(cell, &stack(), true, (false, false, true)),
        Several::Pop => multiple(cell, &stack(), true, (true, true, false)),
    }
}

fn stack() -> Register {
    Register::Named { whole: "R13".to_owned(), bits: Some(BITS) }
}

/// `{R1,R3-R5}` at a register.
fn multiple(
    cell: &mut Cell<'_>,
    base: &Register,
    writes_back: bool,
    (loads, upward, before): (bool, bool, bool),
) -> Parsed<Vec<Step>> {
    let registers = list(cell)?;
    if loads && writes_back && registers.contains(base) {
        return not_together(cell);
    }
    let size = BYTES * Value::try_from(registers.len()).unwrap_or(Value::MAX);
    let lowest = match (upward, before) {
        (true, false) => 0,
        (true, true) => BYTES,
        (false, false) => BYTES - size,
        (false, true) => -size,
    };
    let start = term(base.clone());
    let addresses = (0..).map(|place| start.clone().plus(lowest + place * BYTES));
    let mut steps = each(loads, registers.into_iter().zip(addresses).collect());
    if writes_back {
        let value = start.plus(if upward { size } else { -size });
        steps.push(Step::Assign { to: base.clone(), value });
    }
    Ok(steps)
}

/// The registers between braces, in the order of their numbers.
fn list(cell: &mut Cell<'_>) -> Parsed<Vec<Register>> {
    cell.expect(Kind::OpenBrace, "registers, as in `{R1,R2}`")?;
    let mut numbers: Vec<u8> = Vec::new();
    loop {
        let first = number(cell)?;
        let last = if cell.eat(Kind::Minus) { number(cell)? } else { first };
        if numbers.last().is_some_and(|before| *before >= first) || last < first {
            let error = Diagnostic::new(cell.span(), "these registers are not in ascending order");
            return cell.fail(error);
        }
        numbers.extend(first..=last);
        if !cell.eat(Kind::Comma) {
            break;
        }
    }
    cell.expect(Kind::CloseBrace, "`,` or `}`")?;
    let register = |number| Register::Named { whole: format!("R{number}"), bits: Some(BITS) };
    Ok(numbers.into_iter().map(register).collect())
}

/// The number of a register. A symbolic one has none, so there is no order.
fn number(cell: &mut Cell<'_>) -> Parsed<u8> {
    let span = cell.peek().span;
    if let Register::Named { whole, .. } = cell.register()?
        && let Some(number) = whole.strip_prefix('R').and_then(|digits| digits.parse().ok())
    {
        return Ok(number);
    }
    cell.fail(Diagnostic::new(span, "a symbolic register has no place in a list of registers"))
}

/// One access for each register; what an address is made of is loaded last.
fn each(loads: bool, accesses: Vec<(Register, Term)>) -> Vec<Step> {
    let memory = |address: Term| Memory { address, bits: BITS, order: Order::Plain };
    let (last, first): (Vec<_>, Vec<_>) =
        accesses.into_iter().partition(|(register, address)| loads && address.mentions(register));
    let access = |(register, address): (Register, Term)| {
        if loads {
            let memory = memory(address);
            Step::Load { to: register, extension: Extension::Zero, memory, exclusive: false }
        } else {
            Step::Store { memory: memory(address), value: term(register) }
        }
    };
    first.into_iter().chain(last).map(access).collect()
}

/// Two registers, and the comma after them.
fn pair(cell: &mut Cell<'_>) -> Parsed<(Register, Register)> {
    let first = cell.register_and_comma()?.with_bits(BITS);
    let second = cell.register_and_comma()?.with_bits(BITS);
    Ok((first, second))
}

fn not_together<T>(cell: &mut Cell<'_>) -> Parsed<T> {
    let error = Diagnostic::new(cell.span(), "these registers cannot be loaded together");
    cell.fail(error.help("load other registers than that of the address, each once"))
}
