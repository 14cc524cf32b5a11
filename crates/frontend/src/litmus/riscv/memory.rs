//! Reading RISC-V's loads and stores.

use program::{FenceKind, Order};

use super::super::lex::Kind;
use super::super::load_store::Cell;
use super::super::load_store::syntax::{Extension, Memory, Step, Term};
use crate::token::Parsed;

/// A load with `.aq.rl` comes after all earlier accesses and before all later ones: it is one with
/// `.aq` after a `fence rw,r`. (That the fence orders earlier accesses before other later loads
/// follows from the two.)
pub(super) fn load(
    cell: &mut Cell<'_>,
    bits: u8,
    extension: Extension,
    order: Order,
) -> Parsed<Vec<Step>> {
    let order = fitting(cell, order, Order::Release, "a load", "`.rl` is for stores")?;
    let to = cell.register_and_comma()?;
    let address = address(cell)?;
    let load = |order| {
        let memory = Memory { address: address.clone(), bits, order };
        Step::Load { to: to.clone(), extension, memory, exclusive: false }
    };
    if order == Order::AcquireRelease {
        let [loads, stores] = [FenceKind::LoadLoad, FenceKind::StoreLoad].map(Step::Fence);
        return Ok(vec![loads, stores, load(Order::Acquire)]);
    }
    Ok(vec![load(order)])
}

/// A store with `.aq.rl` is one with `.rl` before a `fence w,rw`.
pub(super) fn store(cell: &mut Cell<'_>, bits: u8, order: Order) -> Parsed<Vec<Step>> {
    let order = fitting(cell, order, Order::Acquire, "a store", "`.aq` is for loads")?;
    let value = cell.value()?;
    cell.comma()?;
    let address = address(cell)?;
    let store = |order| {
        let memory = Memory { address: address.clone(), bits, order };
        Step::Store { memory, value: value.clone() }
    };
    if order == Order::AcquireRelease {
        let [stores, loads] = [FenceKind::StoreStore, FenceKind::StoreLoad].map(Step::Fence);
        return Ok(vec![store(Order::Release), stores, loads]);
    }
    Ok(vec![store(order)])
}

/// Plain loads and stores do not have the other's order alone.
fn fitting(
    cell: &mut Cell<'_>,
    order: Order,
    wrong: Order,
    what: &str,
    help: &str,
) -> Parsed<Order> {
    if order == wrong {
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
