//! Waiting: where locks, condition variables, `Once` and barriers would ask the operating system.
//!
//! The fast paths of a lock are in the program's module: a mutex and a reader-writer lock take their
//! word by compare-and-swap, and only then call what stands here, which waits until the lock can be
//! taken. Nobody is ever put down as waiting, so nobody need be woken.

use program::{BinaryOp, Expr, Instruction, Order, Update, Value};

use crate::call::Called;
use crate::library::pthread::OnceStates;
use crate::library::rust::{layout, names};
use crate::object::ObjectKey;
use crate::thread::{Cursor, Flow, Scratch, Walk, access};
use crate::value::{self, Val};

/// `std::sys::sync::once::futex`.
const ONCE: OnceStates = OnceStates { new: 3, running: 1, done: 0 };
/// A reader-writer lock that is held by a writer: `std::sys::sync::rwlock::futex::WRITE_LOCKED`.
const WRITE_LOCKED: Value = 0x3fff_ffff;
/// The place of `FnMut::call_mut` in a table of methods: behind the drop function, size, alignment and
/// `call_once`.
const CALL_MUT: u64 = 4 * 8;

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
                let free = Expr::Const(0);
                let update =
                    Update::BlockingReadWrite { expected: free, new: Expr::Const(WRITE_LOCKED) };
                let address = self.expr(cursor, first);
                let access = access(Order::SeqCst, 4);
                self.emit(cursor, Instruction::Update { result: None, address, update, access });
                Flow::Next
            }
            ("RwLock", "read_contended") => {
                self.read_lock(cursor, &first);
                Flow::Next
            }
            ("Mutex", "wake")
            | ("RwLock", "wake_writer_or_readers" | "wake_writer")
            | ("Condvar", "notify_one" | "notify_all") => Flow::Next,
            ("Condvar", "wait") if path.starts_with("std::sys::") => {
                let mutex = self.argument(cursor, called, 1);
                self.unlock(cursor, &mutex);
                self.lock(cursor, &mutex);
                Flow::Next
            }
            ("Condvar", "wait_timeout") if path.starts_with("std::sys::") => {
                let mutex = self.argument(cursor, called, 1);
                self.unlock(cursor, &mutex);
                self.lock(cursor, &mutex);
                self.choose(cursor, called, 0, 1);
                Flow::Next
            }
            // Locks are never poisoned.
            ("Flag", "guard" | "borrow" | "get" | "done") if path.contains("::poison::") => {
                self.quietly(cursor, called)
            }
            ("thread" | "panicking", "panicking") => self.quietly(cursor, called),
            ("Once", "call") if path.starts_with("std::sys::") => {
                return Some(self.rust_once(cursor, called, &first));
            }
            ("Once", "wait") if path.starts_with("std::sys::") => {
                let done = Expr::Const(ONCE.done);
                let update = Update::BlockingReadWrite { expected: done.clone(), new: done };
                let address = self.expr(cursor, first);
                let access = access(Order::SeqCst, 4);
                self.emit(cursor, Instruction::Update { result: None, address, update, access });
                Flow::Next
            }
            ("Barrier", "wait") => return self.rust_barrier(cursor, called, &first),
            _ => return None,
        })
    }

    /// Takes a reader-writer lock for reading: waits until no writer has it, and counts one more.
    fn read_lock(&mut self, cursor: &mut Cursor, lock: &Val) {
        let int = value::int(32).map_or(crate::thread::WORD, program::Domain::Wrapping);
        let seen = self.scratch(cursor, Scratch::Seen, int);
        let address = self.expr(cursor, lock.clone());
        let access = access(Order::Relaxed, 4);
        let lock = lock.clone();
        self.wait_until(cursor, |walk, cursor| {
            walk.emit(cursor, Instruction::Load { register: seen, address, access });
            let seen = Expr::Register(seen);
            let is_free = Expr::binary(BinaryOp::Ne, seen.clone(), Expr::Const(WRITE_LOCKED));
            // A lock that a writer has holds no such value.
            let expected = Expr::Select(Box::new([is_free.clone(), seen.clone(), Expr::Const(-1)]));
            let new = Expr::binary(BinaryOp::Add, seen.clone(), Expr::Const(1));
            let update = Update::CompareAndSwap { expected, new };
            let old = walk.update(cursor, None, &lock, 4, update, Order::Acquire);
            let is_taken = Expr::binary(BinaryOp::Eq, old.unwrap_or(Expr::Const(0)), seen);
            Expr::binary(BinaryOp::And, is_free, is_taken)
        });
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
