//! Semaphores and reader-writer locks: four bytes that count.
//!
//! A semaphore holds how many may still come in. A reader-writer lock holds how many readers have it, or
//! the number of the thread that writes, negated. In glibc both are changed by compare-and-swap or another locked access; that they cannot be
//! changed is found out by a load, and who then waits for some time makes a locked access before it gives
//! up. Readers get in whenever no writer has the lock, as glibc prefers it.

use program::{BinaryOp, Expr, Failure, FetchOp, Instruction, Order, Update, Value};

use super::Refusal;
use crate::call::Called;
use crate::object::{Object, ObjectKey};
use crate::thread::{Change, Cursor, Flow, Walk, access};
use crate::value::Val;
use crate::world::untyped_object;

/// What becomes of who cannot have what it wants.
#[derive(Clone, Copy, Debug)]
enum Patience {
    Waits,
    /// It is refused at once.
    None,
    /// It is refused after some time.
    Limited,
}

fn compared(op: BinaryOp, left: Expr, right: Value) -> Expr {
    Expr::binary(op, left, Expr::Const(right))
}

/// One less may come in, if any.
fn come_in(seen: Expr) -> Change {
    Change {
        is_allowed: compared(BinaryOp::Gt, seen.clone(), 0),
        new: compared(BinaryOp::Sub, seen, 1),
    }
}

/// One more reads, unless somebody writes.
fn read(seen: Expr) -> Change {
    Change {
        is_allowed: compared(BinaryOp::Ge, seen.clone(), 0),
        new: compared(BinaryOp::Add, seen, 1),
    }
}

impl Walk<'_, '_, '_> {
    pub(super) fn counter(&mut self, cursor: &mut Cursor, called: &Called<'_>) -> Option<Flow> {
        let counter = self.argument(cursor, called, 0);
        let holder = self.holder();
        // Somebody writes, if nobody reads or writes.
        let write = |seen| Change {
            is_allowed: compared(BinaryOp::Eq, seen, 0),
            new: Expr::Const(-holder),
        };
        let (change, patience): (&dyn Fn(Expr) -> Change, Patience) = match called.name {
            "sem_wait" => (&come_in, Patience::Waits),
            "sem_trywait" => (&come_in, Patience::None),
            "sem_timedwait" | "sem_clockwait" => (&come_in, Patience::Limited),
            "pthread_rwlock_rdlock" => (&read, Patience::Waits),
            "pthread_rwlock_tryrdlock" => (&read, Patience::None),
            "pthread_rwlock_timedrdlock" | "pthread_rwlock_clockrdlock" => {
                (&read, Patience::Limited)
            }
            "pthread_rwlock_wrlock" => (&write, Patience::Waits),
            "pthread_rwlock_trywrlock" => (&write, Patience::None),
            "pthread_rwlock_timedwrlock" | "pthread_rwlock_clockwrlock" => {
                (&write, Patience::Limited)
            }
            "sem_init" => {
                let value = self.argument(cursor, called, 2);
                self.store_bytes(cursor, &counter, 4, value, Order::Plain);
                return Some(self.returns(cursor, called, 0));
            }
            "sem_post" => {
                let address = self.expr(cursor, counter);
                self.locked(cursor, address, FetchOp::Add, 1, 4);
                return Some(self.returns(cursor, called, 0));
            }
            "sem_getvalue" => {
                let target = self.argument(cursor, called, 1);
                let seen = self.look_at(cursor, &counter);
                self.store_bytes(cursor, &target, 4, Val::Expr(seen), Order::Plain);
                return Some(self.returns(cursor, called, 0));
            }
            "pthread_rwlock_init" => {
                self.store_bytes(cursor, &counter, 4, Val::constant(0), Order::Plain);
                return Some(self.returns(cursor, called, 0));
            }
            "pthread_rwlock_unlock" => {
                self.give_back(cursor, &counter);
                return Some(self.returns(cursor, called, 0));
            }
            "__errno_location" => {
                let own = self.errno();
                self.define(cursor, called.result, own);
                return Some(Flow::Next);
            }
            _ => return None,
        };
        let is_semaphore = called.name.starts_with("sem_");
        match patience {
            Patience::Waits => self.wait_to_change(cursor, &counter, change),
            Patience::None => {
                let head = self.place_of_trying(cursor);
                let refused = self.try_to_change(cursor, head, &counter, change);
                let why = if is_semaphore { Refusal::SEMAPHORE_EMPTY } else { Refusal::BUSY };
                self.refuse(refused, called, why);
            }
            Patience::Limited => {
                let head = self.place_of_trying(cursor);
                let mut refused = self.try_to_change(cursor, head, &counter, change);
                let address = self.expr(cursor, counter);
                self.locked(&mut refused, address, FetchOp::Or, 0, 4);
                let why =
                    if is_semaphore { Refusal::SEMAPHORE_TIMED_OUT } else { Refusal::TIMED_OUT };
                self.perhaps(&mut refused, called, why);
                self.lead(&refused, head);
            }
        }
        Some(self.returns(cursor, called, 0))
    }

    /// Gives a reader-writer lock back. Who has it knows how: it stays as it is until then.
    fn give_back(&mut self, cursor: &mut Cursor, lock: &Val) {
        let (seen, holder) = (self.look_at(cursor, lock), self.holder());
        let is_written = compared(BinaryOp::Eq, seen.clone(), -holder);
        if self.world.environment.finds_misuse() {
            let is_read = compared(BinaryOp::Gt, seen, 0);
            let is_held = Expr::binary(BinaryOp::Or, is_written.clone(), is_read);
            self.emit(cursor, Failure::NotHeld.unless(is_held));
        }
        let operand = Expr::Select(Box::new([is_written, Expr::Const(holder), Expr::Const(-1)]));
        let address = self.expr(cursor, lock.clone());
        let update = Update::Fetch { op: FetchOp::Add, operand };
        let access = access(Order::SeqCst, 4);
        self.emit(cursor, Instruction::Update { result: None, address, update, access });
    }

    /// Leaves a number in `errno`, if the program ever looks there.
    pub(crate) fn set_errno(&mut self, cursor: &mut Cursor, number: Value) {
        let linked = self.world.linked;
        if linked.all_items().any(|item| linked.name(item) == "__errno_location") {
            let own = self.errno();
            self.store_bytes(cursor, &own, 4, Val::constant(number), Order::Plain);
        }
    }

    /// Where a thread has its `errno`.
    fn errno(&mut self) -> Val {
        let (number, copies) = (self.spec.number, u64::from(self.spec.copies));
        let name = format!("{}.errno", self.spec.name);
        let new = || Object { elements: copies, ..untyped_object(&name, 4) };
        let object = self.world.objects.intern(ObjectKey::Errno(number), new);
        Val::Expr(self.own_address(object, 1))
    }
}
