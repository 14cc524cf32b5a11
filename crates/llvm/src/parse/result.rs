//! The types of results.

#![expect(clippy::wildcard_enum_match_arm, reason = "a parser names the tokens it accepts")]

use super::Parser;
use crate::constant::{Constant, Operand, Value};
use crate::index::TypeId;
use crate::instruction::Operation;
use crate::types::Type;

impl Parser<'_> {
    /// The type of what an operation defines, if it defines something.
    pub(super) fn result_type(&mut self, operation: &Operation) -> Option<TypeId> {
        match operation {
            // Where pointers have types this is put right at the end of the function.
            Operation::Alloca { .. } => Some(self.common.pointer),
            Operation::Load { ty, .. }
            | Operation::Phi { ty, .. }
            | Operation::VaArg { ty, .. }
            | Operation::LandingPad { ty } => Some(*ty),
            Operation::CompareExchange { expected, .. } => {
                let fields = vec![expected.ty, self.common.bit];
                Some(self.module.types.intern(Type::Struct { fields, packed: false }))
            }
            Operation::AtomicRmw { value, .. }
            | Operation::Binary { left: value, .. }
            | Operation::FNeg(value)
            | Operation::Freeze(value)
            | Operation::Select { then: value, .. }
            | Operation::InsertValue { aggregate: value, .. }
            | Operation::InsertElement { vector: value, .. } => Some(value.ty),
            Operation::GetElementPtr { element, base, indices } => {
                Some(self.element_pointer_type(*element, base, indices))
            }
            Operation::Compare { left, .. } | Operation::FloatCompare { left, .. } => {
                Some(self.with_shape_of(left.ty, self.common.bit))
            }
            Operation::Cast { to, .. } => Some(*to),
            Operation::ExtractValue { aggregate, indices } => Some(
                indices
                    .iter()
                    .try_fold(aggregate.ty, |ty, index| self.part(ty, u64::from(*index)))
                    .unwrap_or(self.common.unknown),
            ),
            Operation::ExtractElement { vector, .. } => {
                Some(self.part(vector.ty, 0).unwrap_or(self.common.unknown))
            }
            Operation::ShuffleVector { left, mask, .. } => {
                let element = self.part(left.ty, 0).unwrap_or(self.common.unknown);
                Some(self.with_shape_of(mask.ty, element))
            }
            Operation::Call(call)
            | Operation::Invoke { call, .. }
            | Operation::CallBranch { call, .. } => {
                (call.result_type != self.common.void).then_some(call.result_type)
            }
            Operation::Store { .. }
            | Operation::Fence { .. }
            | Operation::Branch(_)
            | Operation::ConditionalBranch { .. }
            | Operation::Switch { .. }
            | Operation::IndirectBranch { .. }
            | Operation::Return(_)
            | Operation::Resume(_)
            | Operation::Unreachable
            | Operation::Other(_) => None,
        }
    }

    /// Gives the results of `alloca` their types where pointers have types. The first of them may
    /// come before anything that shows whether they do.
    pub(super) fn type_allocas(&mut self) {
        if self.pointers.is_empty() {
            return;
        }
        for block in 0..self.scope.blocks.len() {
            for index in 0..self.scope.blocks[block].instructions.len() {
                let instruction = &self.scope.blocks[block].instructions[index];
                if let (Some(result), Operation::Alloca { ty, .. }) =
                    (instruction.result, &instruction.operation)
                {
                    let ty = *ty;
                    self.scope.locals[result.index()].ty = self.pointer_to(ty, 0);
                }
            }
        }
    }

    /// The type of a part of an aggregate.
    fn part(&self, ty: TypeId, index: u64) -> Option<TypeId> {
        match self.module.types.resolved(ty) {
            Type::Array { element, .. } | Type::Vector { element, .. } => Some(*element),
            Type::Struct { fields, .. } => fields.get(usize::try_from(index).ok()?).copied(),
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

    /// A vector of an element as long as a given one, or the element itself.
    fn with_shape_of(&mut self, shape: TypeId, element: TypeId) -> TypeId {
        let Type::Vector { length, scalable, .. } = *self.module.types.resolved(shape) else {
            return element;
        };
        self.module.types.intern(Type::Vector { length, element, scalable })
    }

    fn element_pointer_type(
        &mut self,
        element: TypeId,
        base: &Operand,
        indices: &[Operand],
    ) -> TypeId {
        let is_vector = |ty| matches!(self.module.types.resolved(ty), Type::Vector { .. });
        let vector =
            std::iter::once(base).chain(indices).map(|value| value.ty).find(|ty| is_vector(*ty));
        let scalar = self.part(base.ty, 0).unwrap_or(base.ty);
        let pointer = match *self.module.types.resolved(scalar) {
            Type::Pointer { pointee: Some(_), space } => {
                let pointee = indices.iter().skip(1).try_fold(element, |ty, index| {
                    let index = match &index.value {
                        Value::Constant(Constant::Integer(index)) => u64::try_from(*index).ok(),
                        _ => None,
                    };
                    self.part(ty, index.unwrap_or(0))
                });
                self.pointer_to(pointee.unwrap_or(self.common.unknown), space)
            }
            _ => scalar,
        };
        vector.map_or(pointer, |shape| self.with_shape_of(shape, pointer))
    }
}
