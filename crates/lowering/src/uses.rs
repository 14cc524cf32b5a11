//! What instructions mention.

use llvm::{BlockId, Call, Function, LocalId, Operand, Operation, Value};

/// Calls `visit` on every local that an instruction reads; for a `phi`, see [`phi_uses`].
pub(crate) fn for_each_use(operation: &Operation, mut visit: impl FnMut(LocalId)) {
    let mut operand = |operand: &Operand| value(&operand.value, &mut visit);
    match operation {
        Operation::Alloca { count, .. } => count.iter().for_each(operand),
        Operation::Load { address, .. } => operand(address),
        Operation::Store { value, address, .. } => {
            operand(value);
            operand(address);
        }
        Operation::CompareExchange { address, expected, new, .. } => {
            operand(address);
            operand(expected);
            operand(new);
        }
        Operation::AtomicRmw { address, value, .. } => {
            operand(address);
            operand(value);
        }
        Operation::GetElementPtr { base, indices, .. } => {
            operand(base);
            indices.iter().for_each(operand);
        }
        Operation::Binary { left, right, .. }
        | Operation::Compare { left, right, .. }
        | Operation::FloatCompare { left, right, .. } => {
            operand(left);
            operand(right);
        }
        Operation::FNeg(value)
        | Operation::Freeze(value)
        | Operation::Resume(value)
        | Operation::Cast { value, .. }
        | Operation::VaArg { list: value, .. }
        | Operation::ExtractValue { aggregate: value, .. }
        | Operation::IndirectBranch { address: value, .. }
        | Operation::ConditionalBranch { condition: value, .. }
        | Operation::Switch { value, .. } => operand(value),
        Operation::Select { condition, then, otherwise } => {
            operand(condition);
            operand(then);
            operand(otherwise);
        }
        Operation::InsertValue { aggregate, value, .. } => {
            operand(aggregate);
            operand(value);
        }
        Operation::ExtractElement { vector, index } => {
            operand(vector);
            operand(index);
        }
        Operation::InsertElement { vector, value, index } => {
            operand(vector);
            operand(value);
            operand(index);
        }
        Operation::ShuffleVector { left, right, mask } => {
            operand(left);
            operand(right);
            operand(mask);
        }
        Operation::Call(call)
        | Operation::Invoke { call, .. }
        | Operation::CallBranch { call, .. } => of_call(call, &mut visit),
        Operation::Return(value) => value.iter().for_each(operand),
        Operation::Phi { .. }
        | Operation::Fence { .. }
        | Operation::LandingPad { .. }
        | Operation::Branch(_)
        | Operation::Unreachable
        | Operation::Other(_) => {}
    }
}

fn of_call(call: &Call, visit: &mut impl FnMut(LocalId)) {
    value(&call.callee, visit);
    for argument in &call.arguments {
        value(&argument.value, visit);
    }
}

fn value(value: &Value, visit: &mut impl FnMut(LocalId)) {
    match value {
        Value::Local(local) => visit(*local),
        Value::Constant(_)
        | Value::Block(_)
        | Value::Asm(_)
        | Value::Metadata(_)
        | Value::MetadataText(_) => {}
    }
}

/// The locals that the `phi`s of a block read when it is entered from `from`.
pub(crate) fn phi_uses(function: &Function, block: BlockId, from: BlockId) -> Vec<LocalId> {
    let mut uses = Vec::new();
    for instruction in &function.blocks[block.index()].instructions {
        if let Operation::Phi { incoming, .. } = &instruction.operation {
            for (value, origin) in incoming {
                if let (Value::Local(local), true) = (value, *origin == from) {
                    uses.push(*local);
                }
            }
        }
    }
    uses
}

/// Calls `visit` on every local that a `phi` may take.
pub(crate) fn for_each_incoming(operation: &Operation, mut visit: impl FnMut(LocalId)) {
    if let Operation::Phi { incoming, .. } = operation {
        for (given, _) in incoming {
            value(given, &mut visit);
        }
    }
}
