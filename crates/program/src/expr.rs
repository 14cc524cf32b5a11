//! Expressions over registers.
//!
//! Expressions never touch memory: front ends lower a mention of a shared variable to a load.
//! They are kept as written, never simplified, so `r ^ r` still depends on `r`: weaker
//! architectures preserve syntactic dependencies.
//!
//! Evaluation is exact ([`crate::value`]). Depth is bounded by [`Expr::MAX_DEPTH`], which front
//! ends enforce with an error message, so that recursion over an expression cannot overflow the
//! stack.

use crate::index::{IndexVec, LocationId, RegisterId};
use crate::memory::Memory;
use crate::value::{Fault, IntType, Value};

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnaryOp {
    /// Arithmetic negation.
    Neg,
    /// Bitwise complement.
    BitNot,
    /// Logical negation: 1 for zero, 0 for anything else.
    Not,
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BinaryOp {
    /// Addition.
    Add,
    /// Subtraction.
    Sub,
    /// Multiplication.
    Mul,
    /// Division, truncated towards zero as in C.
    Div,
    /// Remainder with the sign of the dividend as in C.
    Rem,
    /// Bitwise and.
    BitAnd,
    /// Bitwise or.
    BitOr,
    /// Bitwise exclusive or.
    BitXor,
    /// Multiplication by a power of two.
    Shl,
    /// Division by a power of two, rounded down.
    Shr,
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
    /// Logical and; the right operand is not evaluated if the left one is zero.
    And,
    /// Logical or; the right operand is not evaluated if the left one is not zero.
    Or,
    /// The lesser operand.
    Min,
    /// The greater operand.
    Max,
}

/// An expression over the registers of one thread.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Expr {
    /// A constant.
    Const(Value),
    /// The value of a register.
    Register(RegisterId),
    /// The address of an element of a declared location. An index outside it is a fault, also
    /// where the computed address would happen to belong to another object.
    Element(LocationId, Box<Expr>),
    /// An operator applied to one operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator applied to two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// The second operand if the first is not zero, otherwise the third; only one is evaluated.
    Select(Box<[Expr; 3]>),
    /// The operand, wrapped to a width as a C cast does.
    Cast(IntType, Box<Expr>),
}

impl Expr {
    /// The greatest number of operators on a path from the root to a leaf.
    pub const MAX_DEPTH: usize = 100;

    /// The register `register`.
    pub const fn register(register: RegisterId) -> Self {
        Self::Register(register)
    }

    /// The address of a location's first element.
    pub fn address(location: LocationId) -> Self {
        Self::Element(location, Box::new(Self::Const(0)))
    }

    /// `op operand`.
    pub fn unary(op: UnaryOp, operand: Self) -> Self {
        Self::Unary(op, Box::new(operand))
    }

    /// `left op right`.
    pub fn binary(op: BinaryOp, left: Self, right: Self) -> Self {
        Self::Binary(op, Box::new(left), Box::new(right))
    }

    /// Calls `visit` on this expression and everything in it, parents first, left to right.
    pub fn visit<'a>(&'a self, visit: &mut impl FnMut(&'a Self)) {
        visit(self);
        match self {
            Self::Const(_) | Self::Register(_) => {}
            Self::Element(_, operand) | Self::Unary(_, operand) | Self::Cast(_, operand) => {
                operand.visit(visit);
            }
            Self::Binary(_, left, right) => {
                left.visit(visit);
                right.visit(visit);
            }
            Self::Select(operands) => {
                for operand in operands.iter() {
                    operand.visit(visit);
                }
            }
        }
    }

    /// The registers this expression depends on, as often as they occur, left to right.
    pub fn registers(&self) -> Vec<RegisterId> {
        let mut registers = Vec::new();
        self.visit(&mut |expr| {
            if let Self::Register(register) = expr {
                registers.push(*register);
            }
        });
        registers
    }

    /// The expression with each register replaced by what `with` makes of it.
    #[must_use]
    pub fn substitute(&self, with: &mut impl FnMut(RegisterId) -> Self) -> Self {
        let mut inner = |operand: &Self| Box::new(operand.substitute(with));
        match self {
            Self::Const(value) => Self::Const(*value),
            Self::Element(location, index) => Self::Element(*location, inner(index)),
            Self::Unary(op, operand) => Self::Unary(*op, inner(operand)),
            Self::Binary(op, left, right) => Self::Binary(*op, inner(left), inner(right)),
            Self::Cast(int, operand) => Self::Cast(*int, inner(operand)),
            Self::Select(operands) => {
                Self::Select(Box::new(operands.each_ref().map(|operand| operand.substitute(with))))
            }
            Self::Register(register) => with(*register),
        }
    }

