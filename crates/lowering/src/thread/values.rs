//! Values while a thread is translated: operands, results, and when a value needs a register of its own.

use super::{Cursor, DEEP, RegisterKey, Scratch, WORD, Walk};
use crate::function::FunctionInfo;
use crate::object::ObjectId;
use crate::path::PathId;
use crate::value::{self, Val};
use crate::world::Argument;
use linkage::Item;
use llvm::{BlockId, Constant, Function, LocalId, Operand, Operation, Value as Given};
use program::index::Idx;
use program::{Domain, Expr, Instruction, IntType, RegisterId, Value};

impl<'m> Walk<'_, 'm, '_> {
    pub(super) fn take_phis(
        &mut self,
        cursor: &mut Cursor,
        function: &'m Function,
        from: BlockId,
        target: BlockId,
    ) {
        let path = cursor.known.frame.path;
        let mut taken = Vec::new();
        for instruction in &function.blocks[target.index()].instructions {
            let Operation::Phi { ty, incoming } = &instruction.operation else { continue };
            let Some(result) = instruction.result else { continue };
            let value = incoming.iter().find(|(_, origin)| *origin == from);
            let operand = value.map(|(value, _)| Operand { ty: *ty, value: value.clone() });
            let value = operand.map_or(Val::Undefined, |operand| self.operand(cursor, &operand));
            taken.push((result, value));
        }
        if self.splits_constants {
            // What is known stays known; the rest gets registers, all at once.
            let (known, rest): (Vec<_>, Vec<_>) =
                taken.into_iter().partition(|(_, value)| value.is_static());
            for (result, value) in self.assign_all(cursor, path, rest) {
                cursor.known.frame.locals.insert(result, value);
            }
            for (result, value) in known {
                cursor.known.frame.locals.insert(result, value);
            }
        } else {
            for (result, value) in self.assign_all(cursor, path, taken) {
                cursor.known.frame.locals.insert(result, value);
            }
        }
    }

    /// Assigns values to registers of their own as if all at once.
    pub(super) fn assign_all(
        &mut self,
        cursor: &mut Cursor,
        path: PathId,
        values: Vec<(LocalId, Val)>,
    ) -> Vec<(LocalId, Val)> {
        let own: Vec<RegisterId> = values
            .iter()
            .flat_map(|(local, value)| self.own_registers(path, *local, 0, value))
            .collect();
        let are_several =
            values.len() > 1 || matches!(values.first(), Some((_, Val::Aggregate(_))));
        let clash = are_several
            && values.iter().any(|(_, value)| value.mentions(&|register| own.contains(&register)));
        let mut values = values;
        if clash {
            let mut number = 0;
            for (_, value) in &mut values {
                self.set_apart(cursor, value, &mut number);
            }
        }
        values
            .into_iter()
            .map(|(local, value)| (local, self.in_register(cursor, path, local, 0, value)))
            .collect()
    }

    /// The registers that a value of a local would be put into, as far as there are any yet.
    fn own_registers(
        &self,
        path: PathId,
        local: LocalId,
        component: u32,
        value: &Val,
    ) -> Vec<RegisterId> {
        match value {
            Val::Aggregate(parts) => parts
                .iter()
                .zip(0..)
                .flat_map(|(part, at)| {
                    self.own_registers(path, local, component * 16 + at + 1, part)
                })
                .collect(),
            Val::Expr(_) | Val::Private(..) | Val::Undefined | Val::Inexpressible(_) => {
                let key = RegisterKey::Local(path, local, component);
                self.registers.get(&key).copied().into_iter().collect()
            }
        }
    }

    /// Puts the numbers in a value into registers of this one purpose.
    fn set_apart(&mut self, cursor: &mut Cursor, value: &mut Val, number: &mut usize) {
        match value {
            Val::Expr(expr) => {
                let register = self.scratch(cursor, Scratch::Swapped(*number), WORD);
                *number += 1;
                let expr = std::mem::replace(expr, Expr::Register(register));
                self.emit(cursor, Instruction::Assign { register, value: expr });
            }
            Val::Aggregate(parts) => {
                for part in parts {
                    self.set_apart(cursor, part, number);
                }
            }
            Val::Private(..) | Val::Undefined | Val::Inexpressible(_) => {}
        }
    }

