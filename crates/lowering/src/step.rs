//! One instruction of LLVM as steps of a thread.

use llvm::{CastOp, Instruction as Llvm, LocalId, Operand, Operation, RmwOp, TypeId};
use program::{BinaryOp, Expr, FenceKind, FetchOp, Instruction, Order, Span, Update, Value};

use crate::function::FunctionInfo;
use crate::object::{Naming, Object, ObjectKey};
use crate::thread::{Cursor, Flow, RegisterKey, WORD, Walk, access};
use crate::value::{self, Val};
use crate::world::nameless;

/// The order of an access, as C11 and x86 see it.
pub(crate) const fn order(ordering: Option<llvm::Ordering>, volatile: bool) -> Order {
    match ordering {
        None if volatile => Order::Volatile,
        None => Order::Plain,
        Some(llvm::Ordering::Unordered | llvm::Ordering::Monotonic) => Order::Relaxed,
        Some(llvm::Ordering::Acquire) => Order::Acquire,
        Some(llvm::Ordering::Release) => Order::Release,
        Some(llvm::Ordering::AcquireRelease) => Order::AcquireRelease,
        Some(llvm::Ordering::SequentiallyConsistent) => Order::SeqCst,
    }
}

impl Walk<'_, '_, '_> {
    #[expect(clippy::too_many_lines, reason = "one arm for each operation")]
    pub(crate) fn step(
        &mut self,
        cursor: &mut Cursor,
        info: &FunctionInfo,
        instruction: &Llvm,
    ) -> Flow {
        let module = cursor.known.frame.function.module;
        let result = instruction.result;
        match &instruction.operation {
            Operation::Alloca { ty, count, .. } => {
                self.alloca(cursor, result, *ty, count.as_ref());
            }
            Operation::Load { ty, address, volatile, ordering, .. } => {
                let order = order(*ordering, *volatile);
                self.load(cursor, result, *ty, address, order);
            }
            Operation::Store { value, address, volatile, ordering, .. } => {
                let order = order(*ordering, *volatile);
                self.store(cursor, info, value, address, order);
            }
            Operation::CompareExchange { address, expected, new, success, failure, .. } => {
                let order = order(Some((*success).max(*failure)), false);
                self.compare_exchange(cursor, result, address, expected, new, order);
            }
            Operation::AtomicRmw { op, address, value, ordering, .. } => {
                let order = order(Some(*ordering), false);
                self.atomic_rmw(cursor, result, *op, address, value, order);
            }
            Operation::Fence { ordering, single_thread: false } => {
                self.emit(cursor, Instruction::Fence(fence_kind(*ordering)));
            }
            Operation::GetElementPtr { element, base, indices } => {
                let indices: Vec<Val> =
                    indices.iter().map(|index| self.operand(cursor, index)).collect();
                let value = self.element(cursor, module, *element, base, &indices);
                self.define(cursor, result, value);
            }
            Operation::Binary { op, left, right } => {
                let value = self.binary(cursor, *op, left, right);
                self.define(cursor, result, value);
            }
            Operation::Compare { predicate, left, right } => {
                let value = self.compare(cursor, *predicate, left, right);
                self.define(cursor, result, value);
            }
            Operation::FNeg(_) | Operation::FloatCompare { .. } => {
                self.define(cursor, result, floating());
            }
            Operation::Cast { op, value, to } => {
                let value = self.cast(cursor, *op, value, *to);
                self.define(cursor, result, value);
            }
            Operation::Select { condition, then, otherwise } => {
                let value = self.select(cursor, condition, then, otherwise);
                self.define(cursor, result, value);
            }
            // Taken when the block was entered; and what only a compiler sees.
            Operation::Phi { .. } | Operation::Fence { single_thread: true, .. } => {}
            Operation::Freeze(value) => {
                let value = match self.operand(cursor, value) {
                    Val::Undefined => Val::constant(0),
                    value @ (Val::Expr(_)
                    | Val::Private(..)
                    | Val::Aggregate(_)
                    | Val::Inexpressible(_)) => value,
                };
                self.define(cursor, result, value);
            }
            Operation::ExtractValue { aggregate, indices } => {
                let mut value = self.operand(cursor, aggregate);
                for index in indices {
                    value = match value {
                        Val::Aggregate(mut parts) if (*index as usize) < parts.len() => {
                            parts.swap_remove(*index as usize)
                        }
                        Val::Inexpressible(why) => Val::Inexpressible(why),
                        Val::Undefined | Val::Expr(_) | Val::Private(..) | Val::Aggregate(_) => {
                            Val::Undefined
                        }
                    };
                }
                self.define(cursor, result, value);
            }
            Operation::InsertValue { aggregate, value, indices } => {
                let whole = self.operand(cursor, aggregate);
                let part = self.operand(cursor, value);
                let value = self.with_inserted(module, aggregate.ty, whole, part, indices);
                self.define(cursor, result, value);
            }
            Operation::ExtractElement { .. }
            | Operation::InsertElement { .. }
            | Operation::ShuffleVector { .. } => {
                self.define(cursor, result, Val::Inexpressible("a vector".into()));
            }
            Operation::VaArg { .. } => {
                self.define(cursor, result, Val::Inexpressible("an unnamed argument".into()));
            }
            Operation::LandingPad { .. } => self.define(cursor, result, Val::Undefined),
            Operation::Call(call) => return self.call(cursor, info, call, result, None),
            Operation::Invoke { call, normal, .. } => {
                return self.call(cursor, info, call, result, Some(*normal));
            }
            Operation::CallBranch { .. } => {
                self.error(cursor, "assembly with jumps is not understood", "write it in C");
                return Flow::Over;
            }
            Operation::Branch(target) => {
                self.settle_all(cursor, info);
                return Flow::Jump(*target);
            }
            Operation::ConditionalBranch { condition, then, otherwise } => {
                let condition = self.operand(cursor, condition);
                if let Some(known) = condition.as_constant() {
                    self.settle_all(cursor, info);
                    return Flow::Jump(if known == 0 { *otherwise } else { *then });
                }
                let condition = self.expr(cursor, condition);
                self.settle_all(cursor, info);
                let not = self.branch(cursor, value::fold(condition.negated()));
                self.emit(cursor, Instruction::Assume(condition));
                self.jump_aside(not, info, *otherwise);
                return Flow::Jump(*then);
            }
            Operation::Switch { value, default, cases } => {
                return self.switch(cursor, info, value, *default, cases);
            }
            Operation::IndirectBranch { .. } => {
                self.error(cursor, "a computed `goto` is not understood", "use a `switch`");
                return Flow::Over;
            }
            Operation::Return(value) => {
                let value = value.as_ref().map(|value| self.operand(cursor, value));
                return self.return_from(cursor, value);
            }
            // Nothing is ever thrown: what would throw ends its thread.
            Operation::Resume(_) | Operation::Unreachable => return self.fail(cursor),
            Operation::Other(text) => {
                let what = text.split_whitespace().next().unwrap_or("").to_owned();
                self.error(
                    cursor,
                    format!("LLVM's instruction `{what}` is not understood"),
                    "rewrite the statement",
                );
                return Flow::Over;
            }
        }
        Flow::Next
    }

    fn alloca(
        &mut self,
        cursor: &mut Cursor,
        result: Option<LocalId>,
        ty: TypeId,
        count: Option<&Operand>,
    ) {
        let Some(local) = result else { return };
        let function = cursor.known.frame.function;
        let path = cursor.known.frame.path;
        let count = count.map_or(Some(1), |count| self.operand(cursor, count).as_constant());
        let Some(count) = count.and_then(|count| u64::try_from(count).ok()) else {
            self.error(
                cursor,
                "the size of this array is not known when the program is read",
                "give it a constant size",
            );
            return;
        };
        let size = self.world.size(function.module, ty).unwrap_or(8) * count;
        let name = self.local_name(cursor, local);
        let name = name.trim_start_matches('%').to_owned();
        let private = self.world.private(path, local, || name.clone());
        if !self.world.facts.escaped.contains(&private) {
            cursor.known.frame.locals.insert(local, Val::Private(private, 0));
            return;
        }
        let copies = u64::from(self.spec.copies);
        let thread = self.spec.name.clone();
        let object = self.world.objects.intern(ObjectKey::Local(path, local), || Object {
            naming: Naming::Local { function, local },
            elements: copies,
            ..nameless(&format!("{thread}.{name}"), size)
        });
        let address = self.own_address(object, 1);
        cursor.known.frame.locals.insert(local, Val::Expr(address));
    }

    fn load(
        &mut self,
        cursor: &mut Cursor,
        result: Option<LocalId>,
        ty: TypeId,
        address: &Operand,
        order: Order,
    ) {
        if let llvm::Value::Local(variable) = address.value
            && let Some(named) = cursor.known.frame.named.get(&variable)
        {
            let named = named.clone();
            self.define(cursor, result, named);
            return;
        }
        let module = cursor.known.frame.function.module;
        let address = self.operand(cursor, address);
        let mut number = 0;
        let value = self.load_value(cursor, result, module, ty, &address, order, &mut number);
        self.define(cursor, result, value);
    }

    #[expect(clippy::too_many_arguments, reason = "where to, what, from where, how")]
    fn load_value(
        &mut self,
        cursor: &mut Cursor,
        result: Option<LocalId>,
        module: u32,
        ty: TypeId,
        address: &Val,
        order: Order,
        number: &mut u32,
    ) -> Val {
        if let Some(elements) = self.world.elements(module, ty) {
            let parts = elements.into_iter().map(|(element, at)| {
                let address = self.moved(address, at);
                self.load_value(cursor, result, module, element, &address, order, number)
            });
            return Val::Aggregate(parts.collect());
        }
        *number += 1;
        let component = *number - 1;
        let size = self.world.size(module, ty).unwrap_or(0);
        let value = self.load_bytes(cursor, result, component, address, size, order);
        // A truth value takes a byte of memory, of which one bit counts.
        match (value, self.world.bits(module, ty)) {
            (Val::Expr(expr), Some(bits)) if u64::from(bits) < size * 8 => {
                value::truncate(bits, expr).map_or(Val::Undefined, Val::Expr)
            }
            (value, _) => value,
        }
    }

    /// A pointer moved by some bytes.
    #[expect(clippy::unused_self, reason = "as with everything else that is done with values")]
    pub(crate) fn moved(&self, address: &Val, by: u64) -> Val {
        let by = i64::try_from(by).unwrap_or(i64::MAX);
        match address {
            Val::Expr(base) => Val::Expr(value::sum(base.clone(), Expr::Const(Value::from(by)))),
            Val::Private(private, offset) => Val::Private(*private, offset + by),
            Val::Aggregate(_) | Val::Undefined | Val::Inexpressible(_) => address.clone(),
        }
    }

    /// Reads so many bytes.
    pub(crate) fn load_bytes(
        &mut self,
        cursor: &mut Cursor,
        result: Option<LocalId>,
        component: u32,
        address: &Val,
        size: u64,
        order: Order,
    ) -> Val {
        let (Some(width), Ok(narrow)) =
            (u32::try_from(size).ok().filter(|width| (1..=8).contains(width)), u8::try_from(size))
        else {
            self.error(
                cursor,
                format!("an access of {size} bytes cannot be expressed"),
                "accesses are at most 8 bytes wide",
            );
            return Val::Undefined;
        };
        if let Val::Private(private, offset) = address {
            return self.read_private(cursor, *private, *offset, width);
        }
        let address = self.expr(cursor, address.clone());
        if let Some(known) = self.constant_memory(&address, width) {
            return known;
        }
        let int = value::int(width * 8).expect("at most 64 bits");
        let register = if let Some(local) = result {
            self.result_register(cursor, local, component, int)
        } else {
            let key = RegisterKey::Scratch(self.point(cursor), component);
            self.register(key, || "read".to_owned(), WORD)
        };
        let access = access(order, narrow);
        self.guard(cursor, &address);
        self.emit(cursor, Instruction::Load { register, address, access });
        Val::register(register)
    }

    /// What a constant variable holds at a known address.
    fn constant_memory(&self, address: &Expr, width: u32) -> Option<Val> {
        let Expr::Const(address) = address else { return None };
        let (object, offset) = self.world.objects.at(*address)?;
        let object = self.world.objects.get(object);
        let Naming::Global(item) = object.naming else { return None };
        let global = self.world.linked.global(item)?;
        if !global.constant || global.initialiser.is_none() {
            return None;
        }
        let value = object.initial.get(u64::try_from(offset).ok()?, u64::from(width));
        Some(Val::constant(value::int(width * 8)?.wrap(value)))
    }

    fn store(
        &mut self,
        cursor: &mut Cursor,
        info: &FunctionInfo,
        value: &Operand,
        address: &Operand,
        order: Order,
    ) {
        if let llvm::Value::Local(variable) = address.value
            && info.unread.contains(&variable)
        {
            return;
        }
        let given = self.operand(cursor, value);
        if let llvm::Value::Local(variable) = address.value
            && info.names.contains(&variable)
        {
            let given = if self.may_change(&given) {
                let held = self.expr(cursor, given);
                let path = cursor.known.frame.path;
                let name = self.local_name(cursor, variable);
                let key = RegisterKey::Local(path, variable, 0);
                let register = self.register(key, || name, WORD);
                self.emit(cursor, Instruction::Assign { register, value: held });
                Val::register(register)
            } else {
                given
            };
            cursor.known.frame.named.insert(variable, given);
            return;
        }
        let module = cursor.known.frame.function.module;
        let address = self.operand(cursor, address);
        self.store_value(cursor, module, value.ty, given, &address, order);
    }

    pub(crate) fn store_value(
        &mut self,
        cursor: &mut Cursor,
        module: u32,
        ty: TypeId,
        value: Val,
        address: &Val,
        order: Order,
    ) {
        if let Some(elements) = self.world.elements(module, ty) {
            let parts = match value {
                Val::Aggregate(parts) => parts,
                Val::Undefined => return,
                other @ (Val::Expr(_) | Val::Private(..) | Val::Inexpressible(_)) => {
                    vec![other; elements.len()]
                }
            };
            for ((element, at), part) in elements.into_iter().zip(parts) {
                let address = self.moved(address, at);
                self.store_value(cursor, module, element, part, &address, order);
            }
            return;
        }
        let size = self.world.size(module, ty).unwrap_or(0);
        self.store_bytes(cursor, address, size, value, order);
    }

    /// Writes so many bytes.
    pub(crate) fn store_bytes(
        &mut self,
        cursor: &mut Cursor,
        address: &Val,
        size: u64,
        value: Val,
        order: Order,
    ) {
        let (Some(width), Ok(narrow)) =
            (u32::try_from(size).ok().filter(|width| (1..=8).contains(width)), u8::try_from(size))
        else {
            self.error(
                cursor,
                format!("an access of {size} bytes cannot be expressed"),
                "accesses are at most 8 bytes wide",
            );
            return;
        };
        if let Val::Private(private, offset) = address {
            self.write_private(cursor, *private, *offset, width, value);
            // A locked access waits for the buffer, whatever it accesses.
            if order == Order::SeqCst {
                self.emit(cursor, Instruction::Fence(FenceKind::Full));
            }
            return;
        }
        let address = self.expr(cursor, address.clone());
        let value = self.expr(cursor, value);
        let access = access(order, narrow);
        self.guard(cursor, &address);
        self.emit(cursor, Instruction::Store { address, value, access });
    }

    fn compare_exchange(
        &mut self,
        cursor: &mut Cursor,
        result: Option<LocalId>,
        address: &Operand,
        expected: &Operand,
        new: &Operand,
        order: Order,
    ) {
        let module = cursor.known.frame.function.module;
        let size = self.world.size(module, new.ty).unwrap_or(0);
        let address = self.operand(cursor, address);
        let expected = self.expr_of(cursor, expected);
        let new = self.expr_of(cursor, new);
        let swapped = self.compare_and_swap(cursor, result, &address, size, expected, new, order);
        if let Some((old, success)) = swapped {
            self.define(cursor, result, Val::Aggregate(vec![Val::Expr(old), Val::Expr(success)]));
        }
    }

    /// A compare-and-swap; what it read, and whether it wrote.
    #[expect(clippy::too_many_arguments, reason = "where to, where, how wide, what, how")]
    pub(crate) fn compare_and_swap(
        &mut self,
        cursor: &mut Cursor,
        result: Option<LocalId>,
        address: &Val,
        size: u64,
        expected: Expr,
        new: Expr,
        order: Order,
    ) -> Option<(Expr, Expr)> {
        let is = |old: &Expr, expected: Expr| {
            value::fold(Expr::binary(program::BinaryOp::Eq, old.clone(), expected))
        };
        if let Val::Private(private, offset) = address {
            let width = u32::try_from(size).unwrap_or(0);
            let old = self.read_private(cursor, *private, *offset, width);
            let old = self.expr(cursor, old);
            let old = self.held(cursor, old);
            let success = is(&old, expected);
            let written = value::fold(Expr::Select(Box::new([success.clone(), new, old.clone()])));
            self.write_private(cursor, *private, *offset, width, Val::Expr(written));
            self.emit(cursor, Instruction::Fence(FenceKind::Full));
            return Some((old, success));
        }
        let expected = self.held(cursor, expected);
        let update = Update::CompareAndSwap { expected: expected.clone(), new };
        let old = self.update(cursor, result, address, size, update, order)?;
        let success = is(&old, expected);
        Some((old, success))
    }

    /// An atomic update of memory; what it read.
    pub(crate) fn update(
        &mut self,
        cursor: &mut Cursor,
        result: Option<LocalId>,
        address: &Val,
        size: u64,
        update: Update,
        order: Order,
    ) -> Option<Expr> {
        let narrow = u8::try_from(size).ok().filter(|size| (1..=8).contains(size));
        let Some(narrow) = narrow else {
            self.error(
                cursor,
                format!("an atomic access of {size} bytes cannot be expressed"),
                "accesses are at most 8 bytes wide",
            );
            return None;
        };
        let address = self.expr(cursor, address.clone());
        let int = value::int(u32::from(narrow) * 8).expect("at most 64 bits");
        let register = if let Some(local) = result {
            self.result_register(cursor, local, 0, int)
        } else {
            let key = RegisterKey::Scratch(self.point(cursor), 0);
            self.register(key, || "old".to_owned(), program::Domain::Wrapping(int))
        };
        let access = access(order, narrow);
        self.guard(cursor, &address);
        let result = Some(register);
        self.emit(cursor, Instruction::Update { result, address, update, access });
        Some(Expr::Register(register))
    }

    pub(crate) fn atomic_rmw(
        &mut self,
        cursor: &mut Cursor,
        result: Option<LocalId>,
        op: RmwOp,
        address: &Operand,
        value: &Operand,
        order: Order,
    ) {
        let module = cursor.known.frame.function.module;
        let size = self.world.size(module, value.ty).unwrap_or(0);
        let address = self.operand(cursor, address);
        let operand = self.expr_of(cursor, value);
        let value = self.rmw(cursor, result, op, &address, size, operand, order);
        self.define(cursor, result, value);
    }

    /// A read-modify-write; what it read.
    #[expect(clippy::too_many_arguments, reason = "what, where, how wide, with what, how")]
    pub(crate) fn rmw(
        &mut self,
        cursor: &mut Cursor,
        result: Option<LocalId>,
        op: RmwOp,
        address: &Val,
        size: u64,
        operand: Expr,
        order: Order,
    ) -> Val {
        let fetch = match op {
            RmwOp::Xchg => None,
            RmwOp::Add => Some(FetchOp::Add),
            RmwOp::Sub => Some(FetchOp::Sub),
            RmwOp::And => Some(FetchOp::And),
            RmwOp::Nand => Some(FetchOp::Nand),
            RmwOp::Or => Some(FetchOp::Or),
            RmwOp::Xor => Some(FetchOp::Xor),
            RmwOp::Max => Some(FetchOp::Max),
            RmwOp::Min => Some(FetchOp::Min),
            RmwOp::UMax => {
                return self.rmw_without_sign(
                    cursor,
                    BinaryOp::Max,
                    address,
                    size,
                    &operand,
                    order,
                );
            }
            RmwOp::UMin => {
                return self.rmw_without_sign(
                    cursor,
                    BinaryOp::Min,
                    address,
                    size,
                    &operand,
                    order,
                );
            }
            RmwOp::FAdd
            | RmwOp::FSub
            | RmwOp::FMax
            | RmwOp::FMin
            | RmwOp::FMaximum
            | RmwOp::FMinimum
            | RmwOp::UIncWrap
            | RmwOp::UDecWrap
            | RmwOp::USubCond
            | RmwOp::USubSat => {
                self.error(
                    cursor,
                    format!("the atomic operation {op:?} cannot be expressed"),
                    "use a loop with compare-and-swap",
                );
                return Val::Undefined;
            }
        };
        if let Val::Private(private, offset) = address {
            let width = u32::try_from(size).unwrap_or(0);
            let old = self.read_private(cursor, *private, *offset, width);
            let old = self.expr(cursor, old);
            let old = self.held(cursor, old);
            let new = match fetch {
                None => Some(operand),
                Some(fetch) => combined(fetch, width * 8, &old, &operand),
            };
            let new = new.map_or_else(|| crate::private::inexpressible(width), Val::Expr);
            self.write_private(cursor, *private, *offset, width, new);
            self.emit(cursor, Instruction::Fence(FenceKind::Full));
            return Val::Expr(old);
        }
        let update = match fetch {
            None => Update::Exchange(operand),
            Some(op) => Update::Fetch { op, operand },
        };
        self.update(cursor, result, address, size, update, order).map_or(Val::Undefined, Val::Expr)
    }

    /// The greater or the smaller of two numbers without a sign, which no operation of the model is: in
    /// a locked section.
    fn rmw_without_sign(
        &mut self,
        cursor: &mut Cursor,
        op: BinaryOp,
        address: &Val,
        size: u64,
        operand: &Expr,
        order: Order,
    ) -> Val {
        let bits = u32::try_from(size * 8).unwrap_or(64);
        self.emit(cursor, Instruction::Lock);
        let old = self.load_bytes(cursor, None, 0, address, size, order);
        let old = self.expr(cursor, old);
        let old = self.held(cursor, old);
        let new = value::extreme_without_sign(op, bits, old.clone(), operand.clone());
        let new = new.map_or(Val::Undefined, Val::Expr);
        self.store_bytes(cursor, address, size, new, Order::Relaxed);
        self.emit(cursor, Instruction::Unlock);
        Val::Expr(old)
    }

    pub(crate) fn element(
        &mut self,
        cursor: &Cursor,
        module: u32,
        element: TypeId,
        base: &Operand,
        indices: &[Val],
    ) -> Val {
        let base = self.operand(cursor, base);
        let indices: Vec<Val> = indices
            .iter()
            .map(|index| match index {
                Val::Undefined => Val::constant(0),
                Val::Expr(_) | Val::Private(..) | Val::Aggregate(_) | Val::Inexpressible(_) => {
                    index.clone()
                }
            })
            .collect();
        let mut indexed = Vec::new();
        let offset = self.world.element_offset(module, element, &indices, &mut indexed);
        let Some(offset) = offset else {
            return Val::Inexpressible("the address of this element".into());
        };
        self.note_indexed(indexed);
        match (base, offset) {
            (Val::Expr(base), offset) => Val::Expr(value::sum(base, offset)),
            (Val::Private(private, at), Expr::Const(by)) => match i64::try_from(by) {
                Ok(by) => Val::Private(private, at + by),
                Err(_) => Val::Undefined,
            },
            (base @ Val::Private(..), offset) => {
                let base = self.expr(cursor, base);
                Val::Expr(value::sum(base, offset))
            }
            (base @ (Val::Undefined | Val::Aggregate(_) | Val::Inexpressible(_)), _) => base,
        }
    }

    fn binary(
        &mut self,
        cursor: &Cursor,
        op: llvm::BinaryOp,
        left: &Operand,
        right: &Operand,
    ) -> Val {
        let module = cursor.known.frame.function.module;
        let Some(bits) = self.world.bits(module, left.ty) else { return floating() };
        let (left, right) = (self.operand(cursor, left), self.operand(cursor, right));
        // Address arithmetic by hand.
        match (op, &left, &right) {
            (llvm::BinaryOp::Add, Val::Private(private, at), by)
            | (llvm::BinaryOp::Add, by, Val::Private(private, at))
                if let Some(by) = by.as_constant().and_then(|by| i64::try_from(by).ok()) =>
            {
                return Val::Private(*private, at + by);
            }
            (llvm::BinaryOp::Sub, Val::Private(one, from), Val::Private(other, to))
                if one == other =>
            {
                return Val::constant(Value::from(from - to));
            }
            _ => {}
        }
        for operand in [&left, &right] {
            if let Val::Inexpressible(_) = operand {
                return operand.clone();
            }
        }
        let (left, right) = (self.expr(cursor, left), self.expr(cursor, right));
        value::arithmetic(op, bits, left, right).map_or_else(
            || Val::Inexpressible(format!("arithmetic on {bits} bits").into()),
            Val::Expr,
        )
    }

    fn compare(
        &mut self,
        cursor: &Cursor,
        predicate: llvm::IntegerPredicate,
        left: &Operand,
        right: &Operand,
    ) -> Val {
        use llvm::IntegerPredicate::{Eq, Ne};
        let module = cursor.known.frame.function.module;
        let bits = self.world.bits(module, left.ty).unwrap_or(64);
        let (left, right) = (self.operand(cursor, left), self.operand(cursor, right));
        match (&left, &right) {
            (Val::Private(one, from), Val::Private(other, to)) if one == other => {
                let (from, to) = (Expr::Const(Value::from(*from)), Expr::Const(Value::from(*to)));
                return value::compare(predicate, 64, from, to).map_or(Val::Undefined, Val::Expr);
            }
            // A variable is neither at address 0 nor where another object is.
            (Val::Private(..), Val::Private(..) | Val::Expr(Expr::Const(_)))
            | (Val::Expr(Expr::Const(_)), Val::Private(..))
                if matches!(predicate, Eq | Ne) =>
            {
                return Val::constant(Value::from(predicate == Ne));
            }
            (Val::Inexpressible(_), _) => return left,
            (_, Val::Inexpressible(_)) => return right,
            _ => {}
        }
        let (left, right) = (self.expr(cursor, left), self.expr(cursor, right));
        value::compare(predicate, bits, left, right).map_or_else(
            || Val::Inexpressible(format!("a number of {bits} bits").into()),
            Val::Expr,
        )
    }

    fn cast(&mut self, cursor: &Cursor, op: CastOp, operand: &Operand, to: TypeId) -> Val {
        let module = cursor.known.frame.function.module;
        let given = self.operand(cursor, operand);
        let from_bits = self.world.bits(module, operand.ty);
        let to_bits = self.world.bits(module, to);
        match op {
            CastOp::BitCast | CastOp::AddrSpaceCast => given,
            CastOp::FpTrunc
            | CastOp::FpExt
            | CastOp::FpToUi
            | CastOp::FpToSi
            | CastOp::UiToFp
            | CastOp::SiToFp => floating(),
            CastOp::Trunc
            | CastOp::ZExt
            | CastOp::SExt
            | CastOp::PtrToInt
            | CastOp::PtrToAddr
            | CastOp::IntToPtr => {
                let (Some(from), Some(to)) = (from_bits, to_bits) else {
                    return Val::Inexpressible("a vector".into());
                };
                if from == to {
                    return given;
                }
                if let Val::Undefined | Val::Inexpressible(_) = given {
                    return given;
                }
                let expr = self.expr(cursor, given);
                let cast = match op {
                    CastOp::SExt => value::sign_extend(from, to, expr),
                    CastOp::Trunc
                    | CastOp::ZExt
                    | CastOp::PtrToInt
                    | CastOp::PtrToAddr
                    | CastOp::IntToPtr
                    | CastOp::BitCast
                    | CastOp::AddrSpaceCast
                    | CastOp::FpTrunc
                    | CastOp::FpExt
                    | CastOp::FpToUi
                    | CastOp::FpToSi
                    | CastOp::UiToFp
                    | CastOp::SiToFp => {
                        if to < from {
                            value::truncate(to, expr)
                        } else {
                            value::zero_extend(from, to, expr)
                        }
                    }
                };
                cast.map_or_else(
                    || Val::Inexpressible(format!("a number of {to} bits").into()),
                    Val::Expr,
                )
            }
        }
    }

    fn select(
        &mut self,
        cursor: &Cursor,
        condition: &Operand,
        then: &Operand,
        otherwise: &Operand,
    ) -> Val {
        let condition = self.operand(cursor, condition);
        let (then, otherwise) = (self.operand(cursor, then), self.operand(cursor, otherwise));
        if let Some(known) = condition.as_constant() {
            return if known == 0 { otherwise } else { then };
        }
        if then == otherwise {
            return then;
        }
        let condition = self.expr(cursor, condition);
        let (then, otherwise) = (self.expr(cursor, then), self.expr(cursor, otherwise));
        Val::Expr(value::fold(Expr::Select(Box::new([condition, then, otherwise]))))
    }

    fn with_inserted(
        &mut self,
        module: u32,
        ty: TypeId,
        whole: Val,
        part: Val,
        indices: &[u32],
    ) -> Val {
        let Some((first, rest)) = indices.split_first() else { return part };
        let elements = self.world.elements(module, ty).unwrap_or_default();
        let mut parts = match whole {
            Val::Aggregate(parts) => parts,
            Val::Expr(_) | Val::Private(..) | Val::Undefined | Val::Inexpressible(_) => {
                vec![Val::Undefined; elements.len()]
            }
        };
        let at = *first as usize;
        if let (Some(slot), Some((element, _))) = (parts.get_mut(at), elements.get(at)) {
            let inner = std::mem::replace(slot, Val::Undefined);
            let inner = self.with_inserted(module, *element, inner, part, rest);
            parts[at] = inner;
        }
        Val::Aggregate(parts)
    }

    /// Continues a way at the beginning of a block, later.
    pub(crate) fn jump_aside(
        &mut self,
        mut cursor: Cursor,
        info: &FunctionInfo,
        target: llvm::BlockId,
    ) {
        self.jump(&mut cursor, info, target);
        self.set_aside(cursor);
    }

    fn switch(
        &mut self,
        cursor: &mut Cursor,
        info: &FunctionInfo,
        value: &Operand,
        default: llvm::BlockId,
        cases: &[(Operand, llvm::BlockId)],
    ) -> Flow {
        let value = self.operand(cursor, value);
        self.settle_all(cursor, info);
        if let Some(known) = value.as_constant() {
            let case = cases
                .iter()
                .find(|(case, _)| self.operand(cursor, case).as_constant() == Some(known))
                .map_or(default, |(_, target)| *target);
            return Flow::Jump(case);
        }
        let value = self.expr(cursor, value);
        let value = self.held(cursor, value);
        for (case, target) in cases {
            let case = self.expr_of(cursor, case);
            let is = Expr::binary(BinaryOp::Eq, value.clone(), case);
            let taken = self.branch(cursor, is.clone());
            self.jump_aside(taken, info, *target);
            self.emit(cursor, Instruction::Assume(is.negated()));
        }
        Flow::Jump(default)
    }

    /// The text of what is under way.
    pub(crate) fn here(&mut self, cursor: &Cursor) -> Span {
        self.span(&cursor.known.frame)
    }
}

