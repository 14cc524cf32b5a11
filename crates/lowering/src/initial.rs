//! Constants: as values, and as the initial bytes of variables.

use llvm::{
    Constant, ConstantExpression, FloatKind, IntegerPredicate, Operand, Type, TypeId,
    Value as Given,
};
use program::{BinaryOp, Expr, Value};

use crate::float::float_bits;
use crate::image::Image;
use crate::step::wide;
use crate::value::{self, Val};
use crate::world::World;

/// What is not known where addresses of different variables are compared.
pub(crate) const ORDER: &str = "the order of different variables in memory";

impl World<'_, '_> {
    /// How many bits an integer or a pointer of this type has; nothing for other types.
    pub(crate) fn bits(&self, module: u32, ty: TypeId) -> Option<u32> {
        let types = &self.linked.module(module).types;
        match types.resolved(ty) {
            Type::Integer(bits) => Some(*bits),
            Type::Pointer { .. } => {
                let size = self.linked.layout(module).size(types, ty)?;
                u32::try_from(size * 8).ok()
            }
            Type::Void
            | Type::Label
            | Type::Metadata
            | Type::Token
            | Type::Other(_)
            | Type::Float(_)
            | Type::Array { .. }
            | Type::Vector { .. }
            | Type::Struct { .. }
            | Type::Named(_)
            | Type::Function { .. } => None,
        }
    }

    /// The size of a type in bytes.
    pub(crate) fn size(&self, module: u32, ty: TypeId) -> Option<u64> {
        self.linked.layout(module).size(&self.linked.module(module).types, ty)
    }

    /// The elements of an aggregate type: their types and byte offsets.
    pub(crate) fn elements(&self, module: u32, ty: TypeId) -> Option<Vec<(TypeId, u64)>> {
        let types = &self.linked.module(module).types;
        let layout = self.linked.layout(module);
        match types.resolved(ty) {
            Type::Struct { fields, .. } => fields
                .iter()
                .enumerate()
                .map(|(at, field)| Some((*field, layout.field_offset(types, ty, at)?)))
                .collect(),
            Type::Array { length, element } | Type::Vector { length, element, .. } => {
                let size = layout.size(types, *element)?;
                let stride = size.next_multiple_of(layout.align(types, *element).unwrap_or(1));
                Some((0..*length).map(|at| (*element, at * stride)).collect())
            }
            Type::Void
            | Type::Label
            | Type::Metadata
            | Type::Token
            | Type::Other(_)
            | Type::Integer(_)
            | Type::Float(_)
            | Type::Pointer { .. }
            | Type::Named(_)
            | Type::Function { .. } => None,
        }
    }

    /// The value of a constant.
    pub(crate) fn constant(&mut self, module: u32, ty: TypeId, constant: &Constant) -> Val {
        match constant {
            Constant::Integer(value) => match self.bits(module, ty).and_then(value::int) {
                Some(int) => Val::constant(int.wrap(*value)),
                None if self.bits(module, ty) == Some(wide::WIDE) => {
                    Val::Aggregate(wide::split(*value).map(Val::constant).to_vec())
                }
                None => Val::Inexpressible("an integer of more than 64 bits".into()),
            },
            Constant::Null => Val::constant(0),
            Constant::Undef | Constant::Poison | Constant::NoToken => Val::Undefined,
            Constant::Zero => self.zero(module, ty),
            Constant::Symbol(symbol) => {
                let item = self.linked.resolve(module, *symbol);
                let object = self.symbol_object(item);
                Val::constant(self.objects.get(object).base)
            }
            Constant::Bytes(bytes) => {
                Val::Aggregate(bytes.iter().map(|byte| Val::constant(Value::from(*byte))).collect())
            }
            Constant::Array(parts) | Constant::Struct(parts) => Val::Aggregate(
                parts.iter().map(|part| self.constant_operand(module, part)).collect(),
            ),
            // One element may stand for all.
            Constant::Vector(parts) => {
                let count = self.elements(module, ty).map_or(parts.len(), |all| all.len());
                let parts = parts.iter().cycle().take(count);
                Val::Aggregate(parts.map(|part| self.constant_operand(module, part)).collect())
            }
            Constant::Expression(expression) => self.expression(module, ty, expression),
            Constant::Number(text) => self.float(module, ty, text).map_or_else(
                || Val::Inexpressible("a floating-point number".into()),
                Val::constant,
            ),
            Constant::BlockAddress(..) => Val::Inexpressible("the address of a label".into()),
            Constant::Other(text) => Val::Inexpressible(text.as_str().into()),
        }
    }

    /// The bits of a floating-point number that is calculated with.
    fn float(&self, module: u32, ty: TypeId, text: &str) -> Option<Value> {
        let Type::Float(kind) = self.linked.module(module).types.resolved(ty) else { return None };
        let int = match kind {
            FloatKind::Float => value::int(32)?,
            FloatKind::Double => value::int(64)?,
            FloatKind::Half
            | FloatKind::BFloat
            | FloatKind::X86Fp80
            | FloatKind::Fp128
            | FloatKind::PpcFp128 => return None,
        };
        Some(int.wrap(float_bits(*kind, text)?))
    }

