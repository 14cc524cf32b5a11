//! Linux' futexes, as locks of libraries use them by `syscall`.
//!
//! `FUTEX_WAIT` compares a word with a value and sleeps if they are the same, until somebody wakes it up; it
//! may also wake up without a reason, or because of a signal (futex(2)). So it may return at any time, and
//! what it does is: if the word is another, it fails with `EAGAIN`; otherwise it returns 0, or fails with
//! `EINTR`, or with `ETIMEDOUT` if it sleeps for some time only. `FUTEX_WAKE` returns how many it woke, which may be any
//! number up to what is asked for. Both take the lock of a queue in the kernel, by a locked instruction: stores of
//! the thread arrive before.
//!
//! That nobody wakes up a thread is a deadlock, as with condition variables ([`super::pthread`]): on a second way
//! through each wait the thread relies on being woken ([`super::waiters`]). It compares the word and puts down the address that it
//! sleeps on, at once, for the kernel holds the lock of the queue meanwhile; it goes on when somebody has cleared
//! what it put down. To wake is to clear that of as many threads that sleep on the address as are asked for.

use program::{BinaryOp, Expr, FenceKind, FetchOp, Instruction, Order, Update, Value};

use crate::call::Called;
use crate::object::{Object, ObjectKey};
use crate::outside::{Kind, Source};
use crate::thread::{Cursor, Flow, Limit, Walk};
use crate::value::{self, Val};
use crate::world::{Facts, untyped_object};

/// The number of `futex` on x86-64.
const FUTEX: Value = 202;
const WAIT: Value = 0;
const WAKE: Value = 1;
const WAIT_BITSET: Value = 9;
const WAKE_BITSET: Value = 10;
/// A flag of an operation: the futex is one of this process alone.
const PRIVATE: Value = 128;
/// The same: which clock is meant.
const REALTIME: Value = 256;
/// The set of bits that meets all others.
const ANY: Value = 0xffff_ffff;
const EINTR: Value = 4;
const EAGAIN: Value = 11;
const ETIMEDOUT: Value = 110;

fn is(left: Expr, right: Expr) -> Expr {
    value::fold(Expr::binary(BinaryOp::Eq, left, right))
}

