//! Condition variables.
//!
//! To wait is to give the mutex back and take it again: waking up for no reason is allowed, so nothing else can be
//! relied upon. But neither can *that* be relied upon: a thread may also wait until it is woken up, and if nobody does
//! so, it hangs. Where the question is about errors there are two ways through each wait, therefore
//! ([`crate::library::waiters`]). On the second one the thread puts itself down as waiting before it gives the mutex back: its bit in the first four bytes of the
//! variable. It goes on when somebody has taken the bit out. To signal is to take out the bit of any thread that waits,
//! to broadcast all of them; where nobody waits, this is a mere load, as in glibc. So a lost wake-up is a deadlock like
//! any other, a signal that reaches only one of two too, and every run with wake-ups for no reason is still there.
//!
//! Who waits for some time only takes its bit out by itself, and may have been woken up in the meantime: nobody else
//! is then.

use program::{Access, BinaryOp, Expr, FetchOp, Instruction, Order, Update, Value};

use crate::thread::{Cursor, Walk};
use crate::value::{self, Val};

/// Who is woken up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Woken {
    One,
    All,
}

/// How long a thread waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    /// Until it is woken up.
    Unlimited,
    /// For some time at most.
    Limited,
}

fn bit(number: Expr) -> Expr {
    value::fold(Expr::binary(BinaryOp::Shl, Expr::Const(1), number))
}

fn has(set: &Expr, number: Expr) -> Expr {
    let shifted = Expr::binary(BinaryOp::Shr, set.clone(), number);
    Expr::binary(BinaryOp::BitAnd, shifted, Expr::Const(1))
}

impl Walk<'_, '_, '_> {
    /// Waits on a condition variable: gives a mutex back by `unlock` and takes it again by `lock`.
    pub(crate) fn wait_on(
        &mut self,
        cursor: &mut Cursor,
        condition: &Val,
        patience: Patience,
        unlock: impl Fn(&mut Self, &mut Cursor),
        lock: impl Fn(&mut Self, &mut Cursor),
    ) {
        let woken = self.number_among(|facts| &mut facts.waits_on_conditions).map(|number| {
            let mut waits = self.branch(cursor, Expr::Const(1));
            self.wait_to_be_woken(&mut waits, condition, &number, patience, &unlock);
            waits
        });
        unlock(self, cursor);
        if let Some(woken) = woken {
            self.meet(cursor, &woken);
        }
        lock(self, cursor);
    }

    fn wait_to_be_woken(
        &mut self,
        cursor: &mut Cursor,
        condition: &Val,
        number: &Expr,
        patience: Patience,
        unlock: &impl Fn(&mut Self, &mut Cursor),
    ) {
        let set = bit(number.clone());
        let how = Access::with_order(Order::SeqCst);
        let put_down = Update::Fetch { op: FetchOp::Or, operand: set.clone() };
        self.update(cursor, None, condition, 4, put_down, how);
        unlock(self, cursor);
        match patience {
            Patience::Unlimited => self.wait_until(cursor, |walk, cursor| {
                let seen = walk.look_at(cursor, condition);
                value::fold(has(&seen, number.clone()).negated())
            }),
            Patience::Limited => {
                let others = Expr::binary(BinaryOp::Sub, Expr::Const(-1), set);
                let leave = Update::Fetch { op: FetchOp::And, operand: value::fold(others) };
                self.update(cursor, None, condition, 4, leave, how);
            }
        }
    }

    /// Wakes up who waits on a condition variable.
    pub(crate) fn wake(&mut self, cursor: &mut Cursor, condition: &Val, woken: Woken) {
        let Some(last) = self.world.facts.waits_on_conditions.count() else { return };
        let head = self.place_of_trying(cursor);
        let seen = self.look_at(cursor, condition);
        let is_empty = Expr::binary(BinaryOp::Eq, seen.clone(), Expr::Const(0));
        let nobody = self.branch(cursor, is_empty.clone());
        self.emit(cursor, Instruction::Assume(is_empty.negated()));
        match woken {
            Woken::All => {
                let address = self.expr(cursor, condition.clone());
                self.locked(cursor, address, FetchOp::And, 0, 4);
            }
            Woken::One => {
                let mut ways = Vec::new();
                cursor.arrived_by = None;
                for number in 0..last {
                    let number = Expr::Const(Value::from(number));
                    let mut way = self.branch(cursor, has(&seen, number.clone()));
                    let new = Expr::binary(BinaryOp::BitXor, seen.clone(), bit(number));
                    let expected = seen.clone();
                    let update = Update::CompareAndSwap { expected, new: value::fold(new) };
                    let how = Access::with_order(Order::SeqCst);
                    let old = self.update(&mut way, None, condition, 4, update, how);
                    let old = old.unwrap_or(Expr::Const(0));
                    let is_made = Expr::binary(BinaryOp::Eq, old, seen.clone());
                    let again = self.branch(&mut way, is_made.clone().negated());
                    self.lead(&again, head);
                    self.emit(&mut way, Instruction::Assume(is_made));
                    ways.push(way);
                }
                let Some(first) = ways.pop() else { return };
                *cursor = first;
                for way in ways {
                    self.meet(cursor, &way);
                }
            }
        }
        self.meet(cursor, &nobody);
    }

    /// A condition variable is made: nobody waits.
    pub(crate) fn make_condition(&mut self, cursor: &mut Cursor, condition: &Val) {
        if self.world.facts.waits_on_conditions.count().is_some() {
            self.store_bytes(cursor, condition, 4, Val::constant(0), Order::Plain);
        }
    }
}
