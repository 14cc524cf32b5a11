//! Creating and joining threads. A handle is the number of the thread.

use program::{Access, BinaryOp, Expr, Failure, FetchOp, Instruction, Order, Update, Value};

use crate::call::Called;
use crate::library;
use crate::object::ObjectKey;
use crate::thread::{Awaited, Cursor, Flow, HAPPENED, Limit, Slot, Walk, access};
use crate::value::{self, Val};
use crate::world::{Argument, ThreadSpec, untyped_object};
use linkage::Item;

/// Besides whether a thread has ended: whether it was joined or detached.
const JOINED: Value = 4;

impl Walk<'_, '_, '_> {
    pub(super) fn create(
        &mut self,
        cursor: &mut Cursor,
        called: &Called<'_>,
        (routine, argument): (usize, usize),
        failed: Value,
    ) -> Flow {
        // Who does not look relies on it.
        if self.is_looked_at(cursor, called.result) {
            self.may_be_refused(cursor, called, |walk, refused| {
                walk.returns(refused, called, failed);
            });
        }
        let handle = self.argument(cursor, called, 0);
        let routine = self.argument(cursor, called, routine);
        let argument = self.argument(cursor, called, argument);
        let attributes = match called.name {
            "pthread_create" => self.argument(cursor, called, 1),
            _ => Val::constant(0),
        };
        let flow = self.create_running(cursor, &routine, argument, |walk, cursor, number| {
            walk.detach_by(cursor, &attributes, number);
            // The handle: eight bytes of POSIX and of C11 on Linux.
            walk.store_bytes(cursor, &handle, 8, Val::constant(number), Order::Plain);
        });
        self.define(cursor, called.result, Val::constant(0));
        flow
    }

    /// Creates a thread that runs a function with an argument; its number is put down before it begins.
    pub(crate) fn create_running(
        &mut self,
        cursor: &mut Cursor,
        routine: &Val,
        argument: Val,
        put_down: impl FnOnce(&mut Self, &mut Cursor, Value),
    ) -> Flow {
        let Some(item) = self.routine(cursor, routine, "this thread runs") else {
            return Flow::Over;
        };
        let name = self.world.linked.name(item).to_owned();
        let Some(number) = self.new_thread(cursor, item) else {
            return self.give_up(cursor, Limit::Threads);
        };
        self.create_thread(cursor, number, item, &name, vec![argument], None);
        let number = Value::from(number);
        put_down(self, cursor, number);
        self.start_thread(cursor, number);
        Flow::Next
    }

    /// The function that a library function is to call; an error if it is not known, or not what it does.
    pub(crate) fn routine(&mut self, cursor: &Cursor, routine: &Val, what: &str) -> Option<Item> {
        let item = routine.as_constant().and_then(|address| self.function_at(address));
        let Some(item) = item else {
            let message = format!("which function {what} is not known");
            self.error(cursor, message, "name it directly");
            return None;
        };
        if self.world.linked.has_body(item) {
            return Some(item);
        }
        let name = library::readable(self.world.linked.name(item));
        let message = format!("`{name}`, which {what}, has no body here");
        self.error(cursor, message, "add the file that defines it");
        None
    }

    /// The number of a thread that is created here: on all ways that come here equally often, the same.
    /// None if there are too many.
    pub(crate) fn new_thread(&mut self, cursor: &mut Cursor, entry: Item) -> Option<u32> {
        let point = self.point(cursor);
        let slot = Slot::Created(point);
        let created = cursor.known.slots.get(&slot).and_then(Val::as_constant).unwrap_or(0);
        let most = self.world.environment.bounds.threads;
        let ordinal = u32::try_from(created).ok().filter(|created| *created < most)?;
        let number = self.world.created(point, ordinal, entry)?;
        cursor.known.slots.insert(slot, Val::constant(created + 1));
        Some(number)
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
        let name = self.world.name_of_thread(name);
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
        let name = "arguments";
        let key = ObjectKey::Environment(number);
        let object = self.world.objects.intern(key, || untyped_object(name, words * 8));
        self.world.objects.get(object).base + Value::from(at * 8)
    }

    /// Lets a created thread begin. Whoever comes here again with the same thread gives up.
    pub(crate) fn start_thread(&mut self, cursor: &mut Cursor, number: Value) {
        let address = Val::Expr(self.thread_word(Expr::Const(number), 0));
        let is_perhaps = |perhaps: &u32| Value::from(*perhaps) == number;
        let may_be_dismissed = self.world.facts.perhaps.iter().any(is_perhaps);
        let created = Expr::Const(HAPPENED.new);
        let update = if may_be_dismissed {
            // A thread must see that it was dismissed: who dismisses it waits until it has.
            Update::CompareAndSwap { expected: Expr::Const(0), new: created }
        } else {
            Update::Exchange(created)
        };
        let old = self.update(cursor, None, &address, 8, update, Access::with_order(Order::SeqCst));
        self.note_started(number);
        let old = old.unwrap_or(Expr::Const(0));
        if may_be_dismissed {
            // Who was dismissed is not created any more: whatever it would do could have been done before.
            let is_dismissed = Expr::binary(BinaryOp::Gt, old.clone(), Expr::Const(1));
            self.emit(cursor, Instruction::Assume(is_dismissed.negated()));
        }
        let again = Expr::binary(BinaryOp::Ne, old, Expr::Const(0));
        let mut beyond = self.branch(cursor, again.clone());
        self.give_up(&mut beyond, Limit::SameThread);
        self.emit(cursor, Instruction::Assume(again.negated()));
    }

    pub(super) fn join(&mut self, cursor: &mut Cursor, called: &Called<'_>, bytes: u64) -> Flow {
        let handle = self.argument(cursor, called, 0);
        let handle = self.expr(cursor, handle);
        let ended = self.thread_word(handle.clone(), 1);
        if self.may_be_joined_elsewhere(cursor, &handle) {
            let joined = Awaited { new: HAPPENED.new | JOINED, ..HAPPENED };
            let stays = |value| Awaited { expected: value, new: value, ..HAPPENED };
            let amiss =
                [HAPPENED.new | JOINED, JOINED].map(|value| (stays(value), Failure::JoinedAgain));
            self.wait_for_unless(cursor, ended, joined, &amiss);
        } else {
            self.wait_for(cursor, ended, HAPPENED);
        }
        let target = self.argument(cursor, called, 1);
        if target.as_constant() != Some(0) {
            let word = Val::Expr(self.thread_word(handle, 3));
            let value = self.load_bytes(cursor, None, 3, &word, 8, Order::Plain);
            let value = match value {
                Val::Expr(expr) if bytes < 8 => {
                    value::truncate_bytes(4, expr).map_or(Val::Undefined, Val::Expr)
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

    /// Gives up the right to join a thread.
    pub(super) fn detach(&mut self, cursor: &mut Cursor, called: &Called<'_>) -> Flow {
        let handle = self.argument(cursor, called, 0);
        let handle = self.expr(cursor, handle);
        if self.may_be_joined_elsewhere(cursor, &handle) {
            let ended = Val::Expr(self.thread_word(handle, 1));
            let update = Update::Fetch { op: FetchOp::Or, operand: Expr::Const(JOINED) };
            let how = Access::with_order(Order::SeqCst);
            if let Some(old) = self.update(cursor, None, &ended, 8, update, how) {
                let joined = Expr::binary(BinaryOp::BitAnd, old, Expr::Const(JOINED));
                let is_not = Expr::binary(BinaryOp::Eq, joined, Expr::Const(0));
                self.emit(cursor, Failure::JoinedAgain.unless(is_not));
            }
        }
        self.returns(cursor, called, 0)
    }

    /// Whether another thread may join or detach the same one, or nobody knows which one it is: then it is written
    /// down. An error where this thread has done so before.
    fn may_be_joined_elsewhere(&mut self, cursor: &mut Cursor, handle: &Expr) -> bool {
        if !self.world.environment.finds_misuse() {
            return false;
        }
        let Expr::Const(number) = handle else {
            let facts = &mut self.world.facts;
            facts.is_new |= !std::mem::replace(&mut facts.joins.are_unclear, true);
            return true;
        };
        let facts = &mut self.world.facts;
        let joiners = facts.joins.joiners.entry(*number).or_default();
        facts.is_new |= joiners.insert(self.spec.number);
        let are_several = joiners.len() > 1 || self.spec.copies > 1 || facts.joins.are_unclear;
        if cursor.known.slots.insert(Slot::Joined(*number), Val::constant(1)).is_some() {
            self.emit(cursor, Failure::JoinedAgain.unless(Expr::Const(0)));
        }
        are_several
    }

    /// Sets whether threads with some attributes are detached.
    pub(super) fn set_detached(&mut self, cursor: &mut Cursor, called: &Called<'_>) -> Flow {
        if self.world.environment.finds_misuse() {
            let is_new = called.name == "pthread_attr_init";
            let state = if is_new { Val::constant(0) } else { self.argument(cursor, called, 1) };
            if state.as_constant() != Some(0) {
                let facts = &mut self.world.facts;
                facts.is_new |= !std::mem::replace(&mut facts.joins.creates_detached, true);
                facts.is_new |= !std::mem::replace(&mut facts.joins.are_unclear, true);
            }
            if is_new || self.world.facts.joins.creates_detached {
                let attributes = self.argument(cursor, called, 0);
                self.store_bytes(cursor, &attributes, 4, state, Order::Plain);
            }
        }
        self.returns(cursor, called, 0)
    }

    /// Detaches a thread that is created with attributes that say so.
    fn detach_by(&mut self, cursor: &mut Cursor, attributes: &Val, number: Value) {
        if !self.world.facts.joins.creates_detached || attributes.as_constant() == Some(0) {
            return;
        }
        let state = self.load_bytes(cursor, None, 0, attributes, 4, Order::Plain);
        let state = self.expr(cursor, state);
        let is_detached = Expr::binary(BinaryOp::Ne, state, Expr::Const(0));
        let flag = Expr::Select(Box::new([is_detached, Expr::Const(JOINED), Expr::Const(0)]));
        let address = self.thread_word(Expr::Const(number), 1);
        let update = Update::Fetch { op: FetchOp::Or, operand: value::fold(flag) };
        let access = access(Order::SeqCst, 8);
        self.emit(cursor, Instruction::Update { result: None, address, update, access });
    }
}
