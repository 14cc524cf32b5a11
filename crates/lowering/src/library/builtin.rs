//! Atomic operations that compilers leave to a library: those of `libatomic` with a size in their name.

use llvm::RmwOp;
use program::{Expr, Order, Update};

use crate::call::Called;
use crate::thread::{Cursor, Flow, Walk};
use crate::value::{self, Val};

/// The orders of C11 as numbers.
pub(crate) const fn c11_order(number: i128) -> Order {
    match number {
        0 => Order::Relaxed,
        1 | 2 => Order::Acquire,
        3 => Order::Release,
        4 => Order::AcquireRelease,
        _ => Order::SeqCst,
    }
}

impl Walk<'_, '_, '_> {
    pub(crate) fn builtin(&mut self, cursor: &mut Cursor, called: &Called<'_>) -> Option<Flow> {
        let (operation, size) = called.name.strip_prefix("__atomic_")?.rsplit_once('_')?;
        let size: u64 = size.parse().ok()?;
        let order = |walk: &mut Self, cursor: &Cursor, at| {
            walk.argument(cursor, called, at).as_constant().map_or(Order::SeqCst, c11_order)
        };
        let address = self.argument(cursor, called, 0);
        match operation {
            "load" => {
                let order = order(self, cursor, 1);
                let value = self.load_bytes(cursor, called.result, 0, &address, size, order);
                self.define(cursor, called.result, value);
            }
            "store" => {
                let order = order(self, cursor, 2);
                let value = self.argument(cursor, called, 1);
                self.store_bytes(cursor, &address, size, value, order);
            }
            "exchange" | "fetch_add" | "fetch_sub" | "fetch_and" | "fetch_or" | "fetch_xor"
            | "fetch_nand" => {
                let op = match operation {
                    "exchange" => RmwOp::Xchg,
                    "fetch_add" => RmwOp::Add,
                    "fetch_sub" => RmwOp::Sub,
                    "fetch_and" => RmwOp::And,
                    "fetch_or" => RmwOp::Or,
                    "fetch_xor" => RmwOp::Xor,
                    _ => RmwOp::Nand,
                };
                let order = order(self, cursor, 2);
                let operand = self.argument(cursor, called, 1);
                let operand = self.expr(cursor, operand);
                let value = self.rmw(cursor, called.result, op, &address, size, operand, order);
                self.define(cursor, called.result, value);
            }
            "compare_exchange" => {
                let (success, failure) = (order(self, cursor, 3), order(self, cursor, 4));
                let Some(how) = self.failing(cursor, success, failure) else {
                    return Some(Flow::Next);
                };
                let place = self.argument(cursor, called, 1);
                let expected = self.load_bytes(cursor, None, 7, &place, size, Order::Plain);
                let expected = self.expr(cursor, expected);
                let expected = self.held(cursor, expected);
                let new = self.argument(cursor, called, 2);
                let new = self.expr(cursor, new);
                let update = Update::CompareAndSwap { expected: expected.clone(), new };
                let old = self.update(cursor, None, &address, size, update, how)?;
                let success =
                    value::fold(Expr::binary(program::BinaryOp::Eq, old.clone(), expected));
                // The value read is put down where the expected one was; on success it is the same.
                self.store_bytes(cursor, &place, size, Val::Expr(old), Order::Plain);
                self.define(cursor, called.result, Val::Expr(success));
            }
            _ => return None,
        }
        Some(Flow::Next)
    }
}
