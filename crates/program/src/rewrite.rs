//! Instructions with other expressions and accesses in them.

use crate::expr::Expr;
use crate::index::LocationId;
use crate::instruction::{Access, Instruction, Update};

impl Expr {
    /// The expression with other indices of elements, where `moved` has others.
    #[must_use]
    pub fn with_indices(&self, moved: &dyn Fn(LocationId, &Self) -> Option<Self>) -> Self {
        let inner = |operand: &Self| Box::new(operand.with_indices(moved));
        match self {
            Self::Const(_) | Self::Register(_) => self.clone(),
            Self::Element(location, index) => {
                let index = index.with_indices(moved);
                Self::Element(*location, Box::new(moved(*location, &index).unwrap_or(index)))
            }
            Self::Unary(op, operand) => Self::Unary(*op, inner(operand)),
            Self::Binary(op, left, right) => Self::Binary(*op, inner(left), inner(right)),
            Self::Select(operands) => Self::Select(Box::new(
                operands.each_ref().map(|operand| operand.with_indices(moved)),
            )),
            Self::Cast(int, operand) => Self::Cast(*int, inner(operand)),
        }
    }
}

impl Instruction {
    /// The instruction with other expressions, and another access to the address that it had.
    #[must_use]
    pub fn rewritten(
        &self,
        expr: &dyn Fn(&Expr) -> Expr,
        access: &dyn Fn(&Expr, Access) -> Access,
    ) -> Self {
        match self {
            Instruction::Skip
            | Instruction::Choose { .. }
            | Instruction::Fence(_)
            | Instruction::Lock
            | Instruction::Unlock => self.clone(),
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
                    Update::Fetch { op, operand } => {
                        Update::Fetch { op: *op, operand: expr(operand) }
                    }
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
}
