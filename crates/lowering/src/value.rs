//! Values while a thread is translated: expressions over registers, and what is known of pointers.
//!
//! Integers of every width are kept in two's complement, sign included: an `i32` lies between −2³¹ and
//! 2³¹ − 1, a pointer is a positive number; only `i1` is 0 or 1. Operations that read their operands
//! without a sign say so by a cast. Constants are folded at once.

use std::rc::Rc;

use llvm::{BinaryOp as Llvm, IntegerPredicate};
use program::index::IndexVec;
use program::{BinaryOp, Expr, IntType, Memory, RegisterId, UnaryOp, Value};

/// A local variable whose address is known wherever it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PrivateId(pub(crate) u32);

/// A value of the program that is translated.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Val {
    /// An integer or an address.
    Expr(Expr),
    /// A pointer into a private variable.
    Private(PrivateId, i64),
    /// A structure or an array in a register.
    Aggregate(Vec<Val>),
    /// Nothing in particular.
    Undefined,
    /// What the model cannot express, with the reason; an error where it matters.
    Inexpressible(Rc<str>),
}

impl Val {
    pub(crate) const fn constant(value: Value) -> Self {
        Self::Expr(Expr::Const(value))
    }

    pub(crate) const fn register(register: RegisterId) -> Self {
        Self::Expr(Expr::Register(register))
    }

    /// The value if it is a known number.
    pub(crate) const fn as_constant(&self) -> Option<Value> {
        match self {
            Self::Expr(Expr::Const(value)) => Some(*value),
            Self::Undefined => Some(0),
            Self::Expr(_) | Self::Private(..) | Self::Aggregate(_) | Self::Inexpressible(_) => None,
        }
    }

    /// Whether it is the same whatever registers hold.
    pub(crate) fn is_static(&self) -> bool {
        match self {
            Self::Expr(expr) => matches!(expr, Expr::Const(_)),
            Self::Private(..) | Self::Undefined => true,
            Self::Aggregate(parts) => parts.iter().all(Self::is_static),
            Self::Inexpressible(_) => false,
        }
    }

    /// Whether it mentions a register of which `is` is true.
    pub(crate) fn mentions(&self, is: &impl Fn(RegisterId) -> bool) -> bool {
        match self {
            Self::Expr(expr) => expr.registers().into_iter().any(is),
            Self::Aggregate(parts) => parts.iter().any(|part| part.mentions(is)),
            Self::Private(..) | Self::Undefined | Self::Inexpressible(_) => false,
        }
    }
}

/// The type of integers with this many bits: 1 to 64.
pub(crate) fn int(bits: u32) -> Option<IntType> {
    let narrow = u8::try_from(bits).ok()?;
    IntType::new(narrow, bits > 1)
}

fn unsigned_int(bits: u32) -> Option<IntType> {
    IntType::new(u8::try_from(bits).ok()?, false)
}

/// An expression without registers replaced by its value.
pub(crate) fn fold(expr: Expr) -> Expr {
    if matches!(expr, Expr::Const(_)) || !expr.registers().is_empty() {
        return expr;
    }
    match expr.evaluate(&Memory::flat(), &IndexVec::new()) {
        Ok(value) => Expr::Const(value),
        Err(_) => expr,
    }
}

/// A value wrapped to a type.
pub(crate) fn wrap(ty: IntType, expr: Expr) -> Expr {
    match expr {
        Expr::Const(value) => Expr::Const(ty.wrap(value)),
        Expr::Cast(inner, operand) if inner.bits() >= ty.bits() => Expr::Cast(ty, operand),
        expr @ (Expr::Register(_)
        | Expr::Element(..)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select(_)
        | Expr::Cast(..)) => Expr::Cast(ty, Box::new(expr)),
    }
}

fn unsigned(bits: u32, expr: Expr) -> Option<Expr> {
    Some(if bits == 1 { expr } else { wrap(unsigned_int(bits)?, expr) })
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    fold(Expr::binary(op, left, right))
}

