//! Modules: symbols, functions, blocks.

use crate::constant::{Constant, Operand};
use crate::index::{LocalId, MetadataId, SymbolId, TypeId};
use crate::instruction::Instruction;
use crate::metadata::Metadata;
use crate::types::Types;

/// A module: what one text describes.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The source file's name.
    pub source_filename: String,
    /// The target, such as `x86_64-pc-linux-gnu`.
    pub target_triple: String,
    /// The data layout, as written.
    pub data_layout: String,
    /// `module asm` lines.
    pub assembly: Vec<String>,
    /// The types.
    pub types: Types,
    /// Everything with an `@` name, also what is only mentioned.
    pub symbols: Vec<Symbol>,
    /// Those that are declared or defined, in the order of the text.
    pub order: Vec<SymbolId>,
    /// The metadata.
    pub metadata: Metadata,
    /// What was not understood at the top level, as its text.
    pub other: Vec<String>,
}

impl Module {
    /// A symbol.
    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id.index()]
    }
}

/// Who sees a symbol, and what happens to several of one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "these are LLVM's own names")]
pub enum Linkage {
    External,
    AvailableExternally,
    LinkOnce,
    LinkOnceOdr,
    Weak,
    WeakOdr,
    Common,
    Appending,
    Internal,
    Private,
    ExternWeak,
}

/// Something with an `@` name.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Its name, decoded, without `@`.
    pub name: String,
    /// Its linkage.
    pub linkage: Linkage,
    /// What it is.
    pub kind: SymbolKind,
}

impl Symbol {
    /// The function that it is, if it is one.
    pub fn function(&self) -> Option<&Function> {
        match &self.kind {
            SymbolKind::Function(function) => Some(function),
            SymbolKind::Global(_)
            | SymbolKind::Alias(_)
            | SymbolKind::IFunc(_)
            | SymbolKind::Unknown => None,
        }
    }

    /// The variable that it is, if it is one.
    pub fn global(&self) -> Option<&Global> {
        match &self.kind {
            SymbolKind::Global(global) => Some(global),
            SymbolKind::Function(_)
            | SymbolKind::Alias(_)
            | SymbolKind::IFunc(_)
            | SymbolKind::Unknown => None,
        }
    }
}

/// What a symbol is.
#[derive(Clone, Debug)]
pub enum SymbolKind {
    /// A variable.
    Global(Global),
    /// A function, declared or defined.
    Function(Box<Function>),
    /// Another name.
    Alias(Alias),
    /// A function chosen at load time.
    IFunc(Alias),
    /// Mentioned but neither declared nor defined.
    Unknown,
}

/// A global variable.
#[derive(Clone, Debug)]
pub struct Global {
    /// The type of what it holds.
    pub ty: TypeId,
    /// Whether it never changes.
    pub constant: bool,
    /// Whether each thread has its own.
    pub thread_local: bool,
    /// The address space.
    pub space: u32,
    /// The alignment in bytes, if it is given.
    pub align: Option<u64>,
    /// The section that it is put into, if that is given.
    pub section: Option<String>,
    /// What it starts with; nothing if it is only declared.
    pub initialiser: Option<Constant>,
    /// Its `!dbg` nodes (`DIGlobalVariableExpression`).
    pub debug: Vec<MetadataId>,
}

/// Another name for something.
#[derive(Clone, Debug)]
pub struct Alias {
    /// The type of what it names.
    pub ty: TypeId,
    /// What it stands for.
    pub target: Operand,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its type.
    pub ty: TypeId,
    /// The type that `byval(T)` or `sret(T)` gives it.
    pub indirect: Option<TypeId>,
    /// Whether it is `byval`: a copy is passed.
    pub by_value: bool,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// What it returns.
    pub result: TypeId,
    /// Its parameters; the first locals, in this order.
    pub parameters: Vec<Parameter>,
    /// Whether more arguments may follow.
    pub variadic: bool,
    /// The name (without `%`) of each local that has one, the type of each local.
    pub locals: Vec<Local>,
    /// Its blocks, the entry first; none if it is only declared.
    pub blocks: Vec<Block>,
    /// Its `DISubprogram`.
    pub debug: Option<MetadataId>,
    /// The source variables that allocas stand for: `llvm.dbg.declare` or `#dbg_declare`, a local and
    /// a `DILocalVariable`. Other debug records are dropped.
    pub declared: Vec<(LocalId, MetadataId)>,
}

/// A parameter or the result of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    /// Its name without `%`, or its number.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
}

/// A basic block.
#[derive(Clone, Debug)]
pub struct Block {
    /// Its name without `%`, or its number.
    pub name: String,
    /// Its instructions, the terminator last.
    pub instructions: Vec<Instruction>,
}
