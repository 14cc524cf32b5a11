//! Textual LLVM IR, as clang and rustc of LLVM 14 to 22 write it, read into plain data.
//!
//! No LLVM is linked: the text is stable enough to be read by one tolerant parser, whereas every
//! version of LLVM refuses what newer ones write. What a module says is kept; what is not understood
//! is kept as opaque text. Typed and opaque pointers are both read; since what an access touches is
//! written at the access, nothing else asks what a pointer points to.
//!
//! This crate depends on no other of the project. It does not know what a thread, a race or a memory model is.

pub mod constant;
pub mod debug;
pub mod index;
pub mod instruction;
pub mod layout;
pub mod metadata;
pub mod module;
pub mod types;

mod debug_types;
mod demangle;
mod lexer;
mod names;
mod parse;
mod print;
mod uses;
mod words;

pub use constant::{Constant, ConstantExpression, Operand, Value};
pub use debug::Position;
pub use demangle::demangled;
pub use index::{BlockId, LocalId, MetadataId, SymbolId, TypeId};
pub use instruction::{
    Asm, BinaryOp, Call, CastOp, FloatPredicate, Instruction, IntegerPredicate, Operation,
    Ordering, RmwOp,
};
pub use layout::Layout;
pub use metadata::{Location, Metadata, MetadataField, MetadataNode, MetadataValue};
pub use module::{
    Alias, Block, Function, Global, Linkage, Local, Module, Parameter, Symbol, SymbolKind,
};
pub use parse::{ParseError, parse, parse_until};
pub use print::print;
pub use types::{FloatKind, Type, Types};
