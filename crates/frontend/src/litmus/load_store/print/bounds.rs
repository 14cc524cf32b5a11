//! How large a value can be, so that an instruction that computes modulo its width is known to
//! compute the exact value.

use program::{BinaryOp, Domain, Expr, Template, UnaryOp, Value};

/// The least and the greatest value that an expression can have, or nothing if that cannot be
/// told. `small` says that no undeclared integer of the program needs more than 32 bits.
pub(super) fn of(expr: &Expr, template: &Template, small: bool) -> Option<(Value, Value)> {
    let of = |operand: &Expr| of(operand, template, small);
    match expr {
        Expr::Const(value) => Some((*value, *value)),
        Expr::Register(register) => {
            Some(domain_bounds(template.registers()[*register].domain, small))
        }
        // Where memory ends is not known here, but it is far from the end of the numbers.
        Expr::Element(..) => Some((0, 1 << 48)),
        Expr::Unary(op, operand) => {
            let (low, high) = of(operand)?;
            match op {
                UnaryOp::Neg => Some((high.checked_neg()?, low.checked_neg()?)),
                UnaryOp::BitNot => Some((!high, !low)),
                UnaryOp::Not => Some((0, 1)),
            }
        }
        Expr::Binary(op, left, right) => binary(*op, of(left)?, of(right)?),
        Expr::Select(operands) => {
            let [_, then, otherwise] = &**operands;
            let (then, otherwise) = (of(then)?, of(otherwise)?);
            Some((then.0.min(otherwise.0), then.1.max(otherwise.1)))
        }
        Expr::Cast(int, _) => Some(((*int).min(), (*int).max())),
    }
}

/// What a register of a domain can hold.
pub(super) const fn domain_bounds(domain: Domain, small: bool) -> (Value, Value) {
    match domain {
        Domain::Integer if small => (i32::MIN as Value, i32::MAX as Value),
        Domain::Integer | Domain::Range { .. } | Domain::Wrapping(_) => domain.bounds(),
    }
}

fn binary(op: BinaryOp, left: (Value, Value), right: (Value, Value)) -> Option<(Value, Value)> {
    let corners = |combine: fn(Value, Value) -> Option<Value>| {
        let all = [
            combine(left.0, right.0)?,
            combine(left.0, right.1)?,
            combine(left.1, right.0)?,
            combine(left.1, right.1)?,
        ];
        Some((*all.iter().min()?, *all.iter().max()?))
    };
    match op {
        BinaryOp::Add => Some((left.0.checked_add(right.0)?, left.1.checked_add(right.1)?)),
        BinaryOp::Sub => Some((left.0.checked_sub(right.1)?, left.1.checked_sub(right.0)?)),
        BinaryOp::Mul => corners(Value::checked_mul),
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
            // As many bits as the longer operand, and a sign.
            let ends = [left.0, left.1, right.0, right.1];
            let length = |end: Value| 128 - (if end < 0 { !end } else { end }).leading_zeros();
            let bits = ends.into_iter().map(length).max().filter(|bits| *bits < 126)?;
            let least = if ends.iter().all(|end| *end >= 0) { 0 } else { -(1 << bits) };
            Some((least, (1 << bits) - 1))
        }
        BinaryOp::Shl => {
            let factor = |by: Value| 2_i128.checked_pow(u32::try_from(by).ok()?);
            let factors = (factor(right.0)?, factor(right.1)?);
            binary(BinaryOp::Mul, left, factors)
        }
        BinaryOp::Shr => Some((left.0.min(0), left.1.max(0))),
        BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge
        | BinaryOp::And
        | BinaryOp::Or => Some((0, 1)),
        BinaryOp::Min | BinaryOp::Max => Some((left.0.min(right.0), left.1.max(right.1))),
        BinaryOp::Div | BinaryOp::Rem => None,
    }
}

/// Whether an expression is 0 or 1.
pub(super) fn is_truth(expr: &Expr, template: &Template, small: bool) -> bool {
    of(expr, template, small).is_some_and(|(low, high)| low >= 0 && high <= 1)
}