    /// What is true exactly where this is false.
    #[must_use]
    pub fn negated(&self) -> Self {
        match self {
            Self::Binary(op, left, right) if let Some(negated) = op.negated() => {
                Self::Binary(negated, left.clone(), right.clone())
            }
            Self::Unary(UnaryOp::Not, operand) => (**operand).clone(),
            Self::Const(_)
            | Self::Register(_)
            | Self::Element(..)
            | Self::Unary(..)
            | Self::Binary(..)
            | Self::Select(_)
            | Self::Cast(..) => Self::unary(UnaryOp::Not, self.clone()),
        }
    }

    /// The number of operators on the longest path from the root to a leaf.
    pub fn depth(&self) -> usize {
        match self {
            Self::Const(_) | Self::Register(_) => 0,
            Self::Element(_, operand) | Self::Unary(_, operand) | Self::Cast(_, operand) => {
                1 + operand.depth()
            }
            Self::Binary(_, left, right) => 1 + left.depth().max(right.depth()),
            Self::Select(operands) => {
                1 + operands.iter().map(Self::depth).max().expect("a selection has operands")
            }
        }
    }

    /// The value of this expression.
    pub fn evaluate(
        &self,
        memory: &Memory,
        registers: &IndexVec<RegisterId, Value>,
    ) -> Result<Value, Fault> {
        let eval = |operand: &Self| operand.evaluate(memory, registers);
        match self {
            Self::Const(value) => Ok(*value),
            Self::Register(register) => Ok(registers[*register]),
            Self::Element(location, index) => memory.location(*location).address(eval(index)?),
            Self::Unary(op, operand) => op.apply(eval(operand)?),
            Self::Binary(BinaryOp::And, left, right) => {
                Ok(Value::from(eval(left)? != 0 && eval(right)? != 0))
            }
            Self::Binary(BinaryOp::Or, left, right) => {
                Ok(Value::from(eval(left)? != 0 || eval(right)? != 0))
            }
            Self::Binary(op, left, right) => op.apply(eval(left)?, eval(right)?),
            Self::Select(operands) => {
                let [condition, then, otherwise] = &**operands;
                if eval(condition)? != 0 { eval(then) } else { eval(otherwise) }
            }
            Self::Cast(int, operand) => {
                // Wrapping to n ≤ 64 bits needs only the low bits of a sum, difference or product,
                // so a product of two 64-bit values wraps right although it can exceed 127 bits.
                if let Self::Binary(op, left, right) = &**operand
                    && let Some(wrapping) = op.modular()
                {
                    return Ok(int.wrap(wrapping(eval(left)?, eval(right)?)));
                }
                Ok(int.wrap(eval(operand)?))
            }
        }
    }
}

impl UnaryOp {
    /// The result of applying the operator.
    pub fn apply(self, operand: Value) -> Result<Value, Fault> {
        match self {
            Self::Neg => operand.checked_neg().ok_or(Fault::Overflow),
            Self::BitNot => Ok(!operand),
            Self::Not => Ok(Value::from(operand == 0)),
        }
    }
}

impl BinaryOp {
    /// The result of applying the operator to two values.
    pub fn apply(self, left: Value, right: Value) -> Result<Value, Fault> {
        let truth = |truth: bool| Ok(Value::from(truth));
        let checked = |result: Option<Value>| result.ok_or(Fault::Overflow);
        match self {
            Self::Add => checked(left.checked_add(right)),
            Self::Sub => checked(left.checked_sub(right)),
            Self::Mul => checked(left.checked_mul(right)),
            Self::Div | Self::Rem if right == 0 => Err(Fault::DivisionByZero),
            Self::Div => checked(left.checked_div(right)),
            Self::Rem => checked(left.checked_rem(right)),
            Self::BitAnd => Ok(left & right),
            Self::BitOr => Ok(left | right),
            Self::BitXor => Ok(left ^ right),
            Self::Shl | Self::Shr if right < 0 => Err(Fault::NegativeShift),
            Self::Shl if left == 0 => Ok(0),
            Self::Shl => {
                let factor = u32::try_from(right).ok().and_then(|by| 2_i128.checked_pow(by));
                checked(factor.and_then(|factor| left.checked_mul(factor)))
            }
            // Every value is −1 or 0 once all its bits are shifted out.
            Self::Shr => Ok(left >> right.min(127)),
            Self::Eq => truth(left == right),
            Self::Ne => truth(left != right),
            Self::Lt => truth(left < right),
            Self::Le => truth(left <= right),
            Self::Gt => truth(left > right),
            Self::Ge => truth(left >= right),
            Self::And => truth(left != 0 && right != 0),
            Self::Or => truth(left != 0 || right != 0),
            Self::Min => Ok(left.min(right)),
            Self::Max => Ok(left.max(right)),
        }
    }

