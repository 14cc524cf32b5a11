//! What an instruction uses, and where it leads.

use crate::constant::Value;
use crate::index::{BlockId, TypeId};
use crate::instruction::Operation;

impl Operation {
    /// Where control can go from it, if it ends a block; a block as often as it is named.
    pub fn successors(&self) -> Vec<BlockId> {
        match self {
            Self::Branch(target) => vec![*target],
            Self::ConditionalBranch { then, otherwise, .. } => vec![*then, *otherwise],
            Self::Switch { default, cases, .. } => {
                std::iter::once(*default).chain(cases.iter().map(|(_, target)| *target)).collect()
            }
            Self::IndirectBranch { targets, .. } => targets.clone(),
            Self::Invoke { normal, unwind, .. } => vec![*normal, *unwind],
            Self::CallBranch { normal, indirect, .. } => {
                std::iter::once(*normal).chain(indirect.iter().copied()).collect()
            }
            Self::Alloca { .. }
            | Self::Load { .. }
            | Self::Store { .. }
            | Self::CompareExchange { .. }
            | Self::AtomicRmw { .. }
            | Self::Fence { .. }
            | Self::GetElementPtr { .. }
            | Self::Binary { .. }
            | Self::FNeg(_)
            | Self::Compare { .. }
            | Self::FloatCompare { .. }
            | Self::Cast { .. }
            | Self::Select { .. }
            | Self::Phi { .. }
            | Self::Freeze(_)
            | Self::ExtractValue { .. }
            | Self::InsertValue { .. }
            | Self::ExtractElement { .. }
            | Self::InsertElement { .. }
            | Self::ShuffleVector { .. }
            | Self::VaArg { .. }
            | Self::Call(_)
            | Self::LandingPad { .. }
            | Self::Return(_)
            | Self::Resume(_)
            | Self::Unreachable
            | Self::Other(_) => Vec::new(),
        }
    }

    /// Calls a function with every value that is used, and the type it is used with. What is called is
    /// not among them: no type is written for it. Nor is what an operation that is not understood uses.
    pub fn for_each_value(&self, visit: &mut impl FnMut(TypeId, &Value)) {
        if let Self::Phi { ty, incoming } = self {
            for (value, _) in incoming {
                visit(*ty, value);
            }
            return;
        }
        let operands = match self {
            Self::Alloca { count: operand, .. } | Self::Return(operand) => {
                operand.iter().collect::<Vec<_>>()
            }
            Self::Load { address: operand, .. }
            | Self::FNeg(operand)
            | Self::Freeze(operand)
            | Self::Cast { value: operand, .. }
            | Self::ExtractValue { aggregate: operand, .. }
            | Self::VaArg { list: operand, .. }
            | Self::ConditionalBranch { condition: operand, .. }
            | Self::IndirectBranch { address: operand, .. }
            | Self::Resume(operand) => vec![operand],
            Self::Store { value: first, address: second, .. }
            | Self::AtomicRmw { address: first, value: second, .. }
            | Self::Binary { left: first, right: second, .. }
            | Self::Compare { left: first, right: second, .. }
            | Self::FloatCompare { left: first, right: second, .. }
            | Self::InsertValue { aggregate: first, value: second, .. }
            | Self::ExtractElement { vector: first, index: second } => vec![first, second],
            Self::CompareExchange { address: first, expected: second, new: third, .. }
            | Self::Select { condition: first, then: second, otherwise: third }
            | Self::InsertElement { vector: first, value: second, index: third }
            | Self::ShuffleVector { left: first, right: second, mask: third } => {
                vec![first, second, third]
            }
            Self::GetElementPtr { base, indices, .. } => {
                std::iter::once(base).chain(indices).collect()
            }
            Self::Switch { value, cases, .. } => {
                std::iter::once(value).chain(cases.iter().map(|(case, _)| case)).collect()
            }
            Self::Call(call) | Self::Invoke { call, .. } | Self::CallBranch { call, .. } => {
                call.arguments.iter().collect()
            }
            Self::Phi { .. }
            | Self::Fence { .. }
            | Self::LandingPad { .. }
            | Self::Branch(_)
            | Self::Unreachable
            | Self::Other(_) => Vec::new(),
        };
        for operand in operands {
            visit(operand.ty, &operand.value);
        }
    }
}
