//! Waiting: where locks, condition variables, `Once` and barriers would ask the operating system.
//!
//! The fast paths of a lock are in the program's module: a mutex and a reader-writer lock take their
//! word by compare-and-swap, and only then call what stands here, which waits until the lock can be
//! taken. Nobody is ever put down as waiting, so nobody need be woken.

use program::{BinaryOp, Expr, Order, Value};

use crate::call::Called;
use crate::library::pthread::{OnceStates, Patience, Woken};
use linkage::names;

use crate::library::rust::layout;
use crate::object::ObjectKey;
use crate::thread::{Awaited, Change, Cursor, Flow, Walk};
use crate::value::Val;

/// `std::sys::sync::once::futex`.
const ONCE: OnceStates = OnceStates { new: 3, running: 1, done: 0 };
/// A reader-writer lock that is held by a writer: `std::sys::sync::rwlock::futex::WRITE_LOCKED`.
const WRITE_LOCKED: Value = 0x3fff_ffff;
/// The place of `FnMut::call_mut` in a table of methods: behind the drop function, size, alignment and
/// `call_once`.
const CALL_MUT: u64 = 4 * 8;

/// One more reads, unless somebody writes.
fn read(seen: Expr) -> Change {
    let is_allowed = Expr::binary(BinaryOp::Ne, seen.clone(), Expr::Const(WRITE_LOCKED));
    Change { is_allowed, new: Expr::binary(BinaryOp::Add, seen, Expr::Const(1)) }
}

impl Walk<'_, '_, '_> {
    pub(crate) fn rust_synchronisation(
        &mut self,
        cursor: &mut Cursor,
        called: &Called<'_>,
        path: &str,
    ) -> Option<Flow> {
        if !path.starts_with("std::") {
            return None;
        }
        let first = self.argument(cursor, called, 0);
        Some(match names::last_two(path) {
            ("Mutex", "lock_contended") => {
                self.lock(cursor, &first);
                Flow::Next
            }
            ("RwLock", "write_contended") => {
                let address = self.expr(cursor, first);
                let awaited = Awaited { expected: 0, new: WRITE_LOCKED, bytes: 4 };
                self.wait_for(cursor, address, awaited);
                Flow::Next
            }
            ("RwLock", "read_contended") => {
                self.wait_to_change(cursor, &first, read);
                Flow::Next
            }
            // Whoever waits for a word to change looks again, and may always do so.
            ("futex", "futex_wait") => self.returns(cursor, called, 1),
            ("Mutex", "wake") | ("RwLock", "wake_writer_or_readers" | "wake_writer") => Flow::Next,
            ("Condvar", "notify_one") => {
                self.wake(cursor, &first, Woken::One);
                Flow::Next
            }
            ("Condvar", "notify_all") => {
                self.wake(cursor, &first, Woken::All);
                Flow::Next
            }
            ("Condvar", "wait") if path.starts_with("std::sys::") => {
                self.wait_on_condvar(cursor, called, Patience::Unlimited);
                Flow::Next
            }
            ("Condvar", "wait_timeout") if path.starts_with("std::sys::") => {
                self.wait_on_condvar(cursor, called, Patience::Limited);
                self.choose(cursor, called, 0, 1);
                Flow::Next
            }
            // Locks are never poisoned.
            ("Flag", "guard" | "borrow" | "get" | "done") if path.contains("::poison::") => {
                self.quietly(cursor, called)
            }
            ("thread" | "panicking", "panicking") | ("futex", "futex_wake" | "futex_wake_all") => {
                self.quietly(cursor, called)
            }
            ("Once", "call") if path.starts_with("std::sys::") => {
                return Some(self.rust_once(cursor, called, &first));
            }
            ("Once", "wait") if path.starts_with("std::sys::") => {
                let address = self.expr(cursor, first);
                self.wait_for(cursor, address, ONCE.awaited());
                Flow::Next
            }
            ("Barrier", "wait") => return self.rust_barrier(cursor, called, &first),
            _ => return None,
        })
    }

    fn wait_on_condvar(&mut self, cursor: &mut Cursor, called: &Called<'_>, patience: Patience) {
        let condition = self.argument(cursor, called, 0);
        let mutex = self.argument(cursor, called, 1);
        self.wait_on(
            cursor,
            &condition,
            patience,
            |walk, cursor| walk.unlock(cursor, &mutex),
            |walk, cursor| walk.lock(cursor, &mutex),
        );
    }

    /// Calls a closure, given by what it holds and its table of methods, unless somebody has.
    fn rust_once(&mut self, cursor: &mut Cursor, called: &Called<'_>, control: &Val) -> Flow {
        let held = self.argument(cursor, called, 2);
        let methods = self.argument(cursor, called, 3);
        let method = self.moved(&methods, CALL_MUT);
        let routine = self.load_bytes(cursor, None, 5, &method, 8, Order::Plain);
        let Some(item) = routine.as_constant().and_then(|address| self.function_at(address)) else {
            self.error(cursor, "which function is called once is not known", "name it directly");
            return Flow::Over;
        };
        // Whether an earlier call failed, which none does.
        let key = ObjectKey::Support(self.point(cursor));
        let state = Val::constant(self.own_object(key, "once", 8));
        self.run_once(cursor, control, ONCE, item, vec![held, state])
    }

    /// How many have arrived is counted in the barrier's condition variable, which is not needed.
    fn rust_barrier(
        &mut self,
        cursor: &mut Cursor,
        called: &Called<'_>,
        barrier: &Val,
    ) -> Option<Flow> {
        let module = cursor.known.frame.function.module;
        let metadata = &self.world.linked.module(module).metadata;
        let count = layout::field(metadata, "Barrier", "num_threads")?;
        let arrived = layout::field(metadata, "Barrier", "cvar")?;
        let count = self.moved(barrier, count);
        let count = self.load_bytes(cursor, None, 1, &count, 8, Order::Plain);
        let count = self.expr(cursor, count);
        let arrived = self.moved(barrier, arrived);
        let is_last = self.barrier(cursor, count, &arrived);
        self.define(cursor, called.result, Val::Expr(is_last));
        Some(Flow::Next)
    }
}
