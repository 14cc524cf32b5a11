//! The operators of expressions written infix, as `.fw` and the papers' syntaxes have them: one
//! table for parsers and printers. The papers leave their functions open ("functions that are
//! defined on the data domain"), so there most operators are both a symbol and a function such as
//! `add(r1, r2)`.

use program::{BinaryOp, IntType, UnaryOp};

/// How tightly the comparisons bind, which do not chain.
pub(crate) const COMPARISON: u8 = 3;

/// An operator between two operands.
pub(crate) struct Infix {
    pub(crate) op: BinaryOp,
    pub(crate) symbol: &'static str,
    /// How tightly it binds; operators that bind alike group to the left.
    pub(crate) tightness: u8,
    /// Its name as a function.
    pub(crate) function: &'static str,
}

const fn infix(op: BinaryOp, symbol: &'static str, tightness: u8, function: &'static str) -> Infix {
    Infix { op, symbol, tightness, function }
}

/// The operators with a symbol, from loosest to tightest.
pub(crate) const INFIX: [Infix; 18] = [
    infix(BinaryOp::Or, "||", 1, "or"),
    infix(BinaryOp::And, "&&", 2, "and"),
    infix(BinaryOp::Eq, "==", COMPARISON, "eq"),
    infix(BinaryOp::Ne, "!=", COMPARISON, "ne"),
    infix(BinaryOp::Lt, "<", COMPARISON, "lt"),
    infix(BinaryOp::Le, "<=", COMPARISON, "le"),
    infix(BinaryOp::Gt, ">", COMPARISON, "gt"),
    infix(BinaryOp::Ge, ">=", COMPARISON, "ge"),
    infix(BinaryOp::BitOr, "|", 4, "bitor"),
    infix(BinaryOp::BitXor, "^", 5, "xor"),
    infix(BinaryOp::BitAnd, "&", 6, "bitand"),
    infix(BinaryOp::Shl, "<<", 7, "shl"),
    infix(BinaryOp::Shr, ">>", 7, "shr"),
    infix(BinaryOp::Add, "+", 8, "add"),
    infix(BinaryOp::Sub, "-", 8, "sub"),
    infix(BinaryOp::Mul, "*", 9, "mul"),
    infix(BinaryOp::Div, "/", 9, "div"),
    infix(BinaryOp::Rem, "%", 9, "mod"),
];

/// The operators before one operand, with their names as functions.
pub(crate) const PREFIX: [(UnaryOp, &str, &str); 3] =
    [(UnaryOp::Neg, "-", "neg"), (UnaryOp::BitNot, "~", "bitnot"), (UnaryOp::Not, "!", "not")];

/// The operators that are functions only.
pub(crate) const FUNCTIONS: [(BinaryOp, &str); 2] =
    [(BinaryOp::Min, "min"), (BinaryOp::Max, "max")];

/// The operator with this symbol between two operands.
pub(crate) fn infix_symbol(symbol: &str) -> Option<&'static Infix> {
    INFIX.iter().find(|infix| infix.symbol == symbol)
}

/// The operator with this symbol before an operand.
pub(crate) fn prefix_symbol(symbol: &str) -> Option<UnaryOp> {
    PREFIX.iter().find(|(_, prefix, _)| *prefix == symbol).map(|(op, _, _)| *op)
}

/// What a function name stands for.
pub(crate) enum Function {
    Unary(UnaryOp),
    Binary(BinaryOp),
    Cast(IntType),
}

/// The function with this name.
pub(crate) fn function(name: &str) -> Option<Function> {
    let unary = PREFIX.iter().find(|(_, _, function)| *function == name);
    let infix = INFIX.iter().find(|infix| infix.function == name);
    let binary = FUNCTIONS.iter().find(|(_, function)| *function == name);
    unary
        .map(|(op, _, _)| Function::Unary(*op))
        .or_else(|| infix.map(|infix| Function::Binary(infix.op)))
        .or_else(|| binary.map(|(op, _)| Function::Binary(*op)))
        .or_else(|| IntType::from_name(name).map(Function::Cast))
}

/// The names of all functions; for suggestions.
pub(crate) fn functions() -> impl Iterator<Item = &'static str> {
    let infix = INFIX.iter().map(|infix| infix.function);
    let prefix = PREFIX.iter().map(|(_, _, function)| *function);
    infix.chain(prefix).chain(FUNCTIONS.iter().map(|(_, function)| *function))
}
