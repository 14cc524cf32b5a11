//! Between which bounds the value of an expression lies while some registers are not known yet, and whether
//! evaluating it can go wrong. Both err on the side of more.

use program::{AccessWidth, BinaryOp, Domain, Expr, Memory, RegisterId, UnaryOp, Value};

/// The least and the greatest value that something may have.
pub(crate) type Range = (Value, Value);

/// What can come to rest in 64 bits.
pub(crate) const AT_REST: Range = (i64::MIN as Value, u64::MAX as Value);

/// Whether all of it can.
pub(crate) const fn is_at_rest((low, high): Range) -> bool {
    AT_REST.0 <= low && high <= AT_REST.1
}

/// Between which bounds a value lies that is read from cells with this domain.
pub(crate) const fn read_range(domain: Domain, width: AccessWidth) -> Range {
    match width {
        AccessWidth::Across(int) => Domain::Wrapping(int).bounds(),
        AccessWidth::Cell | AccessWidth::Bytes(_) => domain.bounds(),
    }
}

/// Whether every value in a range can be put where this domain is.
pub(crate) const fn fits(domain: Domain, (low, high): Range) -> bool {
    match domain {
        Domain::Wrapping(_) => true,
        Domain::Integer | Domain::Range { .. } => domain.contains(low) && domain.contains(high),
    }
}

/// The range of an expression whose registers have these ranges; nothing if evaluating it may fault.
pub(crate) fn range(
    memory: &Memory,
    expr: &Expr,
    register: &impl Fn(RegisterId) -> Range,
) -> Option<Range> {
    let of = |expr: &Expr| range(memory, expr, register);
    match expr {
        Expr::Const(value) => Some((*value, *value)),
        Expr::Register(id) => Some(register(*id)),
        Expr::Element(location, index) => {
            let (low, high) = of(index)?;
            let location = memory.location(*location);
            Some((location.address(low).ok()?, location.address(high).ok()?))
        }
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
            let [condition, then, otherwise] = &**operands;
            let (_, then, otherwise) = (of(condition)?, of(then)?, of(otherwise)?);
            Some((then.0.min(otherwise.0), then.1.max(otherwise.1)))
        }
        Expr::Cast(int, operand) => {
            let bounds = Domain::Wrapping(*int).bounds();
            let (low, high) = match &**operand {
                // These are computed modulo a power of two, and never fault.
                Expr::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, left, right) => {
                    let (_, _) = (of(left)?, of(right)?);
                    return Some(bounds);
                }
                Expr::Const(_)
                | Expr::Register(_)
                | Expr::Element(..)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Select(_)
                | Expr::Cast(..) => of(operand)?,
            };
            Some(if bounds.0 <= low && high <= bounds.1 { (low, high) } else { bounds })
        }
    }
}

fn binary(op: BinaryOp, left: Range, right: Range) -> Option<Range> {
    let corners = |of: fn(Value, Value) -> Option<Value>| {
        let pairs = [(left.0, right.0), (left.0, right.1), (left.1, right.0), (left.1, right.1)];
        let all: Option<Vec<Value>> = pairs.iter().map(|(one, other)| of(*one, *other)).collect();
        let all = all?;
        Some((*all.iter().min()?, *all.iter().max()?))
    };
    match op {
        BinaryOp::Add => corners(Value::checked_add),
        BinaryOp::Sub => corners(Value::checked_sub),
        BinaryOp::Mul => corners(Value::checked_mul),
        BinaryOp::Div | BinaryOp::Rem => {
            let can_be_zero = right.0 <= 0 && 0 <= right.1;
            let most = left.0.checked_abs()?.max(left.1.checked_abs()?);
            (!can_be_zero).then_some((-most, most))
        }
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
            // All bits from some place on are copies of the sign.
            let bits =
                |value: Value| 128 - (if value < 0 { !value } else { value }).leading_zeros();
            let most = [left.0, left.1, right.0, right.1].map(bits).into_iter().max()?;
            let Some(bound) = 1_i128.checked_shl(most).filter(|bound| *bound > 0) else {
                return Some((Value::MIN, Value::MAX));
            };
            let low = if left.0 >= 0 && right.0 >= 0 { 0 } else { -bound };
            Some((low, bound - 1))
        }
        BinaryOp::Shl => {
            let factor = |by: Value| 2_i128.checked_pow(u32::try_from(by).ok()?);
            let (least, most) = (factor(right.0)?, factor(right.1)?);
            binary(BinaryOp::Mul, left, (least, most))
        }
        BinaryOp::Shr => (right.0 >= 0).then_some((left.0.min(0), left.1.max(0))),
        BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge
        | BinaryOp::And
        | BinaryOp::Or => Some((0, 1)),
        BinaryOp::Min => Some((left.0.min(right.0), left.1.min(right.1))),
        BinaryOp::Max => Some((left.0.max(right.0), left.1.max(right.1))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_holds_every_result() {
        let values: Vec<Value> = vec![-9, -2, -1, 0, 1, 2, 3, 7];
        let ops = [
            BinaryOp::Add,
            BinaryOp::Sub,
            BinaryOp::Mul,
            BinaryOp::Div,
            BinaryOp::Rem,
            BinaryOp::BitAnd,
            BinaryOp::BitOr,
            BinaryOp::BitXor,
            BinaryOp::Shl,
            BinaryOp::Shr,
            BinaryOp::Lt,
            BinaryOp::Min,
            BinaryOp::Max,
        ];
        let ranges = || {
            let pairs = values.iter().flat_map(|low| values.iter().map(move |high| (*low, *high)));
            pairs.filter(|(low, high)| low <= high)
        };
        for op in ops {
            for left in ranges() {
                for right in ranges() {
                    let range = binary(op, left, right);
                    for one in left.0..=left.1 {
                        for other in right.0..=right.1 {
                            let inside = op.apply(one, other).map(|value| {
                                range.is_none_or(|(low, high)| low <= value && value <= high)
                            });
                            let is_right = inside.unwrap_or(range.is_none());
                            assert!(is_right, "{one} {op:?} {other} in {range:?}");
                        }
                    }
                }
            }
        }
    }
}
