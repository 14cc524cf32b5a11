//! Threads of POSIX and C11: creating and joining them, mutexes, condition variables, `once`, barriers,
//! semaphores, reader-writer locks.
//!
//! What each operation is on x86 follows glibc. Creating, ending, joining, locking and unlocking are locked
//! accesses, so none of them is overtaken by a store; but a spin lock is given back by a mere store, and
//! who finds that there is nothing to do or to get finds it out by a mere load ([`once`], [`counters`]).
//! Waking others up that do not wait is nothing at all ([`condition`]).
//!
//! A mutex is its first four bytes: 0 if it is free, and otherwise who has it ([`held`]). Errors of wrong use are
//! never returned: wrong use is an error of the program, or waits forever.

mod condition;
mod counters;
mod held;
mod once;
mod threads;

use program::{Access, BinaryOp, Expr, FetchOp, Order, Update, Value};

pub(crate) use self::condition::{Patience, Woken};
pub(crate) use self::once::OnceStates;

use crate::call::Called;
use crate::path::PathId;
use crate::thread::{Awaited, Cursor, Flow, Walk, calls};
use crate::value::{self, Val};
use crate::world::MAX_CREATED;

/// What tells that no thread was created: `EAGAIN` of Linux, and `thrd_error` of glibc.
const AGAIN: Value = 11;
const NO_THREAD: Value = 2;
/// A mutex that is free is taken.
const TAKEN: Awaited = Awaited { expected: 0, new: 1, bytes: 4 };
/// Where a mutex of glibc says what kind it is, how wide that is, and the kinds that may not be locked
/// twice: normal and adaptive.
const KIND: (u64, u64) = (16, 4);
const ORDINARY_KINDS: [Value; 2] = [0, 3];
/// What `mtx_init` is given for a mutex that may be locked twice: this bit.
const MTX_RECURSIVE: Value = 1;

/// What is returned by who does not get what it wants.
#[derive(Clone, Copy, Debug)]
enum Refusal {
    /// This.
    Returned(Value),
    /// −1, and this is left in `errno`.
    Errno(Value),
}

impl Refusal {
    const BUSY: Self = Self::Returned(16);
    const TIMED_OUT: Self = Self::Returned(110);
    const C11_BUSY: Self = Self::Returned(1);
    const C11_TIMED_OUT: Self = Self::Returned(4);
    const SEMAPHORE_EMPTY: Self = Self::Errno(11);
    const SEMAPHORE_TIMED_OUT: Self = Self::Errno(110);
}