/// The sum of two addresses or offsets, which never wraps.
pub(crate) fn sum(left: Expr, right: Expr) -> Expr {
    match (left, right) {
        (left, Expr::Const(0)) => left,
        (Expr::Const(0), right) => right,
        // Constants gather on the right, so that fields of fields are one offset.
        (Expr::Binary(BinaryOp::Add, base, offset), Expr::Const(more))
            if let Expr::Const(already) = *offset =>
        {
            sum(*base, Expr::Const(already + more))
        }
        (left @ Expr::Const(_), right) if !matches!(right, Expr::Const(_)) => {
            Expr::binary(BinaryOp::Add, right, left)
        }
        (left, right) => binary(BinaryOp::Add, left, right),
    }
}

/// A multiple of an index.
pub(crate) fn times(expr: Expr, factor: Value) -> Expr {
    match (expr, factor) {
        (expr, 1) => expr,
        (_, 0) => Expr::Const(0),
        (expr, factor) => binary(BinaryOp::Mul, expr, Expr::Const(factor)),
    }
}

/// LLVM's integer arithmetic on `bits` bits; nothing for floating point and widths without a type.
pub(crate) fn arithmetic(op: Llvm, bits: u32, left: Expr, right: Expr) -> Option<Expr> {
    let ty = int(bits)?;
    let plain = |op, left, right| Some(wrap(ty, binary(op, left, right)));
    let without_sign =
        |op, left, right| Some(wrap(ty, binary(op, unsigned(bits, left)?, unsigned(bits, right)?)));
    match op {
        Llvm::Add => match (left, right) {
            (left, Expr::Const(0)) => Some(left),
            (Expr::Const(0), right) => Some(right),
            (left, right) => plain(BinaryOp::Add, left, right),
        },
        Llvm::Sub => plain(BinaryOp::Sub, left, right),
        Llvm::Mul => match (left, right) {
            (left, Expr::Const(1)) => Some(left),
            (left, right) => plain(BinaryOp::Mul, left, right),
        },
        Llvm::SDiv => plain(BinaryOp::Div, left, right),
        Llvm::SRem => plain(BinaryOp::Rem, left, right),
        Llvm::UDiv => without_sign(BinaryOp::Div, left, right),
        Llvm::URem => without_sign(BinaryOp::Rem, left, right),
        Llvm::Shl => plain(BinaryOp::Shl, left, unsigned(bits, right)?),
        Llvm::LShr => without_sign(BinaryOp::Shr, left, right),
        Llvm::AShr => plain(BinaryOp::Shr, left, unsigned(bits, right)?),
        // Bitwise operations keep two's complement as it is.
        Llvm::And => Some(binary(BinaryOp::BitAnd, left, right)),
        Llvm::Or => Some(binary(BinaryOp::BitOr, left, right)),
        Llvm::Xor => Some(match (bits, left, right) {
            (1, left, Expr::Const(1 | -1)) => fold(left.negated()),
            (_, left, right) => binary(BinaryOp::BitXor, left, right),
        }),
        Llvm::FAdd | Llvm::FSub | Llvm::FMul | Llvm::FDiv | Llvm::FRem => None,
    }
}

/// LLVM's comparison of integers or pointers of `bits` bits: 0 or 1.
pub(crate) fn compare(
    predicate: IntegerPredicate,
    bits: u32,
    left: Expr,
    right: Expr,
) -> Option<Expr> {
    let (op, is_signed) = match predicate {
        IntegerPredicate::Eq => (BinaryOp::Eq, true),
        IntegerPredicate::Ne => (BinaryOp::Ne, true),
        IntegerPredicate::Ugt => (BinaryOp::Gt, false),
        IntegerPredicate::Uge => (BinaryOp::Ge, false),
        IntegerPredicate::Ult => (BinaryOp::Lt, false),
        IntegerPredicate::Ule => (BinaryOp::Le, false),
        IntegerPredicate::Sgt => (BinaryOp::Gt, true),
        IntegerPredicate::Sge => (BinaryOp::Ge, true),
        IntegerPredicate::Slt => (BinaryOp::Lt, true),
        IntegerPredicate::Sle => (BinaryOp::Le, true),
    };
    // `x != 0` of what is 0 or 1 already is `x`.
    match (op, &left, &right) {
        (BinaryOp::Ne, truth, Expr::Const(0)) if is_truth(truth) => return Some(left),
        (BinaryOp::Eq, truth, Expr::Const(0)) if is_truth(truth) => {
            return Some(fold(left.negated()));
        }
        _ => {}
    }
    Some(if is_signed {
        binary(op, left, right)
    } else {
        binary(op, unsigned(bits, left)?, unsigned(bits, right)?)
    })
}