    /// The value of a constant pointer, whatever it is said to point to.
    pub(crate) fn constant_pointer(&mut self, module: u32, value: &Given) -> Val {
        match value {
            Given::Constant(Constant::Expression(expression)) => match &**expression {
                ConstantExpression::Cast { value, .. } => self.constant_operand(module, value),
                ConstantExpression::GetElementPtr { .. }
                | ConstantExpression::Binary { .. }
                | ConstantExpression::Compare { .. }
                | ConstantExpression::Select { .. } => Val::Undefined,
            },
            Given::Constant(_)
            | Given::Local(_)
            | Given::Block(_)
            | Given::Asm(_)
            | Given::Metadata(_)
            | Given::MetadataText(_) => Val::Undefined,
        }
    }

    fn constant_operand(&mut self, module: u32, operand: &Operand) -> Val {
        match &operand.value {
            Given::Constant(constant) => self.constant(module, operand.ty, constant),
            Given::Local(_)
            | Given::Block(_)
            | Given::Asm(_)
            | Given::Metadata(_)
            | Given::MetadataText(_) => Val::Undefined,
        }
    }

    fn zero(&mut self, module: u32, ty: TypeId) -> Val {
        match self.elements(module, ty) {
            Some(elements) if elements.len() <= 4096 => Val::Aggregate(
                elements.into_iter().map(|(element, _)| self.zero(module, element)).collect(),
            ),
            Some(_) | None => Val::constant(0),
        }
    }

    fn expression(&mut self, module: u32, ty: TypeId, expression: &ConstantExpression) -> Val {
        let inexpressible = || Val::Inexpressible("a constant expression of this form".into());
        match expression {
            ConstantExpression::GetElementPtr { element, base, indices } => {
                let Val::Expr(base) = self.constant_operand(module, base) else {
                    return inexpressible();
                };
                let indices: Vec<Val> =
                    indices.iter().map(|index| self.constant_operand(module, index)).collect();
                match self.element_offset(module, *element, &indices, &mut Vec::new()) {
                    Some(offset) => Val::Expr(value::sum(base, offset)),
                    None => inexpressible(),
                }
            }
            ConstantExpression::Cast { value, .. } => {
                let (from, to) = (self.bits(module, value.ty), self.bits(module, ty));
                match (self.constant_operand(module, value), from, to) {
                    (Val::Expr(expr), Some(from), Some(to)) if to < from => {
                        value::truncate(to, expr).map_or_else(inexpressible, Val::Expr)
                    }
                    (known, _, _) => known,
                }
            }
            ConstantExpression::Binary { op, left, right } => {
                let bits = self.bits(module, left.ty);
                let (left, right) =
                    (self.constant_operand(module, left), self.constant_operand(module, right));
                match (left, right, bits) {
                    (Val::Expr(left), Val::Expr(right), Some(bits)) => {
                        value::arithmetic(*op, bits, left, right)
                            .map_or_else(inexpressible, Val::Expr)
                    }
                    _ => inexpressible(),
                }
            }
            ConstantExpression::Compare { predicate, left, right } => {
                let (bits, ty) = (self.bits(module, left.ty), left.ty);
                let (left, right) =
                    (self.constant_operand(module, left), self.constant_operand(module, right));
                let is_order = !matches!(predicate, IntegerPredicate::Eq | IntegerPredicate::Ne);
                if is_order && self.are_apart(module, ty, &left, &right) {
                    return Val::Inexpressible(ORDER.into());
                }
                match (left, right, bits) {
                    (Val::Expr(left), Val::Expr(right), Some(bits)) => {
                        value::compare(*predicate, bits, left, right)
                            .map_or_else(inexpressible, Val::Expr)
                    }
                    _ => inexpressible(),
                }
            }
            ConstantExpression::Select { condition, then, otherwise } => {
                match self.constant_operand(module, condition).as_constant() {
                    Some(0) => self.constant_operand(module, otherwise),
                    Some(_) => self.constant_operand(module, then),
                    None => inexpressible(),
                }
            }
        }
    }

    /// Whether two values of a type are addresses of different variables, which a compiler puts in any order.
    pub(crate) fn are_apart(&self, module: u32, ty: TypeId, left: &Val, right: &Val) -> bool {
        if !matches!(self.linked.module(module).types.resolved(ty), Type::Pointer { .. }) {
            return false;
        }
        let object = |value: &Val| {
            let address = value.as_constant()?;
            self.objects.at(address).map(|(object, _)| object)
        };
        match (left, right) {
            (Val::Private(one, _), Val::Private(other, _)) => one != other,
            (Val::Private(..), other) | (other, Val::Private(..)) => object(other).is_some(),
            (left, right) => {
                object(left).zip(object(right)).is_some_and(|(one, other)| one != other)
            }
        }
    }

