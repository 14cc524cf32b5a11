//! Instructions with other addresses and values.

use program::{Expr, Instruction, RegisterId, Update, Value};

/// The instruction for one copy of a thread: its identity is a constant.
pub(crate) fn with_constant(
    instruction: &Instruction,
    identity: Option<(RegisterId, Value)>,
) -> Instruction {
    let constant = |expr: &Expr| {
        expr.substitute(&mut |register| match identity {
            Some((identity, value)) if identity == register => Expr::Const(value),
            Some(_) | None => Expr::Register(register),
        })
    };
    rebuilt(instruction, &constant, &constant)
}

/// The instruction with other addresses and other values.
pub(crate) fn rebuilt(
    instruction: &Instruction,
    at: &dyn Fn(&Expr) -> Expr,
    of: &dyn Fn(&Expr) -> Expr,
) -> Instruction {
    match instruction.clone() {
        Instruction::Assign { register, value } => {
            Instruction::Assign { register, value: of(&value) }
        }
        Instruction::Assume(condition) => Instruction::Assume(of(&condition)),
        Instruction::Assert(condition) => Instruction::Assert(of(&condition)),
        Instruction::Load { register, address, access } => {
            Instruction::Load { register, address: at(&address), access }
        }
        Instruction::Store { address, value, access } => {
            Instruction::Store { address: at(&address), value: of(&value), access }
        }
        Instruction::StoreExclusive { status, address, value, access } => {
            let (address, value) = (at(&address), of(&value));
            Instruction::StoreExclusive { status, address, value, access }
        }
        Instruction::Update { result, address, update, access } => {
            let update = match update {
                Update::Exchange(value) => Update::Exchange(of(&value)),
                Update::Fetch { op, operand } => Update::Fetch { op, operand: of(&operand) },
                Update::CompareAndSwap { expected, new } => {
                    Update::CompareAndSwap { expected: of(&expected), new: of(&new) }
                }
                Update::BlockingReadWrite { expected, new } => {
                    Update::BlockingReadWrite { expected: of(&expected), new: of(&new) }
                }
            };
            Instruction::Update { result, address: at(&address), update, access }
        }
        unchanged @ (Instruction::Skip
        | Instruction::Choose { .. }
        | Instruction::Fence(_)
        | Instruction::Lock
        | Instruction::Unlock) => unchanged,
    }
}
