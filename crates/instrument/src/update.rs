//! Atomic updates of helpers.
//!
//! What an update is to the chain of happens-before depends on the value it reads, and so does
//! whether it stops its thread; and where it stops its thread, it has read memory and not written
//! it. So the value is read first and the cases are told apart, then the update that writes is done
//! as a read-write that blocks unless the cell still holds that value. In between the cell may
//! change; then the thread is stuck, which is harmless: it could have been later.
//!
//! A value does not fit into a cell or a register if its declared range does not contain it.

use program::{
    Access, BinaryOp, Expr, FetchOp, Instruction, IntType, LabelId, RegisterId, UnaryOp, Update,
};

use crate::access::{Accessing, Kind, Link, ordinary, receive};
use crate::layout::{Twin, both, outside};
use crate::thread::Writer;

/// Writes an update.
pub(crate) fn link(
    writer: &mut Writer<'_>,
    link: Link,
    from: LabelId,
    (result, address, update, access): (Option<RegisterId>, &Expr, &Update, Access),
    to: LabelId,
) {
    let value = writer.value();
    let old = Expr::Register(value);
    // As in the given program; `old` is a register of ours.
    let (expected, new) = match update {
        Update::Exchange(new) => (None, new.clone()),
        Update::Fetch { op, operand } => (None, fetched(*op, old.clone(), operand.clone())),
        Update::CompareAndSwap { expected, new } | Update::BlockingReadWrite { expected, new } => {
            (Some(writer.shared.layout.value(expected)), new.clone())
        }
    };
    let matches = expected.map(|expected| Expr::binary(BinaryOp::Eq, old.clone(), expected));
    let layout = &writer.shared.layout;
    let refused = layout.refuses(address, &new);
    let not_received = result.and_then(|register| outside(writer.domain(register), &old));
    let faults = either(refused, not_received);
    let new = writer.shared.layout.value(&new);
    let rest = result.map(|register| receive(register, value));
    let read = |writer: &mut Writer<'_>, at, condition: Option<Expr>| {
        let address = writer.cell(Twin::Plain, address);
        let access = ordinary(access);
        let at = writer.step(at, Instruction::Load { register: value, address, access });
        match condition {
            None => at,
            Some(condition) => writer.assume(at, condition),
        }
    };

    let writes = all(matches.clone(), faults.as_ref().map(Expr::negated));
    let accessing = Accessing { kind: Kind::Write, address, rest: rest.clone(), to: Some(to) };
    accessing.write(writer, link, from, |writer, at| {
        let at = read(writer, at, writes);
        let update = Update::BlockingReadWrite { expected: old, new };
        let address = writer.cell(Twin::Plain, address);
        let access = Access { failure: None, ..access };
        writer.step(at, Instruction::Update { result: None, address, update, access })
    });
    if let Some(faults) = faults {
        let stops = all(matches.clone(), Some(faults));
        let accessing = Accessing { kind: Kind::Read, address, rest: None, to: None };
        accessing.write(writer, link, from, |writer, at| read(writer, at, stops));
    }
    if let (Update::CompareAndSwap { .. }, Some(matches)) = (update, matches) {
        let accessing = Accessing { kind: Kind::Read, address, rest, to: Some(to) };
        accessing.write(writer, link, from, |writer, at| read(writer, at, Some(matches.negated())));
    }
}

fn all(left: Option<Expr>, right: Option<Expr>) -> Option<Expr> {
    match (left, right) {
        (Some(left), Some(right)) => Some(both(left, right)),
        (one, other) => one.or(other),
    }
}

fn either(left: Option<Expr>, right: Option<Expr>) -> Option<Expr> {
    match (left, right) {
        (Some(left), Some(right)) => Some(Expr::binary(BinaryOp::Or, left, right)),
        (one, other) => one.or(other),
    }
}

/// What a fetch-and-op writes, as an expression.
fn fetched(op: FetchOp, old: Expr, operand: Expr) -> Expr {
    let op = match op {
        FetchOp::Add => BinaryOp::Add,
        FetchOp::Sub => BinaryOp::Sub,
        FetchOp::And => BinaryOp::BitAnd,
        FetchOp::Or => BinaryOp::BitOr,
        FetchOp::Xor => BinaryOp::BitXor,
        FetchOp::Min => BinaryOp::Min,
        FetchOp::Max => BinaryOp::Max,
        FetchOp::MinAs(int) => return extreme_as(int, BinaryOp::Min, old, operand),
        FetchOp::MaxAs(int) => return extreme_as(int, BinaryOp::Max, old, operand),
        FetchOp::Nand => {
            let and = Expr::binary(BinaryOp::BitAnd, old, operand);
            return Expr::unary(UnaryOp::BitNot, and);
        }
    };
    Expr::binary(op, old, operand)
}

fn extreme_as(int: IntType, op: BinaryOp, old: Expr, operand: Expr) -> Expr {
    let as_number = |expr| Expr::Cast(int, Box::new(expr));
    Expr::binary(op, as_number(old), as_number(operand))
}
