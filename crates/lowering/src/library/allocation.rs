//! Allocation: objects for each call of an allocator, as many as the bound allows. Allocators of C may fail; what
//! becomes of a thread that is refused memory is said in [`crate::thread`]'s `refusal`. Rust's end the process then. What becomes of memory that
//! is given back is said in [`crate::thread`]'s `lifetime`.

use std::collections::BTreeMap;

use llvm::{Function, LocalId, Operand, Operation, Value as Given};
use program::{BinaryOp, Expr, Instruction, Value};

use crate::Lifetimes;
use crate::call::Called;
use crate::object::{Naming, Object, ObjectId, ObjectKey};
use crate::thread::{Cursor, Flow, Limit, RegisterKey, Scratch, Slot, WORD, Walk};
use crate::value::{self, Val};
use crate::world::untyped_object;

/// Which pointer of its instruction the one is that is reallocated; copying knows two others.
const REALLOCATED: u32 = 3;

/// `ENOMEM` of Linux.
const NO_MEMORY: Value = 12;

impl Walk<'_, '_, '_> {
    pub(crate) fn allocation(&mut self, cursor: &mut Cursor, called: &Called<'_>) -> Option<Flow> {
        match called.name {
            "malloc" | "valloc" | "aligned_alloc" | "memalign" | "calloc" | "realloc" => {
                self.may_be_refused(cursor, called, |walk, refused| {
                    walk.set_errno(refused, NO_MEMORY);
                    walk.returns(refused, called, 0);
                });
            }
            "posix_memalign" => {
                self.may_be_refused(cursor, called, |walk, refused| {
                    walk.returns(refused, called, NO_MEMORY);
                });
            }
            _ => {}
        }
        let at = match called.name {
            "malloc" | "valloc" => return Some(self.allocates(cursor, called, 0)),
            "aligned_alloc" | "memalign" => return Some(self.allocates(cursor, called, 1)),
            "calloc" => 1,
            "posix_memalign" => {
                let target = self.argument(cursor, called, 0);
                let size = self.argument(cursor, called, 2);
                let flow = self.allocate_unwritten(cursor, &size, |walk, cursor, address| {
                    walk.store_bytes(cursor, &target, 8, address, program::Order::Plain);
                    walk.returns(cursor, called, 0);
                });
                return Some(flow);
            }
            "realloc" => return Some(self.reallocate(cursor, called)),
            "free" | "cfree" => {
                let pointer = self.argument(cursor, called, 0);
                self.free_memory(cursor, &pointer);
                return Some(Flow::Next);
            }
            _ => return None,
        };
        let count = self.argument(cursor, called, 0).as_constant();
        let size = self.argument(cursor, called, at).as_constant();
        let total = count.zip(size).map(|(count, size)| count * size);
        let size = total.map_or(Val::Undefined, Val::constant);
        let size = if total.is_some() { size } else { Val::Inexpressible("a size".into()) };
        Some(self.allocate_zeroed(cursor, &size, called))
    }

    /// Allocates memory that holds zeros, which it does anyway unless somebody else had it before.
    pub(crate) fn allocate_zeroed(
        &mut self,
        cursor: &mut Cursor,
        size: &Val,
        called: &Called<'_>,
    ) -> Flow {
        let is_used = self.world.environment.lifetimes == Lifetimes::Reused;
        self.allocate(cursor, size, |walk, cursor, address| {
            if is_used {
                walk.fill(cursor, &address, &Val::constant(0), size);
            }
            walk.define(cursor, called.result, address);
        })
    }

    fn allocates(&mut self, cursor: &mut Cursor, called: &Called<'_>, at: usize) -> Flow {
        let size = self.argument(cursor, called, at);
        self.allocate_unwritten(cursor, &size, |walk, cursor, address| {
            walk.define(cursor, called.result, address);
        })
    }

    /// Allocates again: new memory, to which what was there is copied. Where it may be null there is
    /// nothing to copy.
    fn reallocate(&mut self, cursor: &mut Cursor, called: &Called<'_>) -> Flow {
        let old = self.argument(cursor, called, 0);
        let size = self.argument(cursor, called, 1);
        if old.as_constant() == Some(0) {
            return self.allocates(cursor, called, 1);
        }
        let old = Val::Expr(self.expr(cursor, old));
        let Some(new_size) = size.as_constant() else {
            self.error(
                cursor,
                "how much is allocated here is not known when the program is read",
                "allocate a constant number of bytes",
            );
            return Flow::Over;
        };
        let mut old_sizes: BTreeMap<u64, Vec<ObjectId>> = BTreeMap::new();
        for object in self.objects_behind(cursor, &old, REALLOCATED) {
            old_sizes.entry(self.world.objects.get(object).size).or_default().push(object);
        }
        // Nothing is known yet where a pointer points in the first translation.
        let last = old_sizes.pop_last();
        for (old_size, objects) in old_sizes {
            let pointer = self.expr(cursor, old.clone());
            let is_there = self.is_inside(&pointer, &objects);
            let mut way = self.branch(cursor, is_there.clone());
            let kept = Value::from(old_size).min(new_size);
            if let Flow::Next = self.reallocate_from(&mut way, called, (&old, kept), &size) {
                way.known.frame.index += 1;
                self.set_aside(way);
            }
            self.emit(cursor, Instruction::Assume(is_there.negated()));
        }
        let kept = last.map_or(0, |(old, _)| Value::from(old).min(new_size));
        self.reallocate_from(cursor, called, (&old, kept), &size)
    }

    /// Allocates, and copies so many bytes from where they were.
    fn reallocate_from(
        &mut self,
        cursor: &mut Cursor,
        called: &Called<'_>,
        (old, kept): (&Val, Value),
        size: &Val,
    ) -> Flow {
        self.allocate_unwritten(cursor, size, |walk, cursor, address| {
            if !matches!(old, Val::Expr(Expr::Const(_))) {
                let pointer = walk.expr(cursor, old.clone());
                let is_null = Expr::binary(BinaryOp::Eq, pointer, Expr::Const(0));
                let mut fresh = walk.branch(cursor, is_null.clone());
                walk.define(&mut fresh, called.result, address.clone());
                fresh.known.frame.index += 1;
                walk.set_aside(fresh);
                walk.emit(cursor, Instruction::Assume(is_null.negated()));
            }
            walk.copy(cursor, &address, old, &Val::constant(kept));
            walk.free_memory(cursor, old);
            walk.define(cursor, called.result, address);
        })
    }

    /// Whether an address is in one of some objects.
    pub(crate) fn is_inside(&self, pointer: &Expr, objects: &[ObjectId]) -> Expr {
        let inside = objects.iter().map(|object| {
            let object = self.world.objects.get(*object);
            let end = object.base + Value::from(object.extent());
            let from = Expr::binary(BinaryOp::Ge, pointer.clone(), Expr::Const(object.base));
            let to = Expr::binary(BinaryOp::Lt, pointer.clone(), Expr::Const(end));
            Expr::binary(BinaryOp::And, from, to)
        });
        let any = |left, right| Expr::binary(BinaryOp::Or, left, right);
        inside.reduce(any).unwrap_or(Expr::Const(0))
    }

    /// The objects that a pointer may point to, one of several pointers of an instruction.
    pub(crate) fn objects_behind(
        &mut self,
        cursor: &Cursor,
        pointer: &Val,
        which: u32,
    ) -> Vec<ObjectId> {
        match pointer {
            Val::Expr(Expr::Const(address)) => {
                self.world.objects.at(*address).map(|(object, _)| object).into_iter().collect()
            }
            Val::Expr(expr) => {
                let key = (self.point(cursor), which);
                self.pointers.push((key, expr.clone()));
                self.world.facts.targets.get(&key).iter().flat_map(|all| all.objects()).collect()
            }
            Val::Private(..) | Val::Aggregate(_) | Val::Undefined | Val::Inexpressible(_) => {
                Vec::new()
            }
        }
    }

    /// Allocates so many bytes and hands on their address. They hold zeros, or nobody looks before they are written.
    pub(crate) fn allocate(
        &mut self,
        cursor: &mut Cursor,
        size: &Val,
        with: impl Fn(&mut Self, &mut Cursor, Val),
    ) -> Flow {
        self.allocate_with(cursor, size, false, with)
    }

    /// The same, where they hold just anything.
    pub(crate) fn allocate_unwritten(
        &mut self,
        cursor: &mut Cursor,
        size: &Val,
        with: impl Fn(&mut Self, &mut Cursor, Val),
    ) -> Flow {
        self.allocate_with(cursor, size, true, with)
    }

    fn allocate_with(
        &mut self,
        cursor: &mut Cursor,
        size: &Val,
        is_unwritten: bool,
        with: impl Fn(&mut Self, &mut Cursor, Val),
    ) -> Flow {
        let Some(bytes) = size.as_constant().and_then(|size| u64::try_from(size).ok()) else {
            self.error(
                cursor,
                "how much is allocated here is not known when the program is read",
                "allocate a constant number of bytes",
            );
            return Flow::Over;
        };
        for (mut way, address) in self.given_again(cursor, bytes) {
            with(self, &mut way, address);
            way.known.frame.index += 1;
            self.set_aside(way);
        }
        let point = self.point(cursor);
        let bound = self.world.environment.bounds.allocations;
        let copies = u64::from(self.spec.copies);
        let span = self.here(cursor);
        let thread = self.spec.name.clone();
        let (name, naming) = self.allocated_name(cursor);
        let object = self.world.objects.intern(ObjectKey::Allocated(point, bytes), || Object {
            naming,
            is_unwritten,
            elements: copies * u64::from(bound),
            span,
            ..untyped_object(&format!("{thread}.{name}"), bytes)
        });
        self.world.objects.rename(object, format!("{thread}.{name}"));
        let slot = Slot::Counter(point);
        let count = match cursor.known.slots.get(&slot) {
            Some(known) => known.clone(),
            None if self.splits_constants => Val::constant(0),
            None => Val::register(self.register(
                RegisterKey::Counter(point),
                || "allocated".to_owned(),
                WORD,
            )),
        };
        let count = self.expr(cursor, count);
        let limit = Expr::Const(Value::from(bound));
        match &count {
            Expr::Const(known) if *known >= Value::from(bound) => {
                return self.give_up(cursor, Limit::Allocations);
            }
            Expr::Const(_) => {}
            Expr::Register(_)
            | Expr::Element(..)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(_)
            | Expr::Cast(..) => {
                let full = Expr::binary(BinaryOp::Ge, count.clone(), limit);
                let mut beyond = self.branch(cursor, full.clone());
                self.give_up(&mut beyond, Limit::Allocations);
                self.emit(cursor, Instruction::Assume(full.negated()));
            }
        }
        let stride = Value::from(self.world.objects.get(object).stride);
        let own = self.own_address(object, u64::from(bound));
        let address = value::sum(own, value::times(count.clone(), stride));
        let address = Val::Expr(self.held_apart(cursor, address, Scratch::Allocated));
        let more = value::fold(Expr::binary(BinaryOp::Add, count, Expr::Const(1)));
        if self.splits_constants {
            cursor.known.slots.insert(slot, Val::Expr(more));
        } else {
            let key = RegisterKey::Counter(point);
            let register = self.register(key, || "allocated".to_owned(), WORD);
            self.emit(cursor, Instruction::Assign { register, value: more });
        }
        with(self, cursor, address);
        Flow::Next
    }

    /// What is allocated here is called like the pointer variable that it is given to first, in this call
    /// or one around it.
    fn allocated_name(&mut self, cursor: &Cursor) -> (String, Naming) {
        let mut frame = Some(&cursor.known.frame);
        while let Some(one) = frame {
            let function = self.function(one.function);
            let call = &function.blocks[one.block.index()].instructions[one.index as usize];
            let variable = match call.result {
                Some(result) => given_to(function, result),
                None => put_into(call),
            };
            let info = self.world.info(one.function);
            // Variables of library functions say nothing to anybody.
            let has_text = info.position(one.block, one.index as usize).span.source.is_some();
            if has_text
                && let Some(local) = variable
                && let Some(name) = info.variables.get(&local)
            {
                return (name.clone(), Naming::Pointee { function: one.function, local });
            }
            frame = one.caller.as_deref();
        }
        (format!("heap{}", cursor.known.frame.path.number()), Naming::Unknown)
    }
}

