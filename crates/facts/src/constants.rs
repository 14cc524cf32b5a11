//! Addresses in constants, and paths from one address to another.

use linkage::Item;
use llvm::{BinaryOp, Constant, ConstantExpression, Operand, Type, TypeId, Value};

use crate::object::{OUTSIDE, ObjectKind, Offset, Words, words};
use crate::pointers::Pointers;
use crate::solver::{Constraint, ESCAPED, Var, moved};

/// Addresses below this, and as many at the other end, are numbers with a meaning of their own.
const LEAST_ADDRESS: i128 = 1 << 16;

/// How an address is moved: by a number of bytes, and by multiples of strides, each with how many.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    pub(crate) by: i64,
    pub(crate) strides: Vec<(u32, u32)>,
}

impl Path {
    fn anywhere() -> Self {
        Self { by: 0, strides: vec![(1, 0)] }
    }
}

impl Pointers<'_, '_> {
    pub(crate) fn initialise(&mut self, item: Item) {
        let Some(global) = self.linked.global(item) else { return };
        let Some(object) = self.solver.known_object(ObjectKind::Global(item)) else { return };
        let Some(initialiser) = &global.initialiser else {
            if linkage::symbols::is_variable_of_c(linkage::of_c(self.linked.name(item))) {
                let address = self.library_memory();
                let held = self.solver.constant(address);
                if let Some(into) = self.solver.stored(object, Words::ALL) {
                    self.solver.copy(held, into);
                }
                return;
            }
            // Others define it, and may hold and store anything there.
            self.solver.include(ESCAPED, (object, Offset::ZERO));
            return;
        };
        let mut found = Vec::new();
        self.constant_addresses(item.module, global.ty, initialiser, 0, &mut found);
        for (at, var) in found {
            let Ok(at) = i32::try_from(at) else { continue };
            for words in words(Offset::exact(at), 8) {
                if let Some(into) = self.solver.stored(object, words) {
                    self.solver.copy(var, into);
                }
            }
        }
    }

    /// The addresses in a constant, with where they stand in it.
    pub(crate) fn constant_addresses(
        &mut self,
        module: u32,
        ty: TypeId,
        constant: &Constant,
        at: u64,
        found: &mut Vec<(u64, Var)>,
    ) {
        match constant {
            Constant::Array(elements) | Constant::Vector(elements) => {
                let mut place = at;
                for element in elements {
                    if let Value::Constant(inner) = &element.value {
                        self.constant_addresses(module, element.ty, inner, place, found);
                    }
                    place += self.parts.size(module, element.ty).unwrap_or(8);
                }
            }
            Constant::Struct(fields) => {
                let types = &self.linked.module(module).types;
                for (index, field) in fields.iter().enumerate() {
                    let layout = self.linked.layout(module);
                    let offset = layout.field_offset(types, ty, index).unwrap_or(0);
                    if let Value::Constant(inner) = &field.value {
                        self.constant_addresses(module, field.ty, inner, at + offset, found);
                    }
                }
            }
            Constant::Symbol(_) | Constant::Expression(_) | Constant::Integer(_) => {
                for var in self.constant_values(module, constant) {
                    found.push((at, var));
                }
            }
            Constant::Other(_) => found.push((at, ESCAPED)),
            Constant::Number(_)
            | Constant::Null
            | Constant::Undef
            | Constant::Poison
            | Constant::Zero
            | Constant::NoToken
            | Constant::Bytes(_)
            | Constant::BlockAddress(..) => {}
        }
    }

    /// What a constant address may be.
    pub(crate) fn constant_values(&mut self, module: u32, constant: &Constant) -> Vec<Var> {
        match constant {
            Constant::Symbol(symbol) => {
                let item = self.linked.resolve(module, *symbol);
                match self.symbol_object(item) {
                    Some(object) => vec![self.solver.constant((object, Offset::ZERO))],
                    None => vec![ESCAPED],
                }
            }
            Constant::Expression(expression) => self.expression_values(module, expression),
            Constant::Other(_) => vec![ESCAPED],
            Constant::Array(_) | Constant::Vector(_) | Constant::Struct(_) => {
                let mut found = Vec::new();
                self.constant_addresses(module, TypeId(0), constant, 0, &mut found);
                found.into_iter().map(|(_, var)| var).collect()
            }
            // Numbers are addresses only where they are used as such.
            Constant::Integer(_)
            | Constant::Number(_)
            | Constant::Null
            | Constant::Undef
            | Constant::Poison
            | Constant::Zero
            | Constant::NoToken
            | Constant::Bytes(_)
            | Constant::BlockAddress(..) => Vec::new(),
        }
    }

