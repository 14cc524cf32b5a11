//! Functions that do nothing with what they are given.

use llvm::{Function, LocalId, Operation, Value};

/// Whether a function does nothing with one of its parameters: at most it is put where nobody reads it.
pub(crate) fn is_ignored(function: &Function, parameter: LocalId) -> bool {
    let mut variables = Vec::new();
    for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
        if let Operation::Store { value, address, volatile: false, ordering: None, .. } =
            &instruction.operation
            && value.value == Value::Local(parameter)
            && let Value::Local(variable) = address.value
        {
            variables.push(variable);
        }
    }
    let mut uses = 0;
    for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
        let mut count = |local: LocalId| {
            uses += usize::from(local == parameter || variables.contains(&local));
        };
        crate::uses::for_each_use(&instruction.operation, &mut count);
        crate::uses::for_each_incoming(&instruction.operation, &mut count);
    }
    // Each such store mentions two of them.
    uses == 2 * variables.len()
}
