//! Who has a lock. Where the question is about misuse, a lock that is taken holds the number of the thread that took
//! it, the same for all copies of one; otherwise 1. To give back what one does not have, to take what one has, to destroy
//! what somebody has, and to use what was destroyed has no meaning in POSIX and C11, or hangs.
//!
//! Which reader has a reader-writer lock is not known: only that nobody has it.

use program::{BinaryOp, Expr, Failure, FetchOp, Order, Update, Value};

use crate::Relocking;
use crate::thread::{Awaited, Cursor, Walk};
use crate::value::{self, Val};

/// What a lock holds that was destroyed: a number of no thread.
const DESTROYED: Value = 0x7fff_ffff;

fn is(left: &Expr, right: Value) -> Expr {
    value::fold(Expr::binary(BinaryOp::Eq, left.clone(), Expr::Const(right)))
}

impl Walk<'_, '_, '_> {
    /// What a lock holds that this thread has.
    pub(super) fn holder(&self) -> Value {
        if self.world.environment.finds_misuse() { Value::from(self.spec.number) } else { 1 }
    }

    /// Takes a lock: waits until it is free.
    pub(super) fn lock_as_holder(&mut self, cursor: &mut Cursor, lock: &Val) {
        let address = self.expr(cursor, lock.clone());
        let free = Awaited { expected: 0, new: self.holder(), bytes: 4 };
        let stays = |value| Awaited { expected: value, new: value, bytes: 4 };
        let mut amiss = Vec::new();
        // Of copies it is not known which one has it.
        if self.world.environment.finds_misuse() && self.spec.copies == 1 {
            match self.world.environment.relocking {
                Relocking::Fails => amiss.push((stays(self.holder()), Failure::TakenAgain)),
                Relocking::Hangs => {}
            }
        }
        if self.world.facts.destroys_locks {
            amiss.push((stays(DESTROYED), Failure::UseAfterDestruction));
        }
        self.wait_for_unless(cursor, address, free, &amiss);
    }

    /// Gives a lock back.
    pub(super) fn unlock_as_holder(&mut self, cursor: &mut Cursor, lock: &Val) {
        if !self.world.environment.finds_misuse() {
            self.unlock(cursor, lock);
            return;
        }
        let give_back = Update::Fetch { op: FetchOp::And, operand: Expr::Const(0) };
        let how = program::Access::with_order(Order::SeqCst);
        if let Some(old) = self.update(cursor, None, lock, 4, give_back, how) {
            self.emit(cursor, Failure::NotHeld.unless(is(&old, self.holder())));
        }
    }

    /// Before a lock is given back by a mere store.
    pub(super) fn must_be_held(&mut self, cursor: &mut Cursor, lock: &Val) {
        if self.world.environment.finds_misuse() {
            let found = self.load_bytes(cursor, None, 0, lock, 4, Order::Relaxed);
            let found = self.expr(cursor, found);
            self.emit(cursor, Failure::NotHeld.unless(is(&found, self.holder())));
        }
    }

    /// After a lock could not be taken at once.
    pub(super) fn must_not_be_destroyed(&mut self, cursor: &mut Cursor, found: &Expr) {
        if self.world.facts.destroys_locks {
            let is_there = value::fold(is(found, DESTROYED).negated());
            self.emit(cursor, Failure::UseAfterDestruction.unless(is_there));
        }
    }

    /// Destroys a lock that nobody has.
    pub(super) fn destroy(&mut self, cursor: &mut Cursor, lock: &Val) {
        if !self.world.environment.finds_misuse() {
            return;
        }
        let facts = &mut self.world.facts;
        facts.is_new |= !std::mem::replace(&mut facts.destroys_locks, true);
        let found = self.load_bytes(cursor, None, 0, lock, 4, Order::Relaxed);
        let found = self.expr(cursor, found);
        self.must_not_be_destroyed(cursor, &found);
        self.emit(cursor, Failure::DestroyedWhileHeld.unless(is(&found, 0)));
        self.store_bytes(cursor, lock, 4, Val::constant(DESTROYED), Order::Plain);
    }
}
