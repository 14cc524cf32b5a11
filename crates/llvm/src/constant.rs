//! Operands and constants.

use crate::index::{BlockId, LocalId, MetadataId, SymbolId, TypeId};
use crate::instruction::{Asm, BinaryOp, CastOp, IntegerPredicate};

/// A value with its type.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    /// Its type.
    pub ty: TypeId,
    /// What it is.
    pub value: Value,
}

/// What an operand is.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A parameter or the result of an instruction of the same function.
    Local(LocalId),
    /// A constant.
    Constant(Constant),
    /// A block of the same function (`label %b`), where a block is passed as a value.
    Block(BlockId),
    /// Inline assembly, as what is called.
    Asm(Box<Asm>),
    /// A numbered metadata node as an argument of an intrinsic.
    Metadata(MetadataId),
    /// Other metadata as an argument (`metadata i32 %x`, `metadata !DIExpression()`), as its text.
    MetadataText(String),
}

/// A constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// An integer of at most 128 bits, as written: with a sign or without. `true` is 1.
    Integer(i128),
    /// Any other number, as its text: floating-point numbers and integers wider than 128 bits.
    Number(String),
    /// `null`
    Null,
    /// `undef`
    Undef,
    /// `poison`
    Poison,
    /// `zeroinitializer`
    Zero,
    /// `none`
    NoToken,
    /// `@name`
    Symbol(SymbolId),
    /// `c"…"`, decoded.
    Bytes(Vec<u8>),
    /// `[…]`
    Array(Vec<Operand>),
    /// `<…>`; also `splat (…)`, with one element.
    Vector(Vec<Operand>),
    /// `{…}` or `<{…}>`
    Struct(Vec<Operand>),
    /// A constant expression.
    Expression(Box<ConstantExpression>),
    /// `blockaddress(@function, %block)`; the block by its name or number.
    BlockAddress(SymbolId, String),
    /// Anything else, as its text.
    Other(String),
}

/// A constant computed from others.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstantExpression {
    /// `getelementptr`
    GetElementPtr {
        /// The type that the first index counts.
        element: TypeId,
        /// The pointer.
        base: Operand,
        /// The indices.
        indices: Vec<Operand>,
    },
    /// A cast.
    Cast {
        /// Which.
        op: CastOp,
        /// Of what; its result has the type of the operand that this is in.
        value: Operand,
    },
    /// Arithmetic.
    Binary {
        /// Which.
        op: BinaryOp,
        /// The left operand.
        left: Operand,
        /// The right operand.
        right: Operand,
    },
    /// `icmp`
    Compare {
        /// Which.
        predicate: IntegerPredicate,
        /// The left operand.
        left: Operand,
        /// The right operand.
        right: Operand,
    },
    /// `select`
    Select {
        /// Whether the first.
        condition: Operand,
        /// Then.
        then: Operand,
        /// Otherwise.
        otherwise: Operand,
    },
}
