//! Linux' futexes, as locks of libraries use them by `syscall`.
//!
//! `FUTEX_WAIT` compares a word with a value and sleeps if they are the same, until somebody wakes it up; it
//! may also wake up without a reason, or because of a signal (futex(2)). So it may return at any time, and
//! what it does is: if the word is another, it fails with `EAGAIN`; otherwise it returns 0, or fails with
//! `EINTR`. `FUTEX_WAKE` returns how many it woke, which may be any number up to what is asked for. That nobody
//! wakes up a thread for ever is no deadlock here, as with condition variables. Both take the lock of a
//! queue in the kernel, by a locked instruction: stores of the thread arrive before.

use program::{BinaryOp, Expr, FenceKind, Instruction, Order, Value};

use crate::call::Called;
use crate::outside::{Kind, Source};
use crate::thread::{Cursor, Flow, Walk};
use crate::value;

/// The number of `futex` on x86-64.
const FUTEX: Value = 202;
/// Flags of an operation: for one process alone, and which clock is meant.
const FLAGS: Value = 128 | 256;
const EINTR: Value = 4;
const EAGAIN: Value = 11;

impl Walk<'_, '_, '_> {
    /// A call of the system that is known by its number; nothing if it is not one.
    pub(crate) fn system_call(&mut self, cursor: &mut Cursor, called: &Called<'_>) -> Option<Flow> {
        let number = self.argument(cursor, called, 0).as_constant()?;
        let operation = self.argument(cursor, called, 2).as_constant()? & !FLAGS;
        match (number, operation) {
            (FUTEX, 0 | 9) => Some(self.futex_wait(cursor, called)),
            (FUTEX, 1 | 10) => Some(self.futex_wake(cursor, called)),
            _ => None,
        }
    }

    fn futex_wait(&mut self, cursor: &mut Cursor, called: &Called<'_>) -> Flow {
        let word = self.argument(cursor, called, 1);
        let expected = self.argument(cursor, called, 3);
        let expected = self.expr(cursor, expected);
        self.emit(cursor, Instruction::Fence(FenceKind::Full));
        let seen = self.load_bytes(cursor, None, 0, &word, 4, Order::Relaxed);
        let seen = self.expr(cursor, seen);
        let Some(expected) = value::truncate_bytes(4, expected) else { return Flow::Over };
        let is_other = Expr::binary(BinaryOp::Ne, seen, expected);
        let mut refused = self.branch(cursor, is_other.clone());
        self.fail_with(&mut refused, called, EAGAIN);
        self.emit(cursor, Instruction::Assume(is_other.negated()));
        let mut interrupted = self.branch(cursor, Expr::Const(1));
        self.fail_with(&mut interrupted, called, EINTR);
        self.returns(cursor, called, 0)
    }

    /// Goes on after a call that has failed.
    fn fail_with(&mut self, way: &mut Cursor, called: &Called<'_>, error: Value) {
        self.set_errno(way, error);
        self.returns(way, called, -1);
        way.known.frame.index += 1;
        self.set_aside(way.clone());
    }

    fn futex_wake(&mut self, cursor: &mut Cursor, called: &Called<'_>) -> Flow {
        self.emit(cursor, Instruction::Fence(FenceKind::Full));
        let most = self.argument(cursor, called, 3).as_constant().unwrap_or(Value::from(i32::MAX));
        let (Some(local), Some(int)) = (called.result, value::int(64)) else { return Flow::Next };
        let register = self.result_register(cursor, local, 0, int);
        let source = Source { what: "how many threads wake up".into(), kind: Kind::Number };
        let woken = self.chosen(cursor, register, source, (0, most.max(0)));
        self.define(cursor, called.result, woken);
        Flow::Next
    }
}
