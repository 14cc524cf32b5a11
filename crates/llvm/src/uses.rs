//! What an instruction uses.

use crate::constant::Value;
use crate::index::TypeId;
use crate::instruction::Operation;

impl Operation {
    /// Calls a function with every value that is used, and the type it is used with. What is called is
    /// not among them: no type is written for it. Nor is what an operation that is not understood uses.
    pub fn for_each_value(&self, visit: &mut impl FnMut(TypeId, &Value)) {
        if let Self::Phi { ty, incoming } = self {
            incoming.iter().for_each(|(value, _)| visit(*ty, value));
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