    fn expression_values(&mut self, module: u32, expression: &ConstantExpression) -> Vec<Var> {
        let of = |analysis: &mut Self, operand: &Operand| match &operand.value {
            Value::Constant(inner) => analysis.constant_values(module, inner),
            Value::Local(_)
            | Value::Block(_)
            | Value::Asm(_)
            | Value::Metadata(_)
            | Value::MetadataText(_) => Vec::new(),
        };
        match expression {
            ConstantExpression::GetElementPtr { element, base, indices } => {
                let bases = of(self, base);
                let path = self.path(module, *element, indices);
                bases.into_iter().map(|base| self.moved_constant(base, &path)).collect()
            }
            ConstantExpression::Cast { op, value } => {
                if *op == llvm::CastOp::IntToPtr
                    && let Value::Constant(Constant::Integer(number)) = &value.value
                    && is_address(*number)
                {
                    return vec![self.solver.constant((OUTSIDE, Offset::ANY))];
                }
                of(self, value)
            }
            ConstantExpression::Binary { op, left, right } => {
                let all = [of(self, left), of(self, right)].concat();
                let path = match (op, &right.value) {
                    (
                        BinaryOp::Add | BinaryOp::Or,
                        Value::Constant(Constant::Integer(by @ 0..LEAST_ADDRESS)),
                    ) => Path { by: i64::try_from(*by).unwrap_or(0), strides: Vec::new() },
                    _ => Path::anywhere(),
                };
                all.into_iter().map(|base| self.moved_constant(base, &path)).collect()
            }
            ConstantExpression::Select { then, otherwise, .. } => {
                [of(self, then), of(self, otherwise)].concat()
            }
            ConstantExpression::Compare { .. } => Vec::new(),
        }
    }

    fn moved_constant(&mut self, base: Var, path: &Path) -> Var {
        let known: Vec<_> = self.solver.set(base).collect();
        if let [(object, offset)] = known[..]
            && let Ok(by) = i32::try_from(path.by)
            && path.strides.is_empty()
        {
            return self.solver.constant((object, moved(offset, by)));
        }
        let var = self.solver.variable();
        self.move_along(base, path, var);
        var
    }

    pub(crate) fn path(&self, module: u32, element: TypeId, indices: &[Operand]) -> Path {
        let types = &self.linked.module(module).types;
        let layout = self.linked.layout(module);
        let mut path = Path::default();
        let mut ty = element;
        for (position, index) in indices.iter().enumerate() {
            let number = match &index.value {
                Value::Constant(Constant::Integer(number)) => Some(*number),
                Value::Constant(Constant::Zero) => Some(0),
                Value::Constant(_)
                | Value::Local(_)
                | Value::Block(_)
                | Value::Asm(_)
                | Value::Metadata(_)
                | Value::MetadataText(_) => None,
            };
            let (stride, count) = if position == 0 {
                (self.parts.size(module, ty), 0)
            } else if let Type::Struct { fields, .. } = types.resolved(ty) {
                let field = number.and_then(|number| usize::try_from(number).ok());
                let field = field.filter(|field| *field < fields.len());
                let at = field.and_then(|field| layout.field_offset(types, ty, field));
                let (Some(field), Some(at)) = (field, at) else { return Path::anywhere() };
                path.by += i64::try_from(at).unwrap_or(i64::MAX / 4);
                ty = fields[field];
                continue;
            } else {
                let mut length = 0;
                if let Type::Array { length: known @ 2.., .. } = types.resolved(ty) {
                    length = u32::try_from(*known).unwrap_or(0);
                }
                let Some((inner, stride)) = layout.element(types, ty) else {
                    return Path::anywhere();
                };
                ty = inner;
                (Some(stride), length)
            };
            let Some(stride) = stride.and_then(|stride| u32::try_from(stride).ok()) else {
                return Path::anywhere();
            };
            match number.and_then(|number| i64::try_from(number).ok()) {
                Some(number) => {
                    path.by = path.by.saturating_add(number.saturating_mul(i64::from(stride)));
                }
                None if stride == 0 => {}
                None => path.strides.push((stride, count)),
            }
        }
        path
    }

    /// What one variable points to, moved along a path, is included by another.
    pub(crate) fn move_along(&mut self, from: Var, path: &Path, to: Var) {
        let Ok(by) = i32::try_from(path.by) else {
            self.anywhere(from, to);
            return;
        };
        if by == 0 && path.strides.is_empty() {
            self.solver.copy(from, to);
            return;
        }
        let mut from = from;
        let mut by = by;
        for (at, (stride, count)) in path.strides.iter().enumerate() {
            let next = if at + 1 == path.strides.len() { to } else { self.solver.variable() };
            let (stride, count) = (*stride, *count);
            self.solver.constrain(from, Constraint::Move { by, stride, count, to: next });
            (from, by) = (next, 0);
        }
        if path.strides.is_empty() {
            self.solver.constrain(from, Constraint::Move { by, stride: 0, count: 1, to });
        }
    }

    /// Any address in what a variable points to is included by another.
    pub(crate) fn anywhere(&mut self, from: Var, to: Var) {
        self.solver.constrain(from, Constraint::Move { by: 0, stride: 1, count: 0, to });
    }
}

/// Whether a number may be an address that somebody means.
pub(crate) fn is_address(number: i128) -> bool {
    !(-LEAST_ADDRESS..LEAST_ADDRESS).contains(&number)
}
