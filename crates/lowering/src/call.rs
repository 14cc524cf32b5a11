//! Calls: of functions that are there, which become part of the caller; of functions that are known
//! by their names ([`crate::library`]); of anything else, which may do what it likes.

use llvm::{BlockId, Call, Constant, LocalId, Operand, Value as Given};
use program::{Expr, Instruction, Value};

use crate::copy::CopyKeys;
use crate::function::FunctionInfo;
use crate::library;
use crate::object::ObjectKey;
use crate::path::PathId;
use crate::thread::{Caller, Cursor, Flow, Limit, OnReturn, Scratch, Slot, Walk};
use crate::value::Val;
use linkage::Item;
use linkage::Returned;

/// A call as library functions see it.
pub(crate) struct Called<'c> {
    pub(crate) name: &'c str,
    pub(crate) item: Item,
    pub(crate) arguments: &'c [Operand],
    pub(crate) call: &'c Call,
    pub(crate) result: Option<LocalId>,
}

impl Walk<'_, '_, '_> {
    pub(crate) fn call(
        &mut self,
        cursor: &mut Cursor,
        info: &FunctionInfo,
        call: &Call,
        result: Option<LocalId>,
        normal: Option<BlockId>,
    ) -> Flow {
        // Arguments and pending values must not change while the callee runs.
        self.settle_all(cursor, info);
        let module = cursor.known.frame.function.module;
        let flow = match &call.callee {
            Given::Asm(asm) => self.assembly(cursor, call, asm, result),
            Given::Constant(Constant::Symbol(symbol)) => {
                let item = self.world.linked.resolve(module, *symbol);
                self.call_item(cursor, info, call, result, item, 0)
            }
            callee @ (Given::Local(_)
            | Given::Constant(_)
            | Given::Block(_)
            | Given::Metadata(_)
            | Given::MetadataText(_)) => {
                let operand = Operand { ty: call.result_type, value: callee.clone() };
                let pointer = match callee {
                    Given::Constant(Constant::Expression(_)) => {
                        // A cast of a function.
                        self.world.constant_pointer(module, callee)
                    }
                    Given::Local(_)
                    | Given::Constant(_)
                    | Given::Block(_)
                    | Given::Asm(_)
                    | Given::Metadata(_)
                    | Given::MetadataText(_) => self.operand(cursor, &operand),
                };
                self.call_pointer(cursor, info, call, result, pointer)
            }
        };
        match (flow, normal) {
            (Flow::Next, Some(normal)) => {
                self.settle_all(cursor, info);
                Flow::Jump(normal)
            }
            (flow, _) => flow,
        }
    }

    fn call_item(
        &mut self,
        cursor: &mut Cursor,
        info: &FunctionInfo,
        call: &Call,
        result: Option<LocalId>,
        item: Item,
        which: u32,
    ) -> Flow {
        let linked = self.world.linked;
        let has_body = linked.has_body(item);
        let symbol = linked.name(item);
        let name = if has_body || llvm::demangled(symbol).is_some() {
            symbol
        } else {
            library::of_c(symbol)
        };
        let called = Called { name, item, arguments: &call.arguments, call, result };
        let mut arguments = call.arguments.iter();
        if !has_body
            && !name.starts_with("llvm.")
            && arguments.any(|argument| Self::is_unwritten(cursor, argument))
        {
            return self.give_up(cursor, Limit::Unwritten);
        }
        if !has_body
            && !name.starts_with("llvm.")
            && let Some(flow) = self.stated(cursor, &called)
        {
            return flow;
        }
        if let Some(flow) = self.library(cursor, info, &called, has_body) {
            return flow;
        }
        if has_body {
            return self.inline(cursor, &call.arguments, item, which);
        }
        self.unknown(cursor, &called)
    }

    /// Begins a call of a function that is there.
    pub(crate) fn inline(
        &mut self,
        cursor: &mut Cursor,
        arguments: &[Operand],
        item: Item,
        which: u32,
    ) -> Flow {
        let given: Vec<Val> =
            arguments.iter().map(|argument| self.operand(cursor, argument)).collect();
        self.enter(cursor, item, given, which)
    }

    /// Begins a call with these arguments.
    pub(crate) fn enter(
        &mut self,
        cursor: &mut Cursor,
        item: Item,
        arguments: Vec<Val>,
        which: u32,
    ) -> Flow {
        let mut nested = 0;
        let mut frame = Some(&cursor.known.frame);
        while let Some(one) = frame {
            nested += u32::from(one.function == item);
            frame = one.caller.as_deref();
        }
        if nested > self.world.environment.bounds.recursion {
            return self.give_up(cursor, Limit::Recursion);
        }
        let mut number = 0;
        let arguments: Vec<Val> = arguments
            .into_iter()
            .map(|argument| self.unchanging(cursor, argument, &mut number))
            .collect();
        let point = self.point(cursor);
        let path = self.world.paths.call(point, which);
        let arguments = self.copied_where_by_value(cursor, item, path, arguments, which);
        self.operation_called(cursor, item, &arguments);
        let mut caller = cursor.known.frame.clone();
        let info = self.world.info(caller.function);
        let (block, next) = (caller.block, caller.index as usize + 1);
        caller.locals.retain(|local, _| info.is_needed_from(*local, block, next));
        let mut frame = Self::new_frame(path, item, Some(Caller::new(caller)));
        // Who is called by a pointer of another type may be given too little.
        let missing = std::iter::repeat(Val::Undefined);
        let parameters = 0..u32::try_from(self.function(item).parameters.len()).unwrap_or(0);
        for (at, argument) in parameters.zip(arguments.into_iter().chain(missing)) {
            frame.locals.insert(LocalId(at), argument);
        }
        cursor.known.frame = frame;
        Flow::Moved
    }

    /// Arguments with variables of the callee in place of what is passed by value: a pointer is given, and
    /// the callee has a copy of what it points to.
    fn copied_where_by_value(
        &mut self,
        cursor: &mut Cursor,
        callee: Item,
        path: PathId,
        mut arguments: Vec<Val>,
        which: u32,
    ) -> Vec<Val> {
        let parameters = &self.function(callee).parameters;
        for ((argument, parameter), at) in arguments.iter_mut().zip(parameters).zip(0..) {
            let Some(ty) = parameter.indirect.filter(|_| parameter.by_value) else { continue };
            let size = self.world.size(callee.module, ty).unwrap_or(0);
            let span = self.here(cursor);
            let own = self.variable(callee, path, LocalId(at), size, span);
            self.begin_in_memory(cursor, path, LocalId(at));
            // The callee's number and the parameter's keep the pointers of one call apart.
            let keys = CopyKeys::of_argument(which, at);
            self.copy_as(cursor, &own, argument, &Val::constant(size.into()), keys);
            *argument = own;
        }
        arguments
    }

    /// The same, with a step that is made when the call returns.
    pub(crate) fn enter_then(
        &mut self,
        cursor: &mut Cursor,
        item: Item,
        arguments: Vec<Val>,
        finally: OnReturn,
    ) -> Flow {
        let flow = self.enter(cursor, item, arguments, 0);
        cursor.known.frame.finally = Some(finally);
        flow
    }

    /// A value that does not change when variables do.
    pub(crate) fn unchanging(&mut self, cursor: &mut Cursor, value: Val, number: &mut u32) -> Val {
        if !self.may_change(&value) {
            return value;
        }
        match value {
            Val::Expr(expr) => {
                *number += 1;
                Val::Expr(self.held_apart(cursor, expr, Scratch::Argument(*number)))
            }
            Val::Aggregate(parts) => {
                let parts = parts.into_iter().map(|part| self.unchanging(cursor, part, number));
                Val::Aggregate(parts.collect())
            }
            Val::Private(..) | Val::Undefined | Val::Inexpressible(_) => value,
        }
    }

    fn call_pointer(
        &mut self,
        cursor: &mut Cursor,
        info: &FunctionInfo,
        call: &Call,
        result: Option<LocalId>,
        pointer: Val,
    ) -> Flow {
        let pointer = self.expr(cursor, pointer);
        if let Expr::Const(address) = pointer {
            return match self.function_at(address) {
                Some(item) => self.call_item(cursor, info, call, result, item, 0),
                None => self.fail(cursor),
            };
        }
        let point = self.point(cursor);
        self.pointers.push(((point, 0), pointer.clone()));
        let targets = self.world.facts.targets.get(&(point, 0)).cloned().unwrap_or_default();
        let mut functions: Vec<(Value, Item)> = targets
            .objects()
            .filter_map(|object| {
                let base = self.world.objects.get(object).base;
                self.function_at(base).map(|item| (base, item))
            })
            .collect();
        functions.sort_unstable();
        let pointer = self.held(cursor, pointer);
        for ((address, item), which) in functions.into_iter().zip(1..) {
            let is = Expr::binary(program::BinaryOp::Eq, pointer.clone(), Expr::Const(address));
            let mut taken = self.branch(cursor, is.clone());
            match self.call_item(&mut taken, info, call, result, item, which) {
                Flow::Next => {
                    taken.known.frame.index += 1;
                    self.set_aside(taken);
                }
                Flow::Moved => self.set_aside(taken),
                Flow::Jump(target) => self.jump_aside(taken, info, target),
                Flow::Over => {}
            }
            self.emit(cursor, Instruction::Assume(is.negated()));
        }
        // Whatever else it points to is not a function; unless it comes from outside, where nobody knows.
        let nothing = Expr::binary(program::BinaryOp::Sub, pointer.clone(), pointer);
        self.emit(cursor, Instruction::Assert(nothing));
        Flow::Over
    }

    pub(crate) fn function_at(&self, address: Value) -> Option<Item> {
        let (object, offset) = self.world.objects.at(address)?;
        if offset != 0 {
            return None;
        }
        self.world.objects.function_of(object)
    }

    /// A function that nobody knows. It may return anything; and if it can get at anything of the program,
    /// by an address that it is given or by name, it may do anything, which is beyond what can be decided.
    pub(crate) fn unknown(&mut self, cursor: &mut Cursor, called: &Called<'_>) -> Flow {
        if self.refuses(cursor, called) {
            return Flow::Over;
        }
        let name = library::readable(called.name);
        let limit = Limit::NoBody(called.item);
        self.world.unknown.insert(name.clone());
        self.shows_arguments(cursor, called);
        if self.is_given_an_address(cursor, called) {
            return self.give_up(cursor, limit);
        }
        if self.world.linked.shows_something() {
            let mut beyond = self.branch(cursor, Expr::Const(1));
            self.give_up(&mut beyond, limit);
        }
        cursor.known.slots.insert(Slot::Errno, Val::constant(1));
        if let Some(local) = called.result {
            let ty = called.call.result_type;
            // Types of Rust do not use all values of their bits.
            let is_rusts = llvm::demangled(called.name).is_some();
            let returned = if is_rusts { Returned::Unclear } else { Returned::Anything };
            let returned = (returned, &*name);
            let value = self.returned(cursor, local, 0, ty, returned);
            self.define(cursor, called.result, value);
        }
        Flow::Next
    }
}

impl crate::object::Objects {
    /// The function that an object is.
    pub(crate) fn function_of(&self, object: crate::object::ObjectId) -> Option<Item> {
        match self.key(object) {
            ObjectKey::Function(item) => Some(*item),
            ObjectKey::Global(_)
            | ObjectKey::ThreadLocal(..)
            | ObjectKey::Local(..)
            | ObjectKey::Allocated(..)
            | ObjectKey::Threads
            | ObjectKey::Process
            | ObjectKey::Tokens
            | ObjectKey::Sleepers
            | ObjectKey::Errno(_)
            | ObjectKey::Environment(_)
            | ObjectKey::Argument(_)
            | ObjectKey::Result(_)
            | ObjectKey::Support(_)
            | ObjectKey::Life(_)
            | ObjectKey::Immortal => None,
        }
    }
}
