//! Reading RISC-V's loads and stores.

use program::Order;

use super::super::lex::Kind;
use super::super::load_store::Cell;
use super::super::load_store::syntax::{Extension, Memory, Step, Term};
use crate::token::Parsed;

pub(super) fn load(
    cell: &mut Cell<'_>,
    bits: u8,
    extension: Extension,
    order: Order,
) -> Parsed<Step> {
    let order = fitting(cell, order, Order::Release, "a load", "`.rl` is for stores")?;
    let to = cell.register_and_comma()?;
    let memory = Memory { address: address(cell)?, bits, order };
    Ok(Step::Load { to, extension, memory, exclusive: false })
}

pub(super) fn store(cell: &mut Cell<'_>, bits: u8, order: Order) -> Parsed<Step> {
    let order = fitting(cell, order, Order::Acquire, "a store", "`.aq` is for loads")?;
    let value = cell.value()?;
    cell.comma()?;
    let memory = Memory { address: address(cell)?, bits, order };
    Ok(Step::Store { memory, value })
}

/// Plain loads and stores have one order only that makes sense.
fn fitting(
    cell: &mut Cell<'_>,
    order: Order,
    wrong: Order,
    what: &str,
    help: &str,
) -> Parsed<Order> {
    if order == wrong || order == Order::AcquireRelease {
        return cell.unsupported(&format!("{what} of order {order}"), help);
    }
    Ok(order)
}

/// `4(x6)` or `(x6)`.
pub(super) fn address(cell: &mut Cell<'_>) -> Parsed<Term> {
    let displacement = if cell.peek().kind == Kind::OpenParen { 0 } else { cell.number()? };
    cell.expect(Kind::OpenParen, "`(` and the base register")?;
    let base = cell.value()?;
    cell.expect(Kind::CloseParen, "`)`")?;
    Ok(base.plus(displacement))
}
