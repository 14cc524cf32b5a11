//! How values are split into parts that may hold addresses, and which local variables are no memory.
//!
//! A value of a structure type has a part for each of its first scalars, so that the two halves of a wide
//! pointer are not mixed. Floating-point numbers and integers that are narrower than a pointer hold no
//! addresses: that a pointer goes through a `double`, or is put together from pieces that were computed
//! with, is not expected. (Pieces that are loaded and stored again at once are a copy of memory.) A local variable that is only loaded and stored as a whole is a
//! value, and not an object.

use std::cell::RefCell;
use std::rc::Rc;

use linkage::{Item, Linked};
use llvm::{Function, LocalId, Operation, Type, TypeId, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::steps;

/// A part of a value: its offset and its size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) at: u32,
    pub(crate) bytes: u32,
}

/// More parts of one value are not told apart.
const MOST_PARTS: usize = 8;

/// The parts of a value.
type Known = Rc<[Part]>;

/// The parts of values, by their types.
#[derive(Debug)]
pub(crate) struct Parts<'l, 'm> {
    linked: &'l Linked<'m>,
    known: RefCell<FxHashMap<(u32, TypeId), Known>>,
    sizes: RefCell<FxHashMap<(u32, TypeId), Option<u64>>>,
}

impl<'l, 'm> Parts<'l, 'm> {
    pub(crate) fn new(linked: &'l Linked<'m>) -> Self {
        Self { linked, known: RefCell::default(), sizes: RefCell::default() }
    }

    /// How many bytes lie between one element of a type and the next.
    pub(crate) fn size(&self, module: u32, ty: TypeId) -> Option<u64> {
        if let Some(known) = self.sizes.borrow().get(&(module, ty)) {
            return *known;
        }
        let size = self.linked.layout(module).stride(&self.linked.module(module).types, ty);
        self.sizes.borrow_mut().insert((module, ty), size);
        size
    }

    /// How many bytes a value has, if it is not too large.
    pub(crate) fn bytes(&self, module: u32, ty: TypeId) -> u32 {
        self.size(module, ty).and_then(|size| u32::try_from(size).ok()).unwrap_or(1 << 16)
    }

    /// Whether values of a type are integers or addresses that machines access at once.
    pub(crate) fn is_indivisible(&self, module: u32, ty: TypeId) -> bool {
        match self.linked.module(module).types.resolved(ty) {
            Type::Integer(bits) => matches!(bits, 8 | 16 | 32 | 64),
            Type::Pointer { .. } => true,
            Type::Void
            | Type::Label
            | Type::Metadata
            | Type::Token
            | Type::Float(_)
            | Type::Function { .. }
            | Type::Array { .. }
            | Type::Vector { .. }
            | Type::Other(_)
            | Type::Named(_)
            | Type::Struct { .. } => false,
        }
    }

    /// The parts of values of a type that may hold addresses.
    pub(crate) fn of(&self, module: u32, ty: TypeId) -> Known {
        if let Some(known) = self.known.borrow().get(&(module, ty)) {
            return known.clone();
        }
        let mut parts = Vec::new();
        let is_split = self.split(module, ty, 0, &mut parts) && parts.len() <= MOST_PARTS;
        if !is_split && !parts.is_empty() {
            parts = vec![Part { at: 0, bytes: self.bytes(module, ty) }];
        }
        let parts: Known = parts.into();
        self.known.borrow_mut().insert((module, ty), parts.clone());
        parts
    }

    /// Adds the scalars of a type; whether its parts can be told apart.
    fn split(&self, module: u32, ty: TypeId, at: u64, parts: &mut Vec<Part>) -> bool {
        if parts.len() > MOST_PARTS {
            return false;
        }
        let types = &self.linked.module(module).types;
        let layout = self.linked.layout(module);
        let whole = |parts: &mut Vec<Part>| match u32::try_from(at) {
            Ok(at) => {
                parts.push(Part { at, bytes: self.bytes(module, ty) });
                true
            }
            Err(_) => false,
        };
        match types.resolved(ty) {
            Type::Integer(bits) if u64::from(*bits) < layout.pointer_size(0) * 8 => true,
            Type::Void
            | Type::Label
            | Type::Metadata
            | Type::Token
            | Type::Float(_)
            | Type::Function { .. }
            | Type::Array { length: 0, .. } => true,
            Type::Integer(_)
            | Type::Pointer { .. }
            | Type::Vector { .. }
            | Type::Other(_)
            | Type::Named(_)
            | Type::Array { .. } => whole(parts),
            Type::Struct { fields, .. } => {
                let mut is_split = true;
                for (index, field) in fields.iter().enumerate() {
                    let Some(offset) = layout.field_offset(types, ty, index) else { return false };
                    is_split &= self.split(module, *field, at + offset, parts);
                }
                is_split
            }
        }
    }

