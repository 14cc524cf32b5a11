//! Threads of POSIX and C11: creating and joining them, mutexes, condition variables, `once`, barriers.
//!
//! Creating, ending, joining, locking and unlocking are locked accesses, as in every implementation on
//! x86, so none of them is overtaken by a store. A mutex is its first four bytes: 0 if it is free. To
//! wait on a condition variable is to give the mutex back and take it again: waking up for no reason is
//! allowed, so nothing else can be relied upon; what is lost is that a wait may last for ever. Errors are
//! never returned.

use program::{BinaryOp, Expr, FetchOp, Instruction, Order, Update, Value};

use crate::call::Called;
use crate::link::Item;
use crate::object::ObjectKey;
use crate::thread::{
    Cursor, Finally, Flow, Limit, MOST_THREADS, Scratch, Slot, WORD, Walk, access,
};
use crate::value::Val;
use crate::world::{Argument, ThreadSpec, nameless};

/// C11's result for a mutex that is taken.
const THRD_BUSY: Value = 1;
/// The same of POSIX: `EBUSY`.
const EBUSY: Value = 16;

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
}

impl Walk<'_, '_, '_> {
    pub(crate) fn pthread(&mut self, cursor: &mut Cursor, called: &Called<'_>) -> Option<Flow> {
        let first = |walk: &mut Self, cursor: &Cursor| walk.argument(cursor, called, 0);
        Some(match called.name {
            "pthread_create" => return Some(self.create(cursor, called, 2, 3)),
            "thrd_create" => return Some(self.create(cursor, called, 1, 2)),
            "pthread_join" => self.join(cursor, called, 8),
            "thrd_join" => self.join(cursor, called, 4),
            "pthread_exit" | "thrd_exit" => {
                let value = first(self, cursor);
                let value = match value {
                    Val::Expr(expr) => Some(expr),
                    Val::Private(..)
                    | Val::Aggregate(_)
                    | Val::Undefined
                    | Val::Inexpressible(_) => None,
                };
                self.end(cursor.clone(), value);
                return Some(Flow::Over);
            }
            "pthread_self" | "thrd_current" => {
                let number = Value::from(self.spec.number);
                self.returns(cursor, called, number)
            }
            "pthread_equal" | "thrd_equal" => {
                let (left, right) = (first(self, cursor), self.argument(cursor, called, 1));
                let (left, right) = (self.expr(cursor, left), self.expr(cursor, right));
                let value = crate::value::fold(Expr::binary(BinaryOp::Eq, left, right));
                self.define(cursor, called.result, Val::Expr(value));
                Flow::Next
            }
            "pthread_mutex_init" | "mtx_init" | "pthread_spin_init" => {
                let mutex = first(self, cursor);
                self.store_bytes(cursor, &mutex, 4, Val::constant(0), Order::Plain);
                self.returns(cursor, called, 0)
            }
            "pthread_mutex_lock" | "mtx_lock" | "pthread_spin_lock" => {
                let mutex = first(self, cursor);
                self.lock(cursor, &mutex);
                self.returns(cursor, called, 0)
            }
            "pthread_mutex_unlock" | "mtx_unlock" | "pthread_spin_unlock" => {
                let mutex = first(self, cursor);
                self.unlock(cursor, &mutex);
                self.returns(cursor, called, 0)
            }
            "pthread_mutex_trylock" | "pthread_spin_trylock" => {
                self.try_lock(cursor, called, EBUSY)
            }
            "mtx_trylock" => self.try_lock(cursor, called, THRD_BUSY),
            "pthread_cond_wait" | "cnd_wait" => {
                let mutex = self.argument(cursor, called, 1);
                self.unlock(cursor, &mutex);
                self.lock(cursor, &mutex);
                self.returns(cursor, called, 0)
            }
            "pthread_cond_signal"
            | "pthread_cond_broadcast"
            | "cnd_signal"
            | "cnd_broadcast"
            | "pthread_cond_init"
            | "cnd_init"
            | "pthread_cond_destroy"
            | "cnd_destroy"
            | "pthread_mutex_destroy"
            | "mtx_destroy"
            | "pthread_barrier_destroy"
            | "pthread_spin_destroy"
            | "pthread_attr_init"
            | "pthread_attr_destroy"
            | "pthread_detach"
            | "thrd_detach"
            | "pthread_setaffinity_np"
            | "pthread_yield" => self.returns(cursor, called, 0),
            "pthread_once" | "call_once" => return Some(self.once(cursor, called)),
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
            _ => return None,
        })
    }

    /// Takes a mutex: waits until it is free.
    pub(crate) fn lock(&mut self, cursor: &mut Cursor, mutex: &Val) {
        let update = Update::BlockingReadWrite { expected: Expr::Const(0), new: Expr::Const(1) };
        let address = self.expr(cursor, mutex.clone());
        let access = access(Order::SeqCst, 4);
        self.emit(cursor, Instruction::Update { result: None, address, update, access });
    }

    /// Gives a mutex back.
    pub(crate) fn unlock(&mut self, cursor: &mut Cursor, mutex: &Val) {
        let address = self.expr(cursor, mutex.clone());
        self.locked(cursor, address, FetchOp::And, 0, 4);
    }

    /// Takes a mutex if it is free; whether it was.
    pub(crate) fn try_to_lock(&mut self, cursor: &mut Cursor, mutex: &Val) -> Expr {
        let update = Update::CompareAndSwap { expected: Expr::Const(0), new: Expr::Const(1) };
        let old = self.update(cursor, None, mutex, 4, update, Order::SeqCst);
        Expr::binary(BinaryOp::Eq, old.unwrap_or(Expr::Const(0)), Expr::Const(0))
    }

    fn try_lock(&mut self, cursor: &mut Cursor, called: &Called<'_>, busy: Value) -> Flow {
        let mutex = self.argument(cursor, called, 0);
        let is_taken = self.try_to_lock(cursor, &mutex);
        let value = Expr::Select(Box::new([is_taken, Expr::Const(0), Expr::Const(busy)]));
        self.define(cursor, called.result, Val::Expr(value));
        Flow::Next
    }

    /// Arrives at a barrier for `count` threads and waits for the others; whether this was the last to
    /// arrive. Four bytes at `arrived` say how many have arrived so far, ever.
    pub(crate) fn barrier(&mut self, cursor: &mut Cursor, count: Expr, arrived: &Val) -> Expr {
        let one = Update::Fetch { op: program::FetchOp::Add, operand: Expr::Const(1) };
        let before = self.update(cursor, None, arrived, 4, one, Order::SeqCst);
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

    fn once(&mut self, cursor: &mut Cursor, called: &Called<'_>) -> Flow {
        let control = self.argument(cursor, called, 0);
        let routine = self.argument(cursor, called, 1);
        let address = routine.as_constant();
        let Some(item) = address.and_then(|address| self.function_at(address)) else {
            self.error(cursor, "which function is called once is not known", "name it directly");
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
        let begin = Update::CompareAndSwap { expected: new.clone(), new: running.clone() };
        let old = self.update(cursor, None, control, 4, begin, Order::SeqCst);
        let old = old.unwrap_or(Expr::Const(0));
        let is_first = Expr::binary(BinaryOp::Eq, old, new);
        let mut other = self.branch(cursor, is_first.negated());
        let done = Expr::Const(states.done);
        let wait = Update::BlockingReadWrite { expected: done.clone(), new: done.clone() };
        let address = self.expr(&other, control.clone());
        let access = access(Order::SeqCst, 4);
        let wait =
            Instruction::Update { result: None, address: address.clone(), update: wait, access };
        self.emit(&mut other, wait);
        other.known.frame.index += 1;
        self.set_aside(other);
        self.emit(cursor, Instruction::Assume(is_first));
        // When the routine returns, what waits for it is told.
        let update = Update::CompareAndSwap { expected: running, new: done };
        let tell = Instruction::Update { result: None, address, update, access };
        self.enter_then(cursor, item, arguments, Finally::Step(tell))
    }

    fn create(
        &mut self,
        cursor: &mut Cursor,
        called: &Called<'_>,
        routine: usize,
        argument: usize,
    ) -> Flow {
        let handle = self.argument(cursor, called, 0);
        let routine = self.argument(cursor, called, routine);
        let argument = self.argument(cursor, called, argument);
        let Some(item) = routine.as_constant().and_then(|address| self.function_at(address)) else {
            self.error(cursor, "which function this thread runs is not known", "name it directly");
            return Flow::Over;
        };
        let name = self.world.linked.name(item).to_owned();
        let Some(number) = self.new_thread(cursor, item) else {
            return self.give_up(cursor, Limit::Threads);
        };
        self.create_thread(cursor, number, item, &name, vec![argument], None);
        let number = Value::from(number);
        // The handle: eight bytes of POSIX and of C11 on Linux.
        self.store_bytes(cursor, &handle, 8, Val::constant(number), Order::Plain);
        self.start_thread(cursor, number);
        self.returns(cursor, called, 0)
    }

    /// The number of a thread that is created here: on all ways that come here equally often, the same.
    /// None if there are too many.
    pub(crate) fn new_thread(&mut self, cursor: &mut Cursor, entry: Item) -> Option<u32> {
        let point = self.point(cursor);
        let slot = Slot::Created(point);
        let created = cursor.known.slots.get(&slot).and_then(Val::as_constant).unwrap_or(0);
        let ordinal = u32::try_from(created).ok().filter(|created| *created < MOST_THREADS)?;
        cursor.known.slots.insert(slot, Val::constant(created + 1));
        Some(self.world.created(point, ordinal, entry))
    }

    /// Registers a thread, and puts down what it is given. What differs from one way that leads here to
    /// another is passed in memory.
    pub(crate) fn create_thread(
        &mut self,
        cursor: &mut Cursor,
        number: u32,
        entry: Item,
        name: &str,
        arguments: Vec<Val>,
        result: Option<Value>,
    ) {
        let words = arguments.len() as u64;
        let mut given = Vec::new();
        for (argument, at) in arguments.into_iter().zip(0u64..) {
            let varies = self.world.facts.varying.contains(&(number, at));
            given.push(match argument {
                Val::Expr(Expr::Const(value)) if !varies => Argument::Constant(value),
                Val::Undefined if !varies => Argument::Constant(0),
                Val::Expr(_) | Val::Undefined => {
                    let value = self.expr(cursor, argument);
                    let address = self.passed_word(number, at, words);
                    let access = access(Order::Plain, 8);
                    let place = Expr::Const(address);
                    self.emit(cursor, Instruction::Store { address: place, value, access });
                    Argument::Passed(address)
                }
                Val::Aggregate(_) if argument.is_static() => Argument::Known(argument),
                other @ (Val::Private(..) | Val::Aggregate(_) | Val::Inexpressible(_)) => {
                    self.expr(cursor, other);
                    Argument::Constant(0)
                }
            });
        }
        if let Some(already) = self.world.threads.iter().find(|thread| thread.number == number) {
            for ((one, other), at) in given.iter().zip(&already.arguments).zip(0..) {
                if one != other {
                    self.world.facts.is_new |= self.world.facts.varying.insert((number, at));
                }
            }
            return;
        }
        let is_taken = self.world.threads.iter().any(|thread| thread.name == name);
        let name = if is_taken { format!("{name}#{number}") } else { name.to_owned() };
        self.world.threads.push(ThreadSpec {
            number,
            name,
            entry,
            arguments: given,
            copies: 1,
            is_created: true,
            result,
        });
    }

    /// Where an argument is put down: a word of the thread if there is only one.
    fn passed_word(&mut self, number: u32, at: u64, words: u64) -> Value {
        if words == 1
            && let Expr::Const(address) = self.thread_word(Expr::Const(Value::from(number)), 2)
        {
            return address;
        }
        let name = format!("thread[{number}].arguments");
        let key = ObjectKey::Environment(number);
        let object = self.world.objects.intern(key, || nameless(&name, words * 8));
        self.world.objects.get(object).base + Value::from(at * 8)
    }

    /// Lets a created thread begin. Whoever comes here again with the same thread gives up.
    pub(crate) fn start_thread(&mut self, cursor: &mut Cursor, number: Value) {
        let address = Val::Expr(self.thread_word(Expr::Const(number), 0));
        let update = Update::Exchange(Expr::Const(1));
        let old = self.update(cursor, None, &address, 8, update, Order::SeqCst);
        let again = Expr::binary(BinaryOp::Ne, old.unwrap_or(Expr::Const(0)), Expr::Const(0));
        let mut beyond = self.branch(cursor, again.clone());
        self.give_up(&mut beyond, Limit::SameThread);
        self.emit(cursor, Instruction::Assume(again.negated()));
    }

    /// Waits until a thread has ended.
    pub(crate) fn join_thread(&mut self, cursor: &mut Cursor, number: Expr) {
        let address = self.thread_word(number, 1);
        self.wait_for(cursor, address);
    }

    fn join(&mut self, cursor: &mut Cursor, called: &Called<'_>, bytes: u64) -> Flow {
        let handle = self.argument(cursor, called, 0);
        let handle = self.expr(cursor, handle);
        self.join_thread(cursor, handle.clone());
        let target = self.argument(cursor, called, 1);
        if target.as_constant() != Some(0) {
            let word = Val::Expr(self.thread_word(handle, 3));
            let value = self.load_bytes(cursor, None, 3, &word, 8, Order::Plain);
            let value = match value {
                Val::Expr(expr) if bytes < 8 => {
                    crate::value::truncate_bytes(4, expr).map_or(Val::Undefined, Val::Expr)
                }
                value @ (Val::Expr(_)
                | Val::Private(..)
                | Val::Aggregate(_)
                | Val::Undefined
                | Val::Inexpressible(_)) => value,
            };
            self.store_bytes(cursor, &target, bytes, value, Order::Plain);
        }
        self.returns(cursor, called, 0)
    }
}
