//! `once` and barriers.
//!
//! Who finds that a routine was called already finds it out by a mere load. Everybody else makes a locked
//! access at least: the last step of who calls it is a store and a system call, which waits for the buffer
//! as well.

use program::{Access, BinaryOp, Expr, Instruction, Order, Update, Value};

use crate::call::Called;
use crate::thread::{Awaited, Cursor, Flow, OnReturn, Scratch, WORD, Walk, access};
use crate::value::Val;
use linkage::Item;

/// What the four bytes of a `once` hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OnceStates {
    /// Nobody has called it.
    pub(crate) new: Value,
    /// Somebody is calling it.
    pub(crate) running: Value,
    /// It was called.
    pub(crate) done: Value,
}

impl OnceStates {
    const OF_C: Self = Self { new: 0, running: 1, done: 2 };

    /// That somebody's call is over.
    pub(crate) const fn awaited(self) -> Awaited {
        Awaited { expected: self.done, new: self.done, bytes: 4 }
    }
}

impl Walk<'_, '_, '_> {
    /// Arrives at a barrier for `count` threads and waits for the others; whether this was the last to
    /// arrive. Four bytes at `arrived` say how many have arrived so far, ever.
    pub(crate) fn barrier(&mut self, cursor: &mut Cursor, count: Expr, arrived: &Val) -> Expr {
        let one = Update::Fetch { op: program::FetchOp::Add, operand: Expr::Const(1) };
        let before = self.update(cursor, None, arrived, 4, one, Access::with_order(Order::SeqCst));
        let before = before.unwrap_or(Expr::Const(0));
        let round = Expr::binary(BinaryOp::Div, before.clone(), count.clone());
        let next = Expr::binary(BinaryOp::Add, round, Expr::Const(1));
        let needed = Expr::binary(BinaryOp::Mul, next, count);
        // Waits until everybody of this round is there: a busy wait.
        let address = self.expr(cursor, arrived.clone());
        let register = self.scratch(cursor, Scratch::Seen, WORD);
        let access = access(Order::Acquire, 4);
        self.wait_until(cursor, |walk, cursor| {
            walk.emit(cursor, Instruction::Load { register, address: address.clone(), access });
            Expr::binary(BinaryOp::Ge, Expr::Register(register), needed.clone())
        });
        let reached = Expr::binary(BinaryOp::Add, before, Expr::Const(1));
        Expr::binary(BinaryOp::Eq, reached, needed)
    }

    pub(super) fn once(&mut self, cursor: &mut Cursor, called: &Called<'_>) -> Flow {
        let control = self.argument(cursor, called, 0);
        let routine = self.argument(cursor, called, 1);
        let Some(item) = self.routine(cursor, &routine, "is called once") else {
            return Flow::Over;
        };
        self.define(cursor, called.result, Val::constant(0));
        self.run_once(cursor, &control, OnceStates::OF_C, item, Vec::new())
    }

    /// Calls a function unless somebody has, or waits until who does is done.
    pub(crate) fn run_once(
        &mut self,
        cursor: &mut Cursor,
        control: &Val,
        states: OnceStates,
        item: Item,
        arguments: Vec<Val>,
    ) -> Flow {
        let (new, running) = (Expr::Const(states.new), Expr::Const(states.running));
        let done = Expr::Const(states.done);
        let seen = self.look_at(cursor, control);
        let is_done = Expr::binary(BinaryOp::Eq, seen, done.clone());
        let fast = self.branch(cursor, is_done.clone());
        self.emit(cursor, Instruction::Assume(is_done.negated()));
        let begin = Update::CompareAndSwap { expected: new.clone(), new: running.clone() };
        let old = self.update(cursor, None, control, 4, begin, Access::with_order(Order::SeqCst));
        let old = old.unwrap_or(Expr::Const(0));
        let is_first = Expr::binary(BinaryOp::Eq, old, new);
        let mut other = self.branch(cursor, is_first.clone().negated());
        let address = self.expr(&other, control.clone());
        self.wait_for(&mut other, address.clone(), states.awaited());
        for mut way in [fast, other] {
            way.known.frame.index += 1;
            self.set_aside(way);
        }
        self.emit(cursor, Instruction::Assume(is_first));
        let access = access(Order::SeqCst, 4);
        // When the routine returns, what waits for it is told.
        let update = Update::CompareAndSwap { expected: running, new: done };
        let tell = Instruction::Update { result: None, address, update, access };
        self.enter_then(cursor, item, arguments, OnReturn::Step(tell))
    }
}
