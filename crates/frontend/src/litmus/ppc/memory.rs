//! Reading Power's loads and stores, those with reservation included.

use program::{BinaryOp, Diagnostic, Order};

use super::super::lex::Kind;
use super::super::load_store::syntax::{Extension, Memory, Register, Status, Step, Term};
use super::super::load_store::{Cell, term};
use super::is_zero_as_base;
use super::mnemonic::{Form, Operation};
use crate::token::Parsed;

const INDEXED: Form = Form { indexed: true, updates: false };

/// The steps of a load or a store; nothing for anything else.
pub(super) fn steps(cell: &mut Cell<'_>, operation: Operation) -> Parsed<Vec<Step>> {
    match operation {
        Operation::Load { bits, extension, form } => {
            let to = sized(cell.register_and_comma()?, bits);
            let (address, base) = address(cell, form)?;
            let update = update(cell, form, base, &address, Some(&to))?;
            let memory = Memory { address, bits, order: Order::Plain };
            let load = Step::Load { to, extension, memory, exclusive: false };
            Ok([load].into_iter().chain(update).collect())
        }
        Operation::Store { bits, form } => {
            let value = term(sized(cell.register_and_comma()?, bits));
            let (address, base) = address(cell, form)?;
            let update = update(cell, form, base, &address, None)?;
            let memory = Memory { address, bits, order: Order::Plain };
            Ok([Step::Store { memory, value }].into_iter().chain(update).collect())
        }
        Operation::LoadReserve { bits } => {
            let to = sized(cell.register_and_comma()?, bits);
            let (address, _) = address(cell, INDEXED)?;
            let memory = Memory { address, bits, order: Order::Plain };
            Ok(vec![Step::Load { to, extension: Extension::Zero, memory, exclusive: true }])
        }
        Operation::StoreConditional { bits } => {
            let value = term(sized(cell.register_and_comma()?, bits));
            let (address, _) = address(cell, INDEXED)?;
            let memory = Memory { address, bits, order: Order::Plain };
            Ok(vec![Step::StoreExclusive { status: Status::Flags, memory, value }])
        }
        Operation::Compute(_)
        | Operation::Compare { .. }
        | Operation::Fence(_)
        | Operation::Jump
        | Operation::Branch(_)
        | Operation::Return
        | Operation::Nothing
        | Operation::Cache
        | Operation::Refused(_) => Ok(Vec::new()),
    }
}

/// `r1,r2`, an address that nothing is read or written at.
pub(super) fn indexed_address(cell: &mut Cell<'_>) -> Parsed<Term> {
    address(cell, INDEXED).map(|(address, _)| address)
}

/// A doubleword needs the whole of a 64-bit register; anything less does not say.
fn sized(register: Register, bits: u8) -> Register {
    if bits == 64 { register.with_bits(64) } else { register }
}

/// `4(r1)` or `r1,r2`, and the base register.
fn address(cell: &mut Cell<'_>, form: Form) -> Parsed<(Term, Option<Register>)> {
    if !form.indexed {
        let displacement = if cell.peek().kind == Kind::OpenParen { 0 } else { cell.number()? };
        cell.expect(Kind::OpenParen, "`(` and the base register")?;
        let base = cell.register()?;
        cell.expect(Kind::CloseParen, "`)`")?;
        return Ok((base_value(&base).plus(displacement), Some(base)));
    }
    // `lwzx r1,0,r2` has no base.
    let base = if cell.at_register() {
        Some(cell.register()?)
    } else {
        cell.number_up_to(0)?;
        None
    };
    cell.comma()?;
    let index = cell.value()?;
    let start = base.as_ref().map_or(Term::Number(0), base_value);
    if start == Term::Number(0) {
        return Ok((index, base));
    }
    Ok((Term::binary(BinaryOp::Add, start, index), base))
}

fn base_value(base: &Register) -> Term {
    if is_zero_as_base(base) { Term::Number(0) } else { term(base.clone()) }
}

/// What an access with update writes back.
fn update(
    cell: &mut Cell<'_>,
    form: Form,
    base: Option<Register>,
    address: &Term,
    loaded: Option<&Register>,
) -> Parsed<Option<Step>> {
    if !form.updates {
        return Ok(None);
    }
    let overwritten = loaded.is_some_and(|loaded| address.mentions(loaded));
    let Some(to) = base.filter(|base| !is_zero_as_base(base) && !overwritten) else {
        let message = "this base register cannot be updated";
        return cell.fail(Diagnostic::new(cell.span(), message).help("use another register"));
    };
    Ok(Some(Step::Assign { to, value: address.clone() }))
}