/// The greater or the smaller of two numbers of `bits` bits without a sign.
pub(crate) fn extreme_without_sign(
    op: BinaryOp,
    bits: u32,
    left: Expr,
    right: Expr,
) -> Option<Expr> {
    Some(wrap(int(bits)?, binary(op, unsigned(bits, left)?, unsigned(bits, right)?)))
}

/// Whether an expression is 0 or 1 by its form.
pub(crate) fn is_truth(expr: &Expr) -> bool {
    match expr {
        Expr::Const(value) => (0..=1).contains(value),
        Expr::Unary(op, _) => matches!(op, UnaryOp::Not),
        Expr::Binary(op, left, right) => match op {
            BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge
            | BinaryOp::And
            | BinaryOp::Or => true,
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                is_truth(left) && is_truth(right)
            }
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::Min
            | BinaryOp::Max => false,
        },
        Expr::Select(operands) => is_truth(&operands[1]) && is_truth(&operands[2]),
        Expr::Cast(_, operand) => is_truth(operand),
        Expr::Register(_) | Expr::Element(..) => false,
    }
}

/// Fewer bits.
pub(crate) fn truncate(to: u32, expr: Expr) -> Option<Expr> {
    if is_truth(&expr) {
        return Some(expr);
    }
    Some(fold(wrap(int(to)?, expr)))
}

/// More bits, filled with zeros.
pub(crate) fn zero_extend(from: u32, to: u32, expr: Expr) -> Option<Expr> {
    int(to)?;
    if is_truth(&expr) { Some(expr) } else { unsigned(from, expr).map(fold) }
}

/// More bits, filled with the sign.
pub(crate) fn sign_extend(from: u32, to: u32, expr: Expr) -> Option<Expr> {
    int(to)?;
    Some(if from == 1 { fold(Expr::unary(UnaryOp::Neg, expr)) } else { expr })
}

/// The bytes `offset..offset + width` of a number of `whole` bytes, low bytes first.
pub(crate) fn part_of(expr: Expr, offset: u32, width: u32) -> Option<Expr> {
    let shifted = match offset {
        0 => expr,
        offset => binary(BinaryOp::Shr, expr, Expr::Const(Value::from(offset * 8))),
    };
    truncate_bytes(width, shifted)
}

/// A number of `whole` bytes with the bytes `offset..offset + width` replaced.
pub(crate) fn with_part(
    expr: Expr,
    whole: u32,
    offset: u32,
    width: u32,
    part: Expr,
) -> Option<Expr> {
    let mask: Value = ((1 << (width * 8)) - 1) << (offset * 8);
    let kept = binary(BinaryOp::BitAnd, expr, Expr::Const(int(whole * 8)?.wrap(!mask)));
    let put = joined_part(part, offset, width)?;
    truncate_bytes(whole, binary(BinaryOp::BitOr, kept, put))
}

/// What a part at `offset` contributes to the number it is a part of.
pub(crate) fn joined_part(part: Expr, offset: u32, width: u32) -> Option<Expr> {
    let bits = unsigned_int(width * 8)?;
    let part = wrap(bits, part);
    Some(match offset {
        0 => part,
        offset => binary(BinaryOp::Shl, part, Expr::Const(Value::from(offset * 8))),
    })
}

/// The low bytes of a number.
pub(crate) fn truncate_bytes(width: u32, expr: Expr) -> Option<Expr> {
    Some(fold(wrap(int(width * 8)?, expr)))
}