impl Walk<'_, '_, '_> {
    pub(crate) fn pthread(&mut self, cursor: &mut Cursor, called: &Called<'_>) -> Option<Flow> {
        let first = |walk: &mut Self, cursor: &Cursor| walk.argument(cursor, called, 0);
        Some(match called.name {
            "pthread_create" => self.create(cursor, called, (2, 3), AGAIN),
            "thrd_create" => self.create(cursor, called, (1, 2), NO_THREAD),
            "pthread_detach" | "thrd_detach" => self.detach(cursor, called),
            "pthread_attr_init" | "pthread_attr_setdetachstate" => {
                self.set_detached(cursor, called)
            }
            "pthread_join" => self.join(cursor, called, 8),
            "thrd_join" => self.join(cursor, called, 4),
            "pthread_exit" | "thrd_exit" => {
                let value = match first(self, cursor) {
                    Val::Expr(expr) => Some(expr),
                    Val::Private(..)
                    | Val::Aggregate(_)
                    | Val::Undefined
                    | Val::Inexpressible(_) => None,
                };
                let all: Vec<PathId> = calls(&cursor.known.frame).collect();
                self.end_variables(cursor, &all);
                self.end(cursor.clone(), value);
                Flow::Over
            }
            "pthread_self" | "thrd_current" => {
                let own = self.own_number();
                self.define(cursor, called.result, Val::Expr(own));
                Flow::Next
            }
            "pthread_equal" | "thrd_equal" => {
                let (left, right) = (first(self, cursor), self.argument(cursor, called, 1));
                let (left, right) = (self.expr(cursor, left), self.expr(cursor, right));
                let value = value::fold(Expr::binary(BinaryOp::Eq, left, right));
                self.define(cursor, called.result, Val::Expr(value));
                Flow::Next
            }
            "pthread_once" | "call_once" => self.once(cursor, called),
            "pthread_barrier_init" => {
                let barrier = first(self, cursor);
                let count = self.argument(cursor, called, 2);
                for (at, value) in [(0, count), (8, Val::constant(0))] {
                    let target = self.moved(&barrier, at);
                    self.store_bytes(cursor, &target, 4, value, Order::Plain);
                }
                self.returns(cursor, called, 0)
            }
            "pthread_barrier_wait" => {
                let barrier = first(self, cursor);
                let count = self.load_bytes(cursor, None, 1, &barrier, 4, Order::Plain);
                let count = self.expr(cursor, count);
                let arrived = self.moved(&barrier, 8);
                let is_last = self.barrier(cursor, count, &arrived);
                let last = Expr::Const(-1);
                let value = Expr::Select(Box::new([is_last, last, Expr::Const(0)]));
                self.define(cursor, called.result, Val::Expr(value));
                Flow::Next
            }
            name if does_nothing(name) => self.returns(cursor, called, 0),
            _ => return self.mutex(cursor, called).or_else(|| self.counter(cursor, called)),
        })
    }

    /// The handle of the thread itself: every copy has its own.
    pub(crate) fn own_number(&self) -> Expr {
        let number = Expr::Const(Value::from(self.spec.number));
        match self.own_copy_number() {
            Some(copy) => value::sum(value::times(copy, Value::from(MAX_CREATED)), number),
            None => number,
        }
    }

    fn mutex(&mut self, cursor: &mut Cursor, called: &Called<'_>) -> Option<Flow> {
        let mutex = self.argument(cursor, called, 0);
        match called.name {
            "pthread_mutex_init" | "pthread_spin_init" => {
                self.store_bytes(cursor, &mutex, 4, Val::constant(0), Order::Plain);
            }
            "pthread_mutex_destroy" | "mtx_destroy" | "pthread_spin_destroy" => {
                self.destroy(cursor, &mutex);
            }
            "mtx_init" => {
                let kind = self.argument(cursor, called, 1).as_constant();
                if kind.is_none_or(|kind| kind & MTX_RECURSIVE != 0) {
                    return Some(self.refuse_recursive(cursor));
                }
                self.store_bytes(cursor, &mutex, 4, Val::constant(0), Order::Plain);
            }
            "pthread_mutexattr_settype" => {
                let kind = self.argument(cursor, called, 1).as_constant();
                if kind.is_none_or(|kind| !ORDINARY_KINDS.contains(&kind)) {
                    return Some(self.refuse_recursive(cursor));
                }
            }
            "pthread_mutex_lock" | "mtx_lock" | "pthread_spin_lock" => {
                if called.name == "pthread_mutex_lock" && self.is_of_another_kind(&mutex) {
                    return Some(self.refuse_recursive(cursor));
                }
                self.lock_as_holder(cursor, &mutex);
            }
            "pthread_mutex_unlock" | "mtx_unlock" => self.unlock_as_holder(cursor, &mutex),
            "pthread_spin_unlock" => {
                self.must_be_held(cursor, &mutex);
                self.store_bytes(cursor, &mutex, 4, Val::constant(0), Order::Release);
            }
            "pthread_mutex_trylock" | "pthread_spin_trylock" => {
                self.try_lock(cursor, called, Refusal::BUSY);
            }
            "mtx_trylock" => self.try_lock(cursor, called, Refusal::C11_BUSY),
            "pthread_mutex_timedlock" | "pthread_mutex_clocklock" => {
                self.lock_in_time(cursor, called, Refusal::TIMED_OUT);
            }
            "mtx_timedlock" => self.lock_in_time(cursor, called, Refusal::C11_TIMED_OUT),
            "pthread_cond_init" | "cnd_init" => self.make_condition(cursor, &mutex),
            "pthread_cond_signal" | "cnd_signal" => self.wake(cursor, &mutex, Woken::One),
            "pthread_cond_broadcast" | "cnd_broadcast" => self.wake(cursor, &mutex, Woken::All),
            "pthread_cond_wait" | "cnd_wait" => {
                self.wait_on_condition(cursor, called, Patience::Unlimited);
            }
            "pthread_cond_timedwait" | "pthread_cond_clockwait" => {
                self.wait_on_condition(cursor, called, Patience::Limited);
                self.perhaps(cursor, called, Refusal::TIMED_OUT);
            }
            "cnd_timedwait" => {
                self.wait_on_condition(cursor, called, Patience::Limited);
                self.perhaps(cursor, called, Refusal::C11_TIMED_OUT);
            }
            _ => return None,
        }
        Some(self.returns(cursor, called, 0))
    }

    /// Whether a mutex is initialised as one that may be locked twice or that looks for errors.
    fn is_of_another_kind(&self, mutex: &Val) -> bool {
        let place = mutex.as_constant().and_then(|address| self.world.objects.at(address));
        place.is_some_and(|(object, offset)| {
            let image = &self.world.objects.get(object).initial;
            let (at, bytes) = KIND;
            u64::try_from(offset)
                .is_ok_and(|offset| !ORDINARY_KINDS.contains(&image.get(offset + at, bytes)))
        })
    }

    fn refuse_recursive(&mut self, cursor: &Cursor) -> Flow {
        self.error(
            cursor,
            "mutexes that may be locked twice or that look for errors are not known",
            "use an ordinary mutex",
        );
        Flow::Over
    }

    /// Takes a mutex: waits until it is free.
    pub(crate) fn lock(&mut self, cursor: &mut Cursor, mutex: &Val) {
        let address = self.expr(cursor, mutex.clone());
        self.wait_for(cursor, address, TAKEN);
    }

    /// Gives a mutex back.
    pub(crate) fn unlock(&mut self, cursor: &mut Cursor, mutex: &Val) {
        let address = self.expr(cursor, mutex.clone());
        self.locked(cursor, address, FetchOp::And, 0, 4);
    }

    fn wait_on_condition(&mut self, cursor: &mut Cursor, called: &Called<'_>, patience: Patience) {
        let condition = self.argument(cursor, called, 0);
        let mutex = self.argument(cursor, called, 1);
        self.wait_on(
            cursor,
            &condition,
            patience,
            |walk, cursor| walk.unlock_as_holder(cursor, &mutex),
            |walk, cursor| walk.lock_as_holder(cursor, &mutex),
        );
    }

    /// Tries to take a mutex; the way on if it was not free.
    fn try_to_lock(&mut self, cursor: &mut Cursor, mutex: &Val) -> Cursor {
        let (expected, new) = (Expr::Const(0), Expr::Const(self.holder()));
        let update = Update::CompareAndSwap { expected, new };
        let old = self.update(cursor, None, mutex, 4, update, Access::with_order(Order::SeqCst));
        let old = old.unwrap_or(Expr::Const(0));
        self.must_not_be_destroyed(cursor, &old);
        let was_free = Expr::binary(BinaryOp::Eq, old, Expr::Const(0));
        let refused = self.branch(cursor, was_free.clone().negated());
        self.emit(cursor, program::Instruction::Assume(was_free));
        refused
    }

    fn try_lock(&mut self, cursor: &mut Cursor, called: &Called<'_>, busy: Refusal) {
        let mutex = self.argument(cursor, called, 0);
        let refused = self.try_to_lock(cursor, &mutex);
        self.refuse(refused, called, busy);
    }

    /// Tries to take a mutex, as long as there is time.
    fn lock_in_time(&mut self, cursor: &mut Cursor, called: &Called<'_>, late: Refusal) {
        let mutex = self.argument(cursor, called, 0);
        let head = self.place_of_trying(cursor);
        let mut refused = self.try_to_lock(cursor, &mutex);
        self.perhaps(&mut refused, called, late);
        self.lead(&refused, head);
    }

    /// A call may be refused here.
    fn perhaps(&mut self, cursor: &mut Cursor, called: &Called<'_>, refusal: Refusal) {
        let refused = self.branch(cursor, Expr::Const(1));
        self.refuse(refused, called, refusal);
    }

    /// Goes on after a call that has not got what it wants.
    fn refuse(&mut self, mut way: Cursor, called: &Called<'_>, refusal: Refusal) {
        let value = match refusal {
            Refusal::Returned(value) => value,
            Refusal::Errno(number) => {
                self.set_errno(&mut way, number);
                -1
            }
        };
        self.returns(&mut way, called, value);
        way.known.frame.index += 1;
        self.set_aside(way);
    }
}