    /// A value in the register of a local.
    pub(crate) fn in_register(
        &mut self,
        cursor: &mut Cursor,
        path: PathId,
        local: LocalId,
        component: u32,
        value: Val,
    ) -> Val {
        match value {
            Val::Expr(value) => {
                let name = self.local_name(cursor, local);
                let key = RegisterKey::Local(path, local, component);
                let register = self.register(key, || name, WORD);
                if value != Expr::Register(register) {
                    self.emit(cursor, Instruction::Assign { register, value });
                }
                Val::register(register)
            }
            Val::Aggregate(parts) => {
                let parts = parts.into_iter().zip(0..).map(|(part, at)| {
                    self.in_register(cursor, path, local, component * 16 + at + 1, part)
                });
                Val::Aggregate(parts.collect())
            }
            Val::Private(private, _) if !self.splits_constants => {
                self.world.escape(private);
                Val::constant(0)
            }
            Val::Private(..) | Val::Undefined | Val::Inexpressible(_) => value,
        }
    }

    pub(crate) fn local_name(&mut self, cursor: &Cursor, local: LocalId) -> String {
        self.name_in(cursor.known.frame.function, local)
    }

    /// What a local of a function is called.
    pub(crate) fn name_in(&mut self, function: Item, local: LocalId) -> String {
        let info = self.world.info(function);
        if let Some(name) = info.variables.get(&local) {
            return name.clone();
        }
        let name = &self.function(function).locals[local.index()].name;
        format!("%{name}")
    }

    /// Puts values that mention parts of variables into registers of their own, before the parts
    /// change: those that `is_due` is true of and that are still needed.
    pub(crate) fn settle(
        &mut self,
        cursor: &mut Cursor,
        info: &FunctionInfo,
        is_due: &dyn Fn(RegisterId) -> bool,
    ) {
        let due = due(cursor, info, is_due);
        self.settle_these(cursor, due);
    }

    fn settle_these(&mut self, cursor: &mut Cursor, due: Vec<(LocalId, Val)>) {
        let path = cursor.known.frame.path;
        for (local, value) in due {
            let settled = self.in_register(cursor, path, local, 0, value);
            cursor.known.frame.locals.insert(local, settled);
        }
    }

    /// Settles everything that mentions a part of any variable.
    pub(crate) fn settle_all(&mut self, cursor: &mut Cursor, info: &FunctionInfo) {
        let due = due(cursor, info, &|register: RegisterId| self.changing[register.index()]);
        self.settle_these(cursor, due);
    }

    /// Whether a value mentions a part of a variable, which may change.
    pub(crate) fn may_change(&self, value: &Val) -> bool {
        value.mentions(&|register| self.changing[register.index()])
    }

    /// The value of an operand.
    pub(crate) fn operand(&mut self, cursor: &Cursor, operand: &Operand) -> Val {
        let module = cursor.known.frame.function.module;
        match &operand.value {
            Given::Local(local) => {
                cursor.known.frame.locals.get(local).cloned().unwrap_or(Val::Undefined)
            }
            Given::Constant(constant) => {
                let value = self.world.constant(module, operand.ty, constant);
                match constant {
                    // Compilers before LLVM 15 name thread-local variables directly.
                    Constant::Symbol(_) | Constant::Expression(_) => {
                        self.require_definition(cursor, &value);
                        for symbol in linkage::compared_symbols(constant) {
                            let item = self.world.linked.resolve(module, symbol);
                            self.require_presence(cursor, item);
                        }
                        self.own_copy(&value).unwrap_or(value)
                    }
                    Constant::Integer(_)
                    | Constant::Number(_)
                    | Constant::Null
                    | Constant::NoToken
                    | Constant::Undef
                    | Constant::Poison
                    | Constant::Zero
                    | Constant::Bytes(_)
                    | Constant::Array(_)
                    | Constant::Vector(_)
                    | Constant::Struct(_)
                    | Constant::BlockAddress(..)
                    | Constant::Other(_) => value,
                }
            }
            Given::Block(_) | Given::Asm(_) | Given::Metadata(_) | Given::MetadataText(_) => {
                Val::Undefined
            }
        }
    }

