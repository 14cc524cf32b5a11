//! Operators in Promela: their text, and what must hold for it to mean what the model means.

use program::{BinaryOp, FetchOp, UnaryOp, Value};

use super::term::{Check, Term, literal, unless};
use super::values::{MAX, MIN};

/// An operator with one operand.
pub(super) fn unary(op: UnaryOp, operand: Term) -> Term {
    let values = operand.values.unary(op);
    let symbol = match op {
        UnaryOp::Neg => '-',
        UnaryOp::BitNot => '~',
        UnaryOp::Not => '!',
    };
    let needed = !values.within(MIN, MAX);
    let operand = operand.check(needed, true, |text| format!("{text} != {}", literal(MIN)));
    let text = format!("({symbol}{})", operand.text);
    Term { text, values: values.clip(MIN, MAX), checks: operand.checks }
}

/// A fetch-and-op's result.
pub(super) fn fetch(op: FetchOp, old: Term, operand: Term) -> Term {
    match op {
        FetchOp::Add => binary(BinaryOp::Add, old, operand),
        FetchOp::Sub => binary(BinaryOp::Sub, old, operand),
        FetchOp::And => binary(BinaryOp::BitAnd, old, operand),
        FetchOp::Or => binary(BinaryOp::BitOr, old, operand),
        FetchOp::Xor => binary(BinaryOp::BitXor, old, operand),
        FetchOp::Nand => unary(UnaryOp::BitNot, binary(BinaryOp::BitAnd, old, operand)),
        FetchOp::Min => binary(BinaryOp::Min, old, operand),
        FetchOp::Max => binary(BinaryOp::Max, old, operand),
        FetchOp::MinAs(int) => binary(BinaryOp::Min, old.wrap(int), operand.wrap(int)),
        FetchOp::MaxAs(int) => binary(BinaryOp::Max, old.wrap(int), operand.wrap(int)),
    }
}

/// An operator with two operands.
pub(super) fn binary(op: BinaryOp, left: Term, right: Term) -> Term {
    let values = left.values.binary(op, &right.values);
    let (text, own) = operation(op, &left, &right, !values.within(MIN, MAX));
    let mut checks = left.checks;
    match op {
        BinaryOp::And => checks.extend(unless(&format!("!{}", left.text), right.checks)),
        BinaryOp::Or => checks.extend(unless(&left.text, right.checks)),
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge
        | BinaryOp::Min
        | BinaryOp::Max => checks.extend(right.checks),
    }
    checks.extend(own);
    Term { text, values: values.clip(MIN, MAX), checks }
}

/// The text of an operation, and what it needs itself; `overflows` says whether its result may
/// leave 32 bits.
fn operation(op: BinaryOp, left: &Term, right: &Term, overflows: bool) -> (String, Vec<Check>) {
    let (a, b) = (&left.text, &right.text);
    let (min, max) = (literal(MIN), literal(MAX));
    let mut checks = Vec::new();
    let mut check = |needed: bool, limit: bool, condition: String| {
        if needed {
            checks.push(Check { condition, limit });
        }
    };
    let plain = |symbol: &str| format!("({a} {symbol} {b})");
    let text = match op {
        BinaryOp::Add => {
            check(overflows, true, sum_fits(a, right));
            plain("+")
        }
        BinaryOp::Sub => {
            check(overflows, true, difference_fits(a, right));
            plain("-")
        }
        BinaryOp::Mul => {
            let positive = format!("({b} > 0 -> {a} <= {max} / {b} : {b} >= {min} / {a})");
            let negative =
                format!("({b} > 0 -> {a} >= {min} / {b} : ({b} == 0 || {a} >= {max} / {b}))");
            check(overflows, true, format!("({a} > 0 -> {positive} : ({a} == 0 || {negative}))"));
            plain("*")
        }
        BinaryOp::Div | BinaryOp::Rem => {
            check(right.values.may_be(0), false, format!("{b} != 0"));
            // The machine's division of the least value by -1 traps, also for the remainder.
            let traps = left.values.may_be(MIN) && right.values.may_be(-1);
            check(traps, true, format!("({a} != {min} || {b} != (-1))"));
            plain(if op == BinaryOp::Div { "/" } else { "%" })
        }
        BinaryOp::Shl => {
            check(!right.values.within(0, Value::MAX), false, format!("{b} >= 0"));
            let fits = format!("{a} <= ({max} >> {b}) && {a} >= -({max} >> {b})");
            check(overflows, true, format!("({a} == 0 || ({b} <= 30 && {fits}))"));
            if right.values.within(0, 30) {
                plain("<<")
            } else {
                format!("({a} == 0 -> 0 : {a} << {b})")
            }
        }
        BinaryOp::Shr => {
            check(!right.values.within(0, Value::MAX), false, format!("{b} >= 0"));
            if right.values.within(0, 31) {
                plain(">>")
            } else {
                format!("({a} >> ({b} > 31 -> 31 : {b}))")
            }
        }
        BinaryOp::BitAnd => plain("&"),
        BinaryOp::BitOr => plain("|"),
        BinaryOp::BitXor => plain("^"),
        BinaryOp::Eq => plain("=="),
        BinaryOp::Ne => plain("!="),
        BinaryOp::Lt => plain("<"),
        BinaryOp::Le => plain("<="),
        BinaryOp::Gt => plain(">"),
        BinaryOp::Ge => plain(">="),
        BinaryOp::And => plain("&&"),
        BinaryOp::Or => plain("||"),
        BinaryOp::Min => format!("({a} < {b} -> {a} : {b})"),
        BinaryOp::Max => format!("({a} > {b} -> {a} : {b})"),
    };
    (text, checks)
}

/// That `left + right` has no more than 32 bits.
fn sum_fits(left: &str, right: &Term) -> String {
    match right.values.list(1).as_deref() {
        Some([by]) if *by >= 0 => format!("{left} <= {}", literal(MAX - by)),
        Some([by]) => format!("{left} >= {}", literal(MIN - by)),
        Some(_) | None => {
            let (by, min, max) = (&right.text, literal(MIN), literal(MAX));
            format!("({by} >= 0 -> {left} <= {max} - {by} : {left} >= {min} - {by})")
        }
    }
}

/// That `left - right` has no more than 32 bits.
fn difference_fits(left: &str, right: &Term) -> String {
    match right.values.list(1).as_deref() {
        Some([by]) if *by >= 0 => format!("{left} >= {}", literal(MIN + by)),
        Some([by]) => format!("{left} <= {}", literal(MAX + by)),
        Some(_) | None => {
            let (by, min, max) = (&right.text, literal(MIN), literal(MAX));
            format!("({by} >= 0 -> {left} >= {min} + {by} : {left} <= {max} + {by})")
        }
    }
}
