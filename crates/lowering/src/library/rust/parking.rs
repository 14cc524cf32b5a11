//! Parking: a thread waits until it is told to go on. Who is told before it waits need not.
//!
//! To be parked may end at any time, so where the question is not about errors parking and waking up are nothing. But
//! nobody can rely on that: on a second way a thread stays until its token is there, and takes it. So a thread that is
//! never told is a deadlock, as with condition variables ([`crate::library::pthread`]). To tell one is an exchange, as
//! in the standard library.

use program::{BinaryOp, Expr, FetchOp, Instruction, Order, Update};

use super::environment::APART;
use crate::call::Called;
use crate::object::{Object, ObjectKey};
use crate::thread::{Awaited, Cursor, Flow, Walk, access};
use crate::value;
use crate::world::{MAX_CREATED, untyped_object};
use linkage::names;

const TOKEN: Awaited = Awaited { expected: 1, new: 0, bytes: 8 };

impl Walk<'_, '_, '_> {
    /// Parks or wakes up, where that matters.
    pub(super) fn parking(
        &mut self,
        cursor: &mut Cursor,
        called: &Called<'_>,
        path: &str,
    ) -> Option<Flow> {
        let environment = self.world.environment;
        let matters = environment.finds_misuse() && environment.spinning_is_waiting;
        if !matters || !path.starts_with("std::thread::") {
            return None;
        }
        match names::last_two(path) {
            ("functions" | "thread" | "Thread", "park") if self.spec.copies == 1 => {
                let token = self.token(self.own_number());
                let mut told = self.branch(cursor, Expr::Const(1));
                self.emit(cursor, Instruction::Skip);
                self.wait_for(&mut told, token, TOKEN);
                self.meet(cursor, &told);
            }
            ("functions" | "thread" | "Thread", "park_timeout") if self.spec.copies == 1 => {
                let token = self.token(self.own_number());
                let mut told = self.branch(cursor, Expr::Const(1));
                self.emit(cursor, Instruction::Skip);
                self.locked(&mut told, token, FetchOp::And, 0, TOKEN.bytes);
                self.meet(cursor, &told);
            }
            ("Thread", "unpark") => {
                let thread = self.argument(cursor, called, 0);
                let handle = self.load_bytes(cursor, None, 0, &thread, 8, Order::Plain);
                let handle = self.expr(cursor, handle);
                let number = Expr::binary(BinaryOp::Div, handle, Expr::Const(APART));
                let address = self.token(value::fold(number));
                let update = Update::Exchange(Expr::Const(TOKEN.expected));
                let access = access(Order::Release, TOKEN.bytes);
                self.emit(cursor, Instruction::Update { result: None, address, update, access });
            }
            _ => return None,
        }
        Some(Flow::Next)
    }

    /// The address of a thread's token.
    fn token(&mut self, number: Expr) -> Expr {
        let new = || Object { stride: 8, elements: MAX_CREATED, ..untyped_object("parked", 8) };
        let tokens = self.world.objects.intern(ObjectKey::Tokens, new);
        let base = Expr::Const(self.world.objects.get(tokens).base);
        value::sum(value::times(number, TOKEN.bytes.into()), base)
    }
}