impl Walk<'_, '_, '_> {
    /// A call of the system that is known by its number; nothing if it is not one.
    pub(crate) fn system_call(&mut self, cursor: &mut Cursor, called: &Called<'_>) -> Option<Flow> {
        let number = self.argument(cursor, called, 0).as_constant()?;
        let operation = self.argument(cursor, called, 2).as_constant()?;
        let set = self.argument(cursor, called, 6).as_constant().map(|set| set & ANY);
        let is_private = operation & PRIVATE != 0;
        match (number, operation & !(PRIVATE | REALTIME)) {
            (FUTEX, WAIT) => Some(self.futex_wait(cursor, called, is_private)),
            (FUTEX, WAKE) => Some(self.futex_wake(cursor, called, is_private)),
            (FUTEX, WAIT_BITSET) if set == Some(ANY) => {
                Some(self.futex_wait(cursor, called, is_private))
            }
            (FUTEX, WAKE_BITSET) if set == Some(ANY) => {
                Some(self.futex_wake(cursor, called, is_private))
            }
            _ => None,
        }
    }

    fn futex_wait(&mut self, cursor: &mut Cursor, called: &Called<'_>, is_private: bool) -> Flow {
        let word = self.argument(cursor, called, 1);
        let expected = self.argument(cursor, called, 3);
        let expected = self.expr(cursor, expected);
        let Some(expected) = value::truncate_bytes(4, expected) else { return Flow::Over };
        let is_endless = match self.argument(cursor, called, 4) {
            Val::Expr(timeout) => is(timeout, Expr::Const(0)),
            Val::Private(..) => Expr::Const(0),
            Val::Undefined | Val::Aggregate(_) | Val::Inexpressible(_) => {
                return self.give_up(cursor, Limit::Unwritten);
            }
        };
        self.emit(cursor, Instruction::Fence(FenceKind::Full));
        if let Some(own) = self.number_among(sleepers) {
            let own = self.sleep_of(own);
            let mut sleeps = self.branch(cursor, Expr::Const(1));
            self.emit(&mut sleeps, Instruction::Lock);
            let is_other = self.differs(&mut sleeps, &word, expected.clone());
            let mut refused = self.branch(&mut sleeps, is_other.clone());
            self.emit(&mut refused, Instruction::Unlock);
            self.fail_with(&mut refused, called, EAGAIN);
            self.emit(&mut sleeps, Instruction::Assume(is_other.negated()));
            let queue = Val::Expr(self.queue(&sleeps, word.clone(), is_private));
            self.store_bytes(&mut sleeps, &own, 8, queue, Order::Relaxed);
            self.emit(&mut sleeps, Instruction::Unlock);
            self.sleep(sleeps, called, &own, is_endless.clone());
        }
        let is_other = self.differs(cursor, &word, expected);
        let mut refused = self.branch(cursor, is_other.clone());
        self.fail_with(&mut refused, called, EAGAIN);
        self.emit(cursor, Instruction::Assume(is_other.negated()));
        let mut interrupted = self.branch(cursor, Expr::Const(1));
        self.fail_with(&mut interrupted, called, EINTR);
        let may_be_late = value::fold(is_endless.negated());
        if may_be_late != Expr::Const(0) {
            let mut late = self.branch(cursor, may_be_late);
            self.fail_with(&mut late, called, ETIMEDOUT);
        }
        self.returns(cursor, called, 0)
    }

    /// Whether the word is not what is expected.
    fn differs(&mut self, cursor: &mut Cursor, word: &Val, expected: Expr) -> Expr {
        let seen = self.load_bytes(cursor, None, 0, word, 4, Order::Relaxed);
        let seen = self.expr(cursor, seen);
        Expr::binary(BinaryOp::Ne, seen, expected)
    }

    /// A thread that has put itself down waits until somebody wakes it up, or until its time is over.
    fn sleep(&mut self, mut cursor: Cursor, called: &Called<'_>, own: &Val, is_endless: Expr) {
        let may_be_late = value::fold(is_endless.clone().negated());
        if may_be_late != Expr::Const(0) {
            let mut limited = self.branch(&mut cursor, may_be_late);
            let how = program::Access::with_order(Order::SeqCst);
            let leave = Update::Fetch { op: FetchOp::And, operand: Expr::Const(0) };
            if let Some(old) = self.update(&mut limited, None, own, 8, leave, how) {
                let is_woken = is(old, Expr::Const(0));
                let mut late = self.branch(&mut limited, is_woken.clone().negated());
                self.fail_with(&mut late, called, ETIMEDOUT);
                self.emit(&mut limited, Instruction::Assume(is_woken));
                self.end_with(limited, called, 0);
            }
        }
        if is_endless != Expr::Const(0) {
            self.emit(&mut cursor, Instruction::Assume(is_endless));
            self.wait_until(&mut cursor, |walk, cursor| {
                let seen = walk.load_bytes(cursor, None, 1, own, 8, Order::Acquire);
                is(walk.expr(cursor, seen), Expr::Const(0))
            });
            self.end_with(cursor, called, 0);
        }
    }

    /// Goes on after a call that has failed.
    fn fail_with(&mut self, way: &mut Cursor, called: &Called<'_>, error: Value) {
        self.set_errno(way, error);
        self.end_with(way.clone(), called, -1);
    }

    /// Goes on after a call that returns so much.
    fn end_with(&mut self, mut way: Cursor, called: &Called<'_>, result: Value) {
        self.returns(&mut way, called, result);
        way.known.frame.index += 1;
        self.set_aside(way);
    }

    fn futex_wake(&mut self, cursor: &mut Cursor, called: &Called<'_>, is_private: bool) -> Flow {
        self.emit(cursor, Instruction::Fence(FenceKind::Full));
        let word = self.argument(cursor, called, 1);
        let most = self.argument(cursor, called, 3);
        let highest = most.as_constant().unwrap_or(Value::from(i32::MAX));
        if let Some(count) = self.world.facts.sleeps_on_futexes.count() {
            let queue = self.queue(cursor, word, is_private);
            let most = self.expr(cursor, most);
            self.wake_sleepers(cursor, &queue, count, &most);
        }
        let (Some(local), Some(int)) = (called.result, value::int(64)) else { return Flow::Next };
        let register = self.result_register(cursor, local, 0, int);
        let source = Source { what: "how many threads wake up".into(), kind: Kind::Number };
        let woken = self.chosen(cursor, register, source, (0, highest.max(0)));
        self.define(cursor, called.result, woken);
        Flow::Next
    }

    /// Wakes up as many of those that sleep on a futex, or all.
    fn wake_sleepers(&mut self, cursor: &mut Cursor, queue: &Expr, count: u32, most: &Expr) {
        if matches!(most, Expr::Const(most) if *most >= Value::from(count)) {
            self.emit(cursor, Instruction::Lock);
            for number in 0..count {
                let seen = self.queue_of(cursor, number);
                let sleeps = is(seen.clone(), queue.clone());
                let left = Expr::Select(Box::new([sleeps, Expr::Const(0), seen]));
                let sleep = self.sleep_of(Expr::Const(number.into()));
                self.store_bytes(cursor, &sleep, 8, Val::Expr(left), Order::Relaxed);
            }
            self.emit(cursor, Instruction::Unlock);
            return;
        }
        let mut enough = Vec::new();
        for woken in 0..count {
            let is_enough = Expr::binary(BinaryOp::Le, most.clone(), Expr::Const(woken.into()));
            let is_enough = value::fold(is_enough);
            match is_enough {
                Expr::Const(0) => {}
                Expr::Const(_) => break,
                Expr::Register(_)
                | Expr::Element(..)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Select(_)
                | Expr::Cast(..) => {
                    enough.push(self.branch(cursor, is_enough.clone()));
                    self.emit(cursor, Instruction::Assume(is_enough.negated()));
                }
            }
            self.wake_sleeper(cursor, queue, count);
        }
        for way in enough {
            self.meet(cursor, &way);
        }
    }

    /// Wakes up any one of those that sleep on a futex.
    fn wake_sleeper(&mut self, cursor: &mut Cursor, queue: &Expr, count: u32) {
        self.emit(cursor, Instruction::Lock);
        let seen: Vec<Expr> = (0..count).map(|number| self.queue_of(cursor, number)).collect();
        let mut ways = Vec::new();
        let mut nobody = Expr::Const(1);
        for (number, seen) in (0..count).zip(seen) {
            let sleeps = is(seen, queue.clone());
            let mut way = self.branch(cursor, sleeps.clone());
            let sleep = self.sleep_of(Expr::Const(number.into()));
            self.store_bytes(&mut way, &sleep, 8, Val::constant(0), Order::Relaxed);
            ways.push(way);
            nobody = Expr::binary(BinaryOp::And, nobody, sleeps.negated());
        }
        self.emit(cursor, Instruction::Assume(value::fold(nobody)));
        for way in ways {
            self.meet(cursor, &way);
        }
        self.emit(cursor, Instruction::Unlock);
    }

    /// What the queue of a futex is known by: a private futex has another one than a shared one at its address.
    fn queue(&mut self, cursor: &Cursor, word: Val, is_private: bool) -> Expr {
        let address = self.expr(cursor, word);
        value::sum(address, Expr::Const(Value::from(!is_private)))
    }

    /// In which queue the sleeper of a number is.
    fn queue_of(&mut self, cursor: &mut Cursor, number: u32) -> Expr {
        let sleep = self.sleep_of(Expr::Const(number.into()));
        let seen = self.load_bytes(cursor, None, 1 + number, &sleep, 8, Order::Relaxed);
        self.expr(cursor, seen)
    }

    /// Where the sleeper of a number puts down in which queue it is.
    fn sleep_of(&mut self, number: Expr) -> Val {
        let new = || Object { stride: 8, elements: 32, ..untyped_object("sleeping", 8) };
        let object = self.world.objects.intern(ObjectKey::Sleepers, new);
        let base = Expr::Const(self.world.objects.get(object).base);
        Val::Expr(value::sum(value::times(number, 8), base))
    }
}

fn sleepers(facts: &mut Facts) -> &mut super::waiters::Waiters {
    &mut facts.sleeps_on_futexes
}
