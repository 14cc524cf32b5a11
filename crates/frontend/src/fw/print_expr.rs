//! Printing: expressions, with no more parentheses than needed.

use program::{BinaryOp, Expr, UnaryOp};

use super::notation::Names;

/// How tightly the operator of an expression binds; see [`super::parse_expr`].
fn tightness(op: BinaryOp) -> Option<(u8, &'static str)> {
    Some(match op {
        BinaryOp::Or => (1, "||"),
        BinaryOp::And => (2, "&&"),
        BinaryOp::Eq => (3, "=="),
        BinaryOp::Ne => (3, "!="),
        BinaryOp::Lt => (3, "<"),
        BinaryOp::Le => (3, "<="),
        BinaryOp::Gt => (3, ">"),
        BinaryOp::Ge => (3, ">="),
        BinaryOp::BitOr => (4, "|"),
        BinaryOp::BitXor => (5, "^"),
        BinaryOp::BitAnd => (6, "&"),
        BinaryOp::Shl => (7, "<<"),
        BinaryOp::Shr => (7, ">>"),
        BinaryOp::Add => (8, "+"),
        BinaryOp::Sub => (8, "-"),
        BinaryOp::Mul => (9, "*"),
        BinaryOp::Div => (9, "/"),
        BinaryOp::Rem => (9, "%"),
        BinaryOp::Min | BinaryOp::Max => return None,
    })
}

/// An expression where nothing binds tighter than `loosest`.
pub(super) fn expr(expr: &Expr, names: &Names, loosest: u8) -> String {
    let sub = |operand: &Expr| self::expr(operand, names, 0);
    match expr {
        Expr::Const(value) => value.to_string(),
        Expr::Register(register) => names.registers[*register].clone(),
        Expr::Element(..) => format!("&{}", place(expr, names)),
        Expr::Cast(int, operand) => format!("{int}({})", sub(operand)),
        Expr::Select(operands) => {
            let [condition, then, otherwise] = operands.each_ref().map(sub);
            format!("({condition} ? {then} : {otherwise})")
        }
        Expr::Unary(op, operand) => {
            let symbol = match op {
                UnaryOp::Neg => '-',
                UnaryOp::BitNot => '~',
                UnaryOp::Not => '!',
            };
            match (op, &**operand) {
                // `-5` is a constant; this is the negation of one.
                (UnaryOp::Neg, Expr::Const(value)) if *value >= 0 => format!("-({value})"),
                (UnaryOp::Neg | UnaryOp::BitNot | UnaryOp::Not, operand) => {
                    format!("{symbol}{}", self::expr(operand, names, u8::MAX))
                }
            }
        }
        Expr::Binary(op, left, right) => {
            let Some((tight, symbol)) = tightness(*op) else {
                let function = if *op == BinaryOp::Min { "min" } else { "max" };
                return format!("{function}({}, {})", sub(left), sub(right));
            };
            // Operators group to the left; comparisons do not group at all.
            let left_loosest = if op.negated().is_some() { tight } else { tight - 1 };
            let left = self::expr(left, names, left_loosest);
            let right = self::expr(right, names, tight);
            let text = format!("{left} {symbol} {right}");
            if tight <= loosest { format!("({text})") } else { text }
        }
    }
}

/// The place in memory at an address.
pub(super) fn place(address: &Expr, names: &Names) -> String {
    match address {
        Expr::Element(location, index) => {
            let location = &names.locations[*location];
            if location.is_array {
                format!("{}[{}]", location.name, expr(index, names, 0))
            } else {
                location.name.clone()
            }
        }
        Expr::Const(_)
        | Expr::Register(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select(_)
        | Expr::Cast(..) => format!("mem[{}]", expr(address, names, 0)),
    }
}