    /// The same operation modulo 2¹²⁸, if the low bits of its result depend only on the low bits
    /// of its operands.
    fn modular(self) -> Option<fn(Value, Value) -> Value> {
        if self == Self::Add {
            Some(Value::wrapping_add)
        } else if self == Self::Sub {
            Some(Value::wrapping_sub)
        } else if self == Self::Mul {
            Some(Value::wrapping_mul)
        } else {
            None
        }
    }

    /// The comparison that holds exactly where this one does not, if this is a comparison.
    pub const fn negated(self) -> Option<Self> {
        match self {
            Self::Eq => Some(Self::Ne),
            Self::Ne => Some(Self::Eq),
            Self::Lt => Some(Self::Ge),
            Self::Ge => Some(Self::Lt),
            Self::Gt => Some(Self::Le),
            Self::Le => Some(Self::Gt),
            Self::Add
            | Self::Sub
            | Self::Mul
            | Self::Div
            | Self::Rem
            | Self::BitAnd
            | Self::BitOr
            | Self::BitXor
            | Self::Shl
            | Self::Shr
            | Self::And
            | Self::Or
            | Self::Min
            | Self::Max => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_is_exact_and_c_like() {
        let check = |op: BinaryOp, left, right, result| {
            assert_eq!(op.apply(left, right), result, "{left} {op:?} {right}");
        };
        check(BinaryOp::Div, -7, 2, Ok(-3));
        check(BinaryOp::Rem, -7, 2, Ok(-1));
        check(BinaryOp::Div, 1, 0, Err(Fault::DivisionByZero));
        check(BinaryOp::Rem, 1, 0, Err(Fault::DivisionByZero));
        check(BinaryOp::Shr, -1, 500, Ok(-1));
        check(BinaryOp::Shl, 3, 2, Ok(12));
        check(BinaryOp::Shl, 1, 127, Err(Fault::Overflow));
        check(BinaryOp::Shl, 1, Value::MAX, Err(Fault::Overflow));
        check(BinaryOp::Shl, 0, Value::MAX, Ok(0));
        check(BinaryOp::Shl, 1, -1, Err(Fault::NegativeShift));
        check(BinaryOp::Mul, Value::MAX, 2, Err(Fault::Overflow));
        check(BinaryOp::Div, Value::MIN, -1, Err(Fault::Overflow));
    }

    #[test]
    fn a_cast_product_wraps_although_it_exceeds_127_bits() {
        let u64 = IntType::new(64, false).unwrap();
        let big = || Expr::Const(u64.max());
        let product = Expr::Cast(u64, Box::new(Expr::binary(BinaryOp::Mul, big(), big())));
        assert_eq!(product.evaluate(&Memory::flat(), &IndexVec::new()), Ok(1));
    }

    #[test]
    fn logical_operators_do_not_evaluate_more_than_needed() {
        let fault = || Expr::binary(BinaryOp::Div, Expr::Const(1), Expr::Const(0));
        let evaluate = |expr: Expr| expr.evaluate(&Memory::flat(), &IndexVec::new());
        assert_eq!(evaluate(Expr::binary(BinaryOp::And, Expr::Const(0), fault())), Ok(0));
        assert_eq!(evaluate(Expr::binary(BinaryOp::Or, Expr::Const(5), fault())), Ok(1));
        let select = Expr::Select(Box::new([Expr::Const(1), Expr::Const(7), fault()]));
        assert_eq!(evaluate(select), Ok(7));
    }
}