const fn fence_kind(ordering: llvm::Ordering) -> FenceKind {
    match ordering {
        llvm::Ordering::SequentiallyConsistent => FenceKind::Full,
        llvm::Ordering::AcquireRelease => FenceKind::Lightweight,
        llvm::Ordering::Release => FenceKind::Release,
        llvm::Ordering::Acquire | llvm::Ordering::Unordered | llvm::Ordering::Monotonic => {
            FenceKind::Acquire
        }
    }
}

fn floating() -> Val {
    Val::Inexpressible("floating-point arithmetic".into())
}

/// What a fetch-and-op writes.
fn combined(op: FetchOp, bits: u32, old: &Expr, operand: &Expr) -> Option<Expr> {
    use program::BinaryOp as Op;
    let int = value::int(bits)?;
    let plain = |op| value::wrap(int, Expr::binary(op, old.clone(), operand.clone()));
    Some(value::fold(match op {
        FetchOp::Add => plain(Op::Add),
        FetchOp::Sub => plain(Op::Sub),
        FetchOp::And => plain(Op::BitAnd),
        FetchOp::Or => plain(Op::BitOr),
        FetchOp::Xor => plain(Op::BitXor),
        FetchOp::Nand => Expr::unary(program::UnaryOp::BitNot, plain(Op::BitAnd)),
        FetchOp::Min => plain(Op::Min),
        FetchOp::Max => plain(Op::Max),
    }))
}