    /// The byte offset that indices of a `getelementptr` add up to. Offsets within arrays are noted, with
    /// the number of elements if it is known.
    pub(crate) fn element_offset(
        &self,
        module: u32,
        element: TypeId,
        indices: &[Val],
        indexed: &mut Vec<(Expr, Option<u64>)>,
    ) -> Option<Expr> {
        let mut offset = Expr::Const(0);
        let mut ty = element;
        for (number, index) in indices.iter().enumerate() {
            let Val::Expr(index) = index else { return None };
            let (inner, step, length) = if number == 0 {
                (ty, value::times(index.clone(), self.stride(module, ty)?), None)
            } else {
                let types = &self.linked.module(module).types;
                match types.resolved(ty) {
                    Type::Struct { fields, .. } => {
                        let Expr::Const(at) = index else { return None };
                        let at = usize::try_from(*at).ok()?;
                        let offset = self.linked.layout(module).field_offset(types, ty, at)?;
                        (*fields.get(at)?, Expr::Const(Value::from(offset)), None)
                    }
                    Type::Array { element, length } | Type::Vector { element, length, .. } => {
                        let step = value::times(index.clone(), self.stride(module, *element)?);
                        // Arrays of one element or none have as many as were allocated.
                        (*element, step, Some(*length).filter(|length| *length > 1))
                    }
                    Type::Void
                    | Type::Label
                    | Type::Metadata
                    | Type::Token
                    | Type::Other(_)
                    | Type::Integer(_)
                    | Type::Float(_)
                    | Type::Pointer { .. }
                    | Type::Named(_)
                    | Type::Function { .. } => return None,
                }
            };
            if let Expr::Binary(BinaryOp::Mul, ..) = &step {
                indexed.push((step.clone(), length));
            }
            offset = value::sum(offset, step);
            ty = inner;
        }
        Some(offset)
    }

    /// The distance between elements of this type in an array.
    fn stride(&self, module: u32, ty: TypeId) -> Option<Value> {
        let types = &self.linked.module(module).types;
        let layout = self.linked.layout(module);
        let size = layout.size(types, ty)?;
        Some(Value::from(size.next_multiple_of(layout.align(types, ty).unwrap_or(1).max(1))))
    }

    /// Puts a constant into the initial bytes of a variable.
    pub(crate) fn fill(
        &mut self,
        image: &mut Image,
        offset: u64,
        module: u32,
        ty: TypeId,
        constant: &Constant,
    ) {
        match constant {
            Constant::Zero | Constant::Null => {}
            Constant::Undef | Constant::Poison => {
                image.leave_unwritten(offset, self.size(module, ty).unwrap_or(0));
            }
            Constant::Bytes(bytes) => {
                for (byte, at) in bytes.iter().zip(0..) {
                    image.put_byte(offset + at, *byte);
                }
            }
            Constant::Array(parts) | Constant::Vector(parts) | Constant::Struct(parts) => {
                let Some(elements) = self.elements(module, ty) else { return };
                // One element of a vector may stand for all; elsewhere there are as many as there should be.
                for (part, (element, at)) in parts.iter().cycle().zip(elements) {
                    if let Given::Constant(part) = &part.value {
                        self.fill(image, offset + at, module, element, part);
                    }
                }
            }
            Constant::Number(text) => {
                let size = self.size(module, ty).unwrap_or(0);
                let kind = match self.linked.module(module).types.resolved(ty) {
                    Type::Float(kind) => Some(*kind),
                    Type::Void
                    | Type::Label
                    | Type::Metadata
                    | Type::Token
                    | Type::Other(_)
                    | Type::Integer(_)
                    | Type::Pointer { .. }
                    | Type::Array { .. }
                    | Type::Vector { .. }
                    | Type::Struct { .. }
                    | Type::Named(_)
                    | Type::Function { .. } => None,
                };
                match kind.and_then(|kind| float_bits(kind, text)) {
                    Some(bits) => image.put(offset, size, bits),
                    None => image.put_inexpressible(offset, size, format!("the number {text}")),
                }
            }
            Constant::Integer(_)
            | Constant::Symbol(_)
            | Constant::Expression(_)
            | Constant::NoToken
            | Constant::BlockAddress(..)
            | Constant::Other(_) => {
                let size = self.size(module, ty).unwrap_or(0);
                if let (Constant::Integer(wide), 9..=16) = (constant, size) {
                    image.put(offset, size, *wide);
                    return;
                }
                match self.constant(module, ty, constant) {
                    Val::Inexpressible(what) => {
                        image.put_inexpressible(offset, size, what.to_string());
                    }
                    given @ (Val::Expr(_) | Val::Undefined) => match given.as_constant() {
                        Some(address) if size == 8 && self.objects.at(address).is_some() => {
                            image.put_pointer(offset, address);
                        }
                        Some(number) => image.put(offset, size, number),
                        None => image.put_inexpressible(offset, size, "this value".to_owned()),
                    },
                    Val::Private(..) | Val::Aggregate(_) => {
                        image.put_inexpressible(offset, size, "this value".to_owned());
                    }
                }
            }
        }
    }
}
