//! Printing expressions infix, with no more parentheses than needed.

use program::{BinaryOp, Expr, LocationId, RegisterId, UnaryOp};

use crate::operators::{FUNCTIONS, INFIX, PREFIX};

/// What the leaves of an expression are called.
pub(crate) trait Leaves {
    fn register(&self, register: RegisterId) -> String;
    /// The address of an element.
    fn element(&self, location: LocationId, index: &Expr) -> String;
}

/// An expression; in parentheses unless its operator binds tighter than `loosest`.
pub(crate) fn expr(expr: &Expr, names: &impl Leaves, loosest: u8) -> String {
    let sub = |operand: &Expr| self::expr(operand, names, 0);
    match expr {
        Expr::Const(value) => value.to_string(),
        Expr::Register(register) => names.register(*register),
        Expr::Element(location, index) => names.element(*location, index),
        Expr::Cast(int, operand) => format!("{int}({})", sub(operand)),
        Expr::Select(operands) => {
            let [condition, then, otherwise] = operands.each_ref().map(sub);
            format!("({condition} ? {then} : {otherwise})")
        }
        Expr::Unary(op, operand) => {
            let symbol =
                PREFIX.iter().find(|(prefix, ..)| prefix == op).map_or("", |found| found.1);
            match (op, &**operand) {
                // `-5` is a constant; this is the negation of one.
                (UnaryOp::Neg, Expr::Const(value)) if *value >= 0 => format!("-({value})"),
                (UnaryOp::Neg | UnaryOp::BitNot | UnaryOp::Not, operand) => {
                    format!("{symbol}{}", self::expr(operand, names, u8::MAX))
                }
            }
        }
        Expr::Binary(op, left, right) => binary(*op, left, right, names, loosest),
    }
}

fn binary(op: BinaryOp, left: &Expr, right: &Expr, names: &impl Leaves, loosest: u8) -> String {
    if let Some((_, function)) = FUNCTIONS.iter().find(|(function, _)| *function == op) {
        return format!("{function}({}, {})", expr(left, names, 0), expr(right, names, 0));
    }
    let infix = INFIX
        .iter()
        .find(|infix| infix.op == op)
        .expect("an operator that is no function has a symbol");
    // Operators group to the left; comparisons do not group at all.
    let tight = infix.tightness;
    let left = expr(left, names, if op.negated().is_some() { tight } else { tight - 1 });
    let right = expr(right, names, tight);
    // `<-` would be an arrow; a space keeps the two apart.
    let text = format!("{left} {} {right}", infix.symbol);
    if tight <= loosest { format!("({text})") } else { text }
}