/// Whether a function does nothing that a program can see: it wakes up who is not put down as waiting,
/// gives back what nobody uses, or sets what only the operating system looks at.
fn does_nothing(name: &str) -> bool {
    match name {
        "pthread_cond_destroy"
        | "cnd_destroy"
        | "pthread_barrier_destroy"
        | "pthread_rwlock_destroy"
        | "sem_destroy"
        | "pthread_attr_destroy"
        | "pthread_mutexattr_init"
        | "pthread_mutexattr_destroy"
        | "pthread_mutexattr_setpshared"
        | "pthread_mutexattr_setprotocol"
        | "pthread_condattr_init"
        | "pthread_condattr_destroy"
        | "pthread_condattr_setclock"
        | "pthread_condattr_setpshared"
        | "pthread_rwlockattr_init"
        | "pthread_rwlockattr_destroy"
        | "pthread_rwlockattr_setpshared"
        | "pthread_barrierattr_init"
        | "pthread_barrierattr_destroy"
        | "pthread_barrierattr_setpshared"
        | "pthread_setaffinity_np"
        | "pthread_setname_np"
        | "pthread_setschedparam"
        | "pthread_setschedprio"
        | "pthread_setconcurrency"
        // Nobody is ever cancelled.
        | "pthread_testcancel"
        | "pthread_yield" => true,
        _ => name.starts_with("pthread_attr_set"),
    }
}
