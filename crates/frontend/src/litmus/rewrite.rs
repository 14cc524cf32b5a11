//! Instructions with other expressions and accesses in them.

use program::{Access, Expr, Instruction, LocationId, Update};

/// The expression with other indices, where there are others.
pub(super) fn at_elements(expr: &Expr, moved: &dyn Fn(LocationId, &Expr) -> Option<Expr>) -> Expr {
    let inner = |operand: &Expr| Box::new(at_elements(operand, moved));
    match expr {
        Expr::Const(_) | Expr::Register(_) => expr.clone(),
        Expr::Element(location, index) => {
            let index = at_elements(index, moved);
            Expr::Element(*location, Box::new(moved(*location, &index).unwrap_or(index)))
        }
        Expr::Unary(op, operand) => Expr::Unary(*op, inner(operand)),
        Expr::Binary(op, left, right) => Expr::Binary(*op, inner(left), inner(right)),
        Expr::Select(operands) => {
            Expr::Select(Box::new(operands.each_ref().map(|operand| at_elements(operand, moved))))
        }
        Expr::Cast(int, operand) => Expr::Cast(*int, inner(operand)),
    }
}

/// An instruction with other expressions, and another access to the address that it had.
pub(super) fn mapped(
    instruction: &Instruction,
    expr: &dyn Fn(&Expr) -> Expr,
    access: &dyn Fn(&Expr, Access) -> Access,
) -> Instruction {
    match instruction {
        Instruction::Skip
        | Instruction::Choose { .. }
        | Instruction::Fence(_)
        | Instruction::Lock
        | Instruction::Unlock => instruction.clone(),
        Instruction::Assign { register, value } => {
            Instruction::Assign { register: *register, value: expr(value) }
        }
        Instruction::Assume(condition) => Instruction::Assume(expr(condition)),
        Instruction::Assert(condition) => Instruction::Assert(expr(condition)),
        Instruction::Load { register, address, access: how } => Instruction::Load {
            register: *register,
            address: expr(address),
            access: access(address, *how),
        },
        Instruction::Store { address, value, access: how } => Instruction::Store {
            address: expr(address),
            value: expr(value),
            access: access(address, *how),
        },
        Instruction::StoreExclusive { status, address, value, access: how } => {
            Instruction::StoreExclusive {
                status: *status,
                address: expr(address),
                value: expr(value),
                access: access(address, *how),
            }
        }
        Instruction::Update { result, address, update, access: how } => Instruction::Update {
            result: *result,
            address: expr(address),
            update: match update {
                Update::Exchange(new) => Update::Exchange(expr(new)),
                Update::Fetch { op, operand } => Update::Fetch { op: *op, operand: expr(operand) },
                Update::CompareAndSwap { expected, new } => {
                    Update::CompareAndSwap { expected: expr(expected), new: expr(new) }
                }
                Update::BlockingReadWrite { expected, new } => {
                    Update::BlockingReadWrite { expected: expr(expected), new: expr(new) }
                }
            },
            access: access(address, *how),
        },
    }
}