    /// A value as an expression: a private variable whose address is needed gets one.
    pub(crate) fn expr(&mut self, cursor: &Cursor, value: Val) -> Expr {
        match value {
            Val::Expr(expr) => expr,
            Val::Private(private, _) => {
                self.world.escape(private);
                Expr::Const(0)
            }
            Val::Undefined => Expr::Const(0),
            Val::Aggregate(_) => {
                self.error(
                    cursor,
                    "a structure is used as a number",
                    "access its fields one by one",
                );
                Expr::Const(0)
            }
            Val::Inexpressible(what) => {
                self.error(
                    cursor,
                    format!("{what} cannot be expressed"),
                    "values are integers and pointers of at most 64 bits",
                );
                Expr::Const(0)
            }
        }
    }

    /// The operand as an expression.
    pub(crate) fn expr_of(&mut self, cursor: &Cursor, operand: &Operand) -> Expr {
        let value = self.operand(cursor, operand);
        self.expr(cursor, value)
    }

    /// Gives an instruction's result a value; deep expressions get a register.
    pub(crate) fn define(&mut self, cursor: &mut Cursor, result: Option<LocalId>, value: Val) {
        let Some(local) = result else { return };
        let value = match &value {
            Val::Expr(expr) if expr.depth() > DEEP => {
                let path = cursor.known.frame.path;
                self.in_register(cursor, path, local, 0, value)
            }
            Val::Expr(_)
            | Val::Private(..)
            | Val::Aggregate(_)
            | Val::Undefined
            | Val::Inexpressible(_) => value,
        };
        cursor.known.frame.locals.insert(local, value);
    }

    /// The register that receives what an instruction reads from memory.
    pub(crate) fn result_register(
        &mut self,
        cursor: &Cursor,
        local: LocalId,
        component: u32,
        int: IntType,
    ) -> RegisterId {
        let name = self.local_name(cursor, local);
        let key = RegisterKey::Local(cursor.known.frame.path, local, component);
        self.register(key, || name, Domain::Wrapping(int))
    }

    /// The address of an element of an object: each copy of a thread has its own.
    pub(crate) fn own_address(&mut self, object: ObjectId, per_copy: u64) -> Expr {
        let (base, stride) = {
            let object = self.world.objects.get(object);
            (object.base, object.stride)
        };
        match self.own_copy_number() {
            Some(copy) => {
                let step = Value::from(stride * per_copy);
                value::sum(value::times(copy, step), Expr::Const(base))
            }
            None => Expr::Const(base),
        }
    }

    /// Which copy of the thread this is, counted from 0, if there are several.
    pub(crate) fn own_copy_number(&self) -> Option<Expr> {
        let register = self.registers.get(&RegisterKey::Identity)?;
        let first = Expr::Const(-self.first_identity());
        Some(value::sum(Expr::Register(*register), first))
    }

    /// The identity of the first copy: 1 where the thread itself knows its own.
    pub(crate) fn first_identity(&self) -> Value {
        Value::from(self.spec.arguments.contains(&Argument::Identity))
    }

    /// What the thread knows itself by.
    pub(crate) fn own_identity(&self) -> Expr {
        let register = self.registers.get(&RegisterKey::Identity);
        register.map_or(Expr::Const(1), |register| Expr::Register(*register))
    }
}

/// The values of a call that mention such a register and are still needed.
fn due(
    cursor: &Cursor,
    info: &FunctionInfo,
    is_due: &dyn Fn(RegisterId) -> bool,
) -> Vec<(LocalId, Val)> {
    let frame = &cursor.known.frame;
    let (block, index) = (frame.block, frame.index as usize);
    let is_due = |(local, value): &(&LocalId, &Val)| {
        value.mentions(&|register| is_due(register)) && info.is_needed_after(**local, block, index)
    };
    let due = frame.locals.iter().filter(is_due);
    due.map(|(local, value)| (*local, value.clone())).collect()
}
