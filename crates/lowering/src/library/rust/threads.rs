//! Threads: `spawn`, scopes, and joining.
//!
//! What a thread runs is found by the name of the type that is spawned. A thread gets what its closure
//! holds as the closure is passed: as one or two values, or as a copy in memory of its own. A handle is
//! put down as the standard library would, in three words: the thread as others see it, which is not null,
//! where the result is, and the number of the thread. How big things are and how a result is wrapped is read from debug information.

use llvm::{LocalId, Operation, TypeId, Value as Given};
use program::{Expr, Order, Value};

use crate::call::Called;
use crate::library;
use crate::library::rust::environment::handle_of;
use linkage::names;

use crate::library::rust::layout;
use crate::object::ObjectKey;
use crate::thread::{Cursor, Flow, Limit, OnReturn, Slot, Walk};
use crate::value::Val;
use crate::world::untyped_object;
use linkage::Item;

/// The words of a handle, by their offsets.
const HANDLE: u64 = 0;
const RESULT: u64 = 8;
const THREAD: u64 = 16;

impl Walk<'_, '_, '_> {
    pub(crate) fn rust_threads(
        &mut self,
        cursor: &mut Cursor,
        called: &Called<'_>,
        name: &str,
        path: &str,
    ) -> Option<Flow> {
        if !path.starts_with("std::thread::") {
            return None;
        }
        Some(match names::last_two(path) {
            ("functions" | "thread", "spawn") => self.spawn(cursor, called, name, None, 1),
            ("Builder", "spawn") => {
                self.may_not_be_created(cursor, called);
                self.spawn(cursor, called, name, None, 2)
            }
            ("Scope", "spawn") => self.spawn(cursor, called, name, Some(1), 2),
            ("Builder", "spawn_scoped") => {
                self.may_not_be_created(cursor, called);
                self.spawn(cursor, called, name, Some(2), 3)
            }
            ("scoped" | "thread", "scope") => self.scope(cursor, called, name),
            ("JoinHandle" | "ScopedJoinHandle", "join") => self.join_handle(cursor, called),
            ("JoinHandle" | "ScopedJoinHandle", "is_finished") => {
                let handle = self.argument(cursor, called, 0);
                let number = self.number_of(cursor, &handle);
                let ended = Val::Expr(self.thread_word(number, 1));
                let value = self.load_bytes(cursor, called.result, 0, &ended, 8, Order::Acquire);
                self.define(cursor, called.result, value);
                Flow::Next
            }
            _ => return None,
        })
    }

    /// What a type that is called stands for, or an error.
    fn callable(
        &mut self,
        cursor: &Cursor,
        called: &Called<'_>,
        name: &str,
    ) -> Option<(Item, String)> {
        let ty = names::arguments(name).first().map(|ty| (*ty).to_owned())?;
        let item = self.world.callable(&ty, called.item);
        if item.is_none() {
            self.error(
                cursor,
                format!("what is run here is not known: `{ty}`"),
                "give a closure or a function directly",
            );
        }
        item.map(|item| (item, ty))
    }

    /// How many bytes a type parameter of what is called has.
    fn size_of_parameter(
        &mut self,
        cursor: &Cursor,
        called: &Called<'_>,
        name: &str,
    ) -> Option<u64> {
        let linked = self.world.linked;
        let metadata = &linked.module(called.item.module).metadata;
        let debug = linked.function(called.item).and_then(|function| function.debug);
        let size = layout::parameter_size(metadata, debug, name);
        if size.is_none() {
            self.no_debug_information(cursor);
        }
        size
    }

    fn no_debug_information(&mut self, cursor: &Cursor) {
        self.error(
            cursor,
            "how a thread's closure and result are laid out is not known",
            "compile with debug information: `-g`",
        );
    }

    /// The system may refuse a thread. Who unwraps the result panics then, before anybody could see anything; what
    /// others do is not followed, unless the user states that there is none.
    fn may_not_be_created(&mut self, cursor: &mut Cursor, called: &Called<'_>) {
        let succeeds = self.world.summaries.succeeds("pthread_create");
        if !succeeds && !self.is_unwrapped(cursor, called) {
            let mut refused = self.branch(cursor, Expr::Const(1));
            self.give_up(&mut refused, Limit::NoThread);
        }
    }

    /// Whether the program only goes on if the result of a call is `Ok`: it is unwrapped where it is.
    fn is_unwrapped(&self, cursor: &Cursor, called: &Called<'_>) -> bool {
        let put_down = called.arguments.first().filter(|_| called.result.is_none());
        let put_down = put_down.and_then(|operand| local(&operand.value));
        let mut same: Vec<LocalId> = called.result.or(put_down).into_iter().collect();
        let function = cursor.known.frame.function;
        let instructions = self.function(function).blocks.iter().flat_map(|one| &one.instructions);
        for instruction in instructions {
            let is_same = |value: &Given| local(value).is_some_and(|local| same.contains(&local));
            if let Operation::ExtractValue { aggregate, .. } = &instruction.operation
                && is_same(&aggregate.value)
            {
                same.extend(instruction.result);
            } else if let Operation::Call(call) | Operation::Invoke { call, .. } =
                &instruction.operation
                && call.arguments.iter().any(|one| is_same(&one.value))
                && let Some(symbol) = linkage::symbol_of(&call.callee)
            {
                let item = self.world.linked.resolve(function.module, symbol);
                let name = library::readable(self.world.linked.name(item));
                if name.ends_with("::unwrap") || name.ends_with("::expect") {
                    return true;
                }
            }
        }
        false
    }

    /// Who joins a thread that has panicked learns that; what is done then is not followed.
    fn may_have_panicked(&mut self, cursor: &mut Cursor, called: &Called<'_>, number: Expr) {
        if self.is_unwrapped(cursor, called) {
            return;
        }
        self.world.facts.is_new |= !std::mem::replace(&mut self.world.facts.learns_of_panics, true);
        let address = self.thread_word(number, 1);
        self.finds_panicked(cursor, address);
    }

    /// Creates a thread. The first argument is where the handle goes; the closure begins at `first`.
    fn spawn(
        &mut self,
        cursor: &mut Cursor,
        called: &Called<'_>,
        name: &str,
        scope: Option<usize>,
        first: usize,
    ) -> Flow {
        let Some((entry, ty)) = self.callable(cursor, called, name) else { return Flow::Over };
        let (Some(held), Some(returned)) = (
            self.size_of_parameter(cursor, called, "F"),
            self.size_of_parameter(cursor, called, "T"),
        ) else {
            return Flow::Over;
        };
        let Some(number) = self.new_thread(cursor, entry) else {
            return self.give_up(cursor, Limit::Threads);
        };
        let result =
            (returned > 0).then(|| self.own_object(ObjectKey::Result(number), "result", returned));
        let by_pointer = returned > 0 && self.is_void(entry);
        let mut arguments = Vec::new();
        arguments.extend(result.filter(|_| by_pointer).map(Val::constant));
        let count = self.function(entry).parameters.len() - arguments.len();
        for at in first..first + count {
            arguments.push(self.argument(cursor, called, at));
        }
        // One value for a closure that no register can hold is where it stands.
        if count == 1
            && held > 8
            && let Some(closure) = arguments.last_mut()
        {
            let own = self.own_object(ObjectKey::Environment(number), "closure", held);
            let from = std::mem::replace(closure, Val::constant(own));
            self.copy(cursor, &Val::constant(own), &from, &Val::constant(Value::from(held)));
        }
        let label = self.thread_name(entry, &ty);
        let put = result.filter(|_| !by_pointer);
        self.create_thread(cursor, number, entry, &label, arguments, put);
        let handle = self.argument(cursor, called, 0);
        let number = Value::from(number);
        let seen = handle_of(Expr::Const(number));
        let place = self.moved(&handle, HANDLE);
        self.store_bytes(cursor, &place, 8, Val::Expr(seen), Order::Plain);
        for (at, word) in [(RESULT, result.unwrap_or(0)), (THREAD, number)] {
            let place = self.moved(&handle, at);
            self.store_bytes(cursor, &place, 8, Val::constant(word), Order::Plain);
        }
        self.start_thread(cursor, number);
        if let Some(scope) = scope {
            let scoped = &mut self.world.facts.scoped;
            self.world.facts.is_new |= u32::try_from(number).is_ok_and(|one| scoped.insert(one));
            let scope = self.argument(cursor, called, scope).as_constant();
            let threads = scope.and_then(|scope| cursor.known.slots.get_mut(&Slot::Scope(scope)));
            match threads {
                Some(Val::Aggregate(threads)) => threads.push(Val::constant(number)),
                Some(Val::Expr(_) | Val::Private(..) | Val::Undefined | Val::Inexpressible(_))
                | None => {
                    self.error(
                        cursor,
                        "which scope this thread belongs to is not known",
                        "spawn threads where their scope begins, not in other threads",
                    );
                    return Flow::Over;
                }
            }
        }
        Flow::Next
    }

    fn is_void(&self, item: Item) -> bool {
        let ty = self.function(item).result;
        self.world.size(item.module, ty).unwrap_or(0) == 0
    }

    /// The address of memory for one thread alone.
    pub(crate) fn own_object(&mut self, key: ObjectKey, name: &str, size: u64) -> Value {
        let object = self.world.objects.intern(key, || untyped_object(name, size));
        self.world.objects.get(object).base
    }

    /// A thread is called as the function that it runs or that its closure is in, with the line.
    fn thread_name(&mut self, entry: Item, ty: &str) -> String {
        let name = names::of_thread(ty);
        if !ty.ends_with('}') {
            return name;
        }
        let linked = self.world.linked;
        let metadata = &linked.module(entry.module).metadata;
        let line = linked
            .function(entry)
            .and_then(|function| metadata.node(function.debug?)?.number("line"));
        line.map_or(name.clone(), |line| format!("{name}:{line}"))
    }

    /// Calls the closure of a scope; when it returns, the threads of the scope are joined.
    fn scope(&mut self, cursor: &mut Cursor, called: &Called<'_>, name: &str) -> Flow {
        let Some((entry, _)) = self.callable(cursor, called, name) else { return Flow::Over };
        let point = self.point(cursor);
        let scope = self.own_object(ObjectKey::Support(point), "scope", 8);
        // Where the result goes, if anywhere, comes first on both sides; the scope comes last.
        let count = self.function(entry).parameters.len().saturating_sub(1);
        let mut arguments: Vec<Val> =
            (0..count).map(|at| self.argument(cursor, called, at)).collect();
        arguments.push(Val::constant(scope));
        cursor.known.slots.insert(Slot::Scope(scope), Val::Aggregate(Vec::new()));
        self.enter_then(cursor, entry, arguments, OnReturn::JoinScope(scope))
    }

    /// Joins all threads of a scope that were created on the way here.
    pub(crate) fn join_scope(&mut self, cursor: &mut Cursor, scope: Value) {
        if let Some(Val::Aggregate(threads)) = cursor.known.slots.remove(&Slot::Scope(scope)) {
            for thread in threads {
                let number = self.expr(cursor, thread);
                self.join_thread(cursor, number);
            }
        }
    }

    fn number_of(&mut self, cursor: &mut Cursor, handle: &Val) -> Expr {
        let place = self.moved(handle, THREAD);
        let number = self.load_bytes(cursor, None, 1, &place, 8, Order::Plain);
        self.expr(cursor, number)
    }

    /// Joins a thread; its result is wrapped in `Ok`, for who panics does not get here.
    fn join_handle(&mut self, cursor: &mut Cursor, called: &Called<'_>) -> Flow {
        let linked = self.world.linked;
        let metadata = &linked.module(called.item.module).metadata;
        let debug = linked.function(called.item).and_then(|function| function.debug);
        let ok = layout::returned(metadata, debug)
            .and_then(|returned| layout::variant(metadata, returned, "Ok"));
        let Some(ok) = ok else {
            self.no_debug_information(cursor);
            return Flow::Over;
        };
        let by_pointer = called.result.is_none();
        let handle = self.argument(cursor, called, usize::from(by_pointer));
        let number = self.number_of(cursor, &handle);
        self.may_have_panicked(cursor, called, number.clone());
        self.join_thread(cursor, number.clone());
        // It need not be joined again at the end of its scope.
        for (slot, threads) in &mut cursor.known.slots {
            if let (Slot::Scope(_), Val::Aggregate(threads)) = (slot, threads) {
                threads.retain(|thread| *thread != Val::Expr(number.clone()));
            }
        }
        let (offset, size) = ok.payload;
        let place = self.moved(&handle, RESULT);
        let result = if size > 0 {
            self.load_bytes(cursor, None, 2, &place, 8, Order::Plain)
        } else {
            Val::Undefined
        };
        if by_pointer {
            let target = self.argument(cursor, called, 0);
            if size > 0 {
                let to = self.moved(&target, offset);
                self.copy(cursor, &to, &result, &Val::constant(Value::from(size)));
            }
            if let Some((at, width, tag)) = ok.tag {
                let to = self.moved(&target, at);
                self.store_bytes(cursor, &to, width, Val::constant(tag), Order::Plain);
            }
        } else {
            let ty = called.call.result_type;
            let value = self.wrapped(cursor, called, ty, ok, &result);
            self.define(cursor, called.result, value);
        }
        Flow::Next
    }

    /// A result in registers.
    fn wrapped(
        &mut self,
        cursor: &mut Cursor,
        called: &Called<'_>,
        ty: TypeId,
        ok: layout::Variant,
        result: &Val,
    ) -> Val {
        let module = cursor.known.frame.function.module;
        let elements = self.world.elements(module, ty).unwrap_or_else(|| vec![(ty, 0)]);
        let (offset, size) = ok.payload;
        let mut parts = Vec::new();
        for ((element, at), number) in elements.into_iter().zip(0..) {
            let width = self.world.size(module, element).unwrap_or(0);
            parts.push(match ok.tag {
                Some((place, _, tag)) if place == at => Val::constant(tag),
                _ if at >= offset && at + width <= offset + size => {
                    let from = self.moved(result, at - offset);
                    self.load_bytes(cursor, called.result, number, &from, width, Order::Plain)
                }
                _ => Val::Undefined,
            });
        }
        Val::Aggregate(parts)
    }
}

/// The local that a value is.
const fn local(value: &Given) -> Option<LocalId> {
    match value {
        Given::Local(local) => Some(*local),
        Given::Constant(_)
        | Given::Block(_)
        | Given::Asm(_)
        | Given::Metadata(_)
        | Given::MetadataText(_) => None,
    }
}
