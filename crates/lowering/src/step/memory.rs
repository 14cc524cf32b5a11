//! Variables, loads and stores.

use crate::function::FunctionInfo;
use crate::object::{Naming, Object, ObjectKey};
use crate::path::PathId;
use crate::step::wide::WIDE;
use crate::thread::{Cursor, Scratch, Slot, Spot, WORD, Walk, access, fresh};
use crate::value::{self, Val};
use crate::world::untyped_object;
use linkage::Item;
use llvm::{LocalId, Operand, TypeId};
use program::{Access, Expr, FenceKind, Instruction, Order, Span, Value};

/// What an access is certainly out of bounds of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beyond {
    /// Nothing.
    Nothing,
    /// A private variable, of which nothing else would notice.
    Variable,
    /// Memory: the access fails when it is made, and nothing comes after it.
    Memory,
}

impl Walk<'_, '_, '_> {
    pub(super) fn alloca(
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
        let size = self.world.size(function.module, ty).unwrap_or(8).saturating_mul(count);
        let span = self.here(cursor);
        let variable = self.variable(function, path, local, size, span);
        if let Val::Private(private, _) = variable {
            self.begin_variable(cursor, local, private);
        }
        self.begin_in_memory(cursor, path, local);
        cursor.known.frame.locals.insert(local, variable);
    }

    /// A pointer to a variable of one call: a private one, unless its address gets about.
    pub(crate) fn variable(
        &mut self,
        function: Item,
        path: PathId,
        local: LocalId,
        size: u64,
        span: Span,
    ) -> Val {
        let name = self.name_in(function, local);
        let private = self.world.private(path, (function, local), size, || name.clone());
        if !self.world.facts.escaped.contains(&private) {
            return Val::Private(private, 0);
        }
        let name = name.trim_start_matches('%');
        let copies = u64::from(self.spec.copies);
        let thread = self.spec.name.clone();
        let object = self.world.objects.intern(ObjectKey::Local(path, local), || Object {
            is_unwritten: true,
            naming: Naming::Local { function, local },
            elements: copies,
            span,
            ..untyped_object(&format!("{thread}.{name}"), size)
        });
        self.world.objects.rename(object, format!("{thread}.{name}"));
        Val::Expr(self.own_address(object, 1))
    }

    /// How far an access by this address is out of bounds, as far as that is known when the program is read.
    pub(super) fn beyond(&mut self, cursor: &Cursor, address: &Operand, ty: TypeId) -> Beyond {
        let module = cursor.known.frame.function.module;
        let bytes = Value::from(self.world.size(module, ty).unwrap_or(0));
        match self.operand(cursor, address) {
            Val::Private(private, at) => {
                let size = Value::from(self.world.private_size(private));
                let is_inside = at >= 0 && Value::from(at) + bytes <= size;
                if is_inside { Beyond::Nothing } else { Beyond::Variable }
            }
            Val::Expr(Expr::Const(at)) => match self.world.objects.at(at) {
                Some((object, offset)) => {
                    let extent = self.world.objects.get(object).extent();
                    let is_behind = extent > 0 && Value::from(offset) >= Value::from(extent);
                    if is_behind { Beyond::Memory } else { Beyond::Nothing }
                }
                // Null may only mean that an address is not known yet.
                None if at == 0 => Beyond::Nothing,
                None => Beyond::Memory,
            },
            Val::Expr(_) | Val::Aggregate(_) | Val::Undefined | Val::Inexpressible(_) => {
                Beyond::Nothing
            }
        }
    }

    pub(super) fn load(
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
    pub(super) fn load_value(
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
        if self.world.bits(module, ty) == Some(WIDE) {
            return self.wide_load(cursor, result, address, order, number);
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
            self.must_be_of_a_call_under_way(cursor, *private);
            let value = self.read_private(cursor, *private, *offset, width);
            self.must_be_written_before_copied(cursor, (*private, *offset), &value, width);
            return value;
        }
        let address = self.expr(cursor, address.clone());
        if let Some(known) = self.constant_memory(&address, width) {
            return known;
        }
        if let Some(value) = self.library_variable(cursor, result, &address, width) {
            return value;
        }
        self.come_to_errno(cursor, &address);
        let int = value::int(width * 8).expect("at most 64 bits");
        let register = if let Some(local) = result {
            self.result_register(cursor, local, component, int)
        } else {
            self.scratch(cursor, Scratch::Read(component), WORD)
        };
        let width_there = self.width_at(cursor, &address, narrow);
        let access = Access { width: width_there, ..access(order, narrow) };
        self.guard(cursor, &address, width);
        let spot = Spot::new(self.point(cursor), &address, width);
        self.emit(cursor, Instruction::Load { register, address, access });
        self.must_be_written(cursor, spot, (register, result), width);
        Val::register(register)
    }

    /// What a constant variable holds at a known address.
    pub(crate) fn constant_memory(&self, address: &Expr, width: u32) -> Option<Val> {
        let Expr::Const(address) = address else { return None };
        let (object, offset) = self.world.objects.at(*address)?;
        let object = self.world.objects.get(object);
        let Naming::Global(item) = object.naming else { return None };
        let global = self.world.linked.global(item)?;
        if !global.constant || global.initialiser.is_none() {
            return None;
        }
        let (offset, bytes) = (u64::try_from(offset).ok()?, u64::from(width));
        // What lies beyond is no memory: the access is there to fail.
        if offset + bytes > object.size {
            return None;
        }
        if let Some(what) = object.initial.inexpressible(offset, bytes) {
            return Some(Val::Inexpressible(what.into()));
        }
        if object.initial.is_unwritten_at(offset, bytes) {
            return Some(Val::Undefined);
        }
        let value = object.initial.get(offset, bytes);
        Some(Val::constant(value::int(width * 8)?.wrap(value)))
    }

    pub(super) fn store(
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
                let path = cursor.known.frame.path;
                self.in_register(cursor, path, variable, 0, given)
            } else {
                given
            };
            cursor.known.frame.named.insert(variable, given);
            return;
        }
        let module = cursor.known.frame.function.module;
        let address = self.operand(cursor, address);
        // Parts of a structure are written one after another, and each may mention what another replaces.
        let given = match (given, &address) {
            (given @ Val::Aggregate(_), Val::Private(..)) => self.unchanging(cursor, given, &mut 0),
            (given, _) => given,
        };
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
        if self.world.bits(module, ty) == Some(WIDE) {
            self.wide_store(cursor, &value, address, order);
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
            self.must_be_of_a_call_under_way(cursor, *private);
            self.write_private(cursor, *private, *offset, width, value);
            // A locked access waits for the buffer, whatever it accesses.
            if order == Order::SeqCst {
                self.emit(cursor, Instruction::Fence(FenceKind::Full));
            }
            return;
        }
        let address = self.expr(cursor, address.clone());
        // What nobody has written stays so where it is copied to.
        let value = match value {
            Val::Undefined => Expr::Const(fresh(width)),
            value @ (Val::Expr(_)
            | Val::Private(..)
            | Val::Aggregate(_)
            | Val::Inexpressible(_)) => self.expr(cursor, value),
        };
        let width_there = self.width_at(cursor, &address, narrow);
        let access = Access { width: width_there, ..access(order, narrow) };
        if self.is_errno(&address) {
            cursor.known.slots.remove(&Slot::Errno);
        }
        self.must_be_writable(cursor, &address, width);
        self.guard(cursor, &address, width);
        self.emit(cursor, Instruction::Store { address, value, access });
    }
}