/// The variable that a call puts its result into, where it is too large to be returned.
fn put_into(call: &llvm::Instruction) -> Option<LocalId> {
    let (Operation::Call(call) | Operation::Invoke { call, .. }) = &call.operation else {
        return None;
    };
    let is_put_down = call.argument_types.iter().any(|(at, _)| *at == 0);
    match call.arguments.first().filter(|_| is_put_down)?.value {
        Given::Local(variable) => Some(variable),
        Given::Constant(_)
        | Given::Block(_)
        | Given::Asm(_)
        | Given::Metadata(_)
        | Given::MetadataText(_) => None,
    }
}

/// The variable that a value is stored in, itself or cast.
fn given_to(function: &Function, value: LocalId) -> Option<LocalId> {
    let mut same = vec![value];
    for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
        let is_same = |operand: &Operand| match operand.value {
            Given::Local(local) => same.contains(&local),
            Given::Constant(_)
            | Given::Block(_)
            | Given::Asm(_)
            | Given::Metadata(_)
            | Given::MetadataText(_) => false,
        };
        if let Operation::Cast { value, .. } = &instruction.operation
            && is_same(value)
        {
            same.extend(instruction.result);
        } else if let Operation::Store { value, address, .. } = &instruction.operation
            && is_same(value)
            && let Given::Local(variable) = address.value
        {
            return Some(variable);
        }
    }
    None
}