    /// Which parts of a value the part is that indices choose: the first and how many.
    pub(crate) fn chosen(
        &self,
        module: u32,
        ty: TypeId,
        indices: &[u32],
    ) -> Option<(usize, TypeId)> {
        let types = &self.linked.module(module).types;
        let layout = self.linked.layout(module);
        let (mut inner, mut at) = (ty, 0);
        for index in indices {
            let index = *index as usize;
            match types.resolved(inner) {
                Type::Struct { fields, .. } => {
                    at += layout.field_offset(types, inner, index)?;
                    inner = *fields.get(index)?;
                }
                Type::Array { element, .. } => {
                    at += self.size(module, *element)? * u64::try_from(index).ok()?;
                    inner = *element;
                }
                Type::Void
                | Type::Label
                | Type::Metadata
                | Type::Token
                | Type::Other(_)
                | Type::Integer(_)
                | Type::Float(_)
                | Type::Pointer { .. }
                | Type::Vector { .. }
                | Type::Named(_)
                | Type::Function { .. } => return None,
            }
        }
        let parts = self.of(module, ty);
        let at = u32::try_from(at).ok()?;
        let first = parts.iter().position(|part| part.at >= at)?;
        let fits = self.of(module, inner).iter().enumerate().all(|(number, part)| {
            parts
                .get(first + number)
                .is_some_and(|one| one.at == at + part.at && one.bytes == part.bytes)
        });
        fits.then_some((first, inner))
    }
}

/// The values of a function: where the parts of each begin, and which local variables are values.
#[derive(Debug)]
pub(crate) struct Shape {
    /// For each local, the number of its first part.
    pub(crate) first: Vec<u32>,
    /// How many parts there are in all, with those of variables and of what is returned.
    pub(crate) total: u32,
    /// The first part of a variable that is a value, and its type.
    pub(crate) values: FxHashMap<LocalId, (u32, TypeId)>,
    /// The first part of what is returned.
    pub(crate) returned: u32,
    /// Values without parts that are loaded: where.
    pub(crate) pieces: FxHashMap<LocalId, (u32, u32)>,
    /// Address computations that are repeated steps.
    pub(crate) repeated: FxHashSet<LocalId>,
}

impl Shape {
    pub(crate) fn new(parts: &Parts<'_, '_>, item: Item, function: &Function) -> Self {
        let mut total = 0_u32;
        let count = |ty| u32::try_from(parts.of(item.module, ty).len()).unwrap_or(0);
        let mut first = Vec::with_capacity(function.locals.len());
        for local in &function.locals {
            first.push(total);
            total += count(local.ty);
        }
        let returned = total;
        total += count(function.result);
        let mut variables = FxHashMap::default();
        for (local, ty) in whole_variables(parts, item, function) {
            variables.insert(local, (total, ty));
            total += count(ty);
        }
        let mut pieces = FxHashMap::default();
        for (block, code) in (0_u32..).zip(&function.blocks) {
            for (index, instruction) in (0_u32..).zip(&code.instructions) {
                if let (Operation::Load { ty, .. }, Some(local)) =
                    (&instruction.operation, instruction.result)
                    && count(*ty) == 0
                {
                    pieces.insert(local, (block, index));
                }
            }
        }
        let repeated = steps::repeated(function, |local| variables.contains_key(&local));
        Self { first, total, values: variables, returned, pieces, repeated }
    }
}

/// Local variables that are only loaded and stored as a whole, always with the same parts, and never given
/// away; each with the type of its accesses.
fn whole_variables(
    parts: &Parts<'_, '_>,
    item: Item,
    function: &Function,
) -> Vec<(LocalId, TypeId)> {
    let mut found: FxHashMap<LocalId, Option<TypeId>> = FxHashMap::default();
    let mut spoilt: FxHashSet<LocalId> = FxHashSet::default();
    let instructions = || function.blocks.iter().flat_map(|block| &block.instructions);
    for instruction in instructions() {
        if let (Operation::Alloca { count: None, .. }, Some(local)) =
            (&instruction.operation, instruction.result)
        {
            found.insert(local, None);
        }
    }
    let mut spoil = |value: &Value| {
        if let Value::Local(local) = value {
            spoilt.insert(*local);
        }
    };
    let mut uses = Vec::new();
    for instruction in instructions() {
        let operation = &instruction.operation;
        if let Operation::Load { ty, address, .. } = operation {
            uses.push((&address.value, *ty));
        } else if let Operation::Store { value, address, .. } = operation {
            spoil(&value.value);
            uses.push((&address.value, value.ty));
        } else {
            if let Operation::Call(call)
            | Operation::Invoke { call, .. }
            | Operation::CallBranch { call, .. } = operation
            {
                if says_how_long(parts.linked, item, call) {
                    continue;
                }
                spoil(&call.callee);
            }
            operation.for_each_value(&mut |_, value| spoil(value));
        }
    }
    for (value, ty) in uses {
        if let Value::Local(local) = value
            && let Some(known) = found.get_mut(local)
        {
            match known {
                None => *known = Some(ty),
                Some(other) if parts.of(item.module, *other) == parts.of(item.module, ty) => {}
                Some(_) => {
                    spoilt.insert(*local);
                }
            }
        }
    }
    let is_whole =
        |(local, ty): (LocalId, Option<TypeId>)| (!spoilt.contains(&local)).then_some((local, ty?));
    let mut all: Vec<(LocalId, TypeId)> = found.into_iter().filter_map(is_whole).collect();
    all.sort_unstable();
    all
}

/// Whether a call only says how long a variable lives.
fn says_how_long(linked: &Linked<'_>, item: Item, call: &llvm::Call) -> bool {
    linkage::symbol_of(&call.callee).is_some_and(|symbol| {
        let name = &linked.module(item.module).symbol(symbol).name;
        name.starts_with("llvm.lifetime.") || name.starts_with("llvm.dbg.")
    })
}
