//! One function around one instruction, and short ways to say what it should be read as.

#![allow(dead_code, reason = "each test uses a part of this")]

use llvm::{
    BlockId, Constant, Function, Instruction, LocalId, Module, Operand, Operation, SymbolId, Type,
    TypeId, Types, Value,
};

/// What is declared for opaque pointers.
const OPAQUE: &str = "
%pair = type { i32, i64 }
@g = global i32 0
declare i32 @callee(i32, ...)
define void @f(i32 %a, i32 %b, ptr %p, ptr %q, float %x, float %y, i1 %c, <4 x i32> %v, %pair %s) {
entry:
  INSTRUCTION
next:
  unreachable
other:
  unreachable
}
";

/// What is declared for typed pointers.
const TYPED: &str = "
%pair = type { i32, i64 }
@g = global i32 0
declare i32 @callee(i32, ...)
define void @f(i32 %a, i32 %b, i32* %p, %pair* %q, float %x, float %y, i1 %c) {
entry:
  INSTRUCTION
next:
  unreachable
other:
  unreachable
}
";

/// A module that was read, to build what is expected from.
pub(crate) struct Fixture {
    pub(crate) module: Module,
    pub(crate) types: Types,
}

/// Reads one instruction, which is `%r = …` or a terminator, in a text with opaque pointers.
pub(crate) fn opaque(instruction: &str) -> Fixture {
    Fixture::new(OPAQUE, instruction)
}

/// Reads one instruction in a text with typed pointers.
pub(crate) fn typed(instruction: &str) -> Fixture {
    Fixture::new(TYPED, instruction)
}

impl Fixture {
    fn new(around: &str, instruction: &str) -> Self {
        let words = ["br ", "ret ", "switch ", "indirectbr ", "unreachable", "resume ", "callbr "];
        let ends = words.iter().any(|word| instruction.starts_with(word))
            || instruction.contains("invoke ")
            || instruction.contains("callbr ");
        let end = if ends { "" } else { "\n  ret void" };
        let text = around.replace("INSTRUCTION", &format!("{instruction}{end}"));
        let module = llvm::parse(&text).unwrap_or_else(|error| panic!("{instruction}: {error}"));
        let types = module.types.clone();
        Self { module, types }
    }

    pub(crate) fn function(&self) -> &Function {
        let symbol = self.module.symbols.iter().find(|symbol| symbol.name == "f");
        symbol.and_then(llvm::Symbol::function).expect("the function")
    }

    /// The instruction that was asked for.
    pub(crate) fn instruction(&self) -> &Instruction {
        &self.function().blocks[0].instructions[0]
    }

    pub(crate) fn operation(&self) -> &Operation {
        &self.instruction().operation
    }

    /// The type of the result.
    pub(crate) fn result(&self) -> Option<&Type> {
        let local = self.instruction().result?;
        Some(self.module.types.get(self.function().locals[local.index()].ty))
    }

    pub(crate) fn ty(&mut self, ty: Type) -> TypeId {
        self.types.intern(ty)
    }

    pub(crate) fn int(&mut self, width: u32) -> TypeId {
        self.ty(Type::Integer(width))
    }

    pub(crate) fn float(&mut self) -> TypeId {
        self.ty(Type::Float(llvm::FloatKind::Float))
    }

    pub(crate) fn ptr(&mut self) -> TypeId {
        self.ty(Type::Pointer { pointee: None, space: 0 })
    }

    pub(crate) fn to(&mut self, pointee: TypeId) -> TypeId {
        self.ty(Type::Pointer { pointee: Some(pointee), space: 0 })
    }

    pub(crate) fn pair(&mut self) -> TypeId {
        self.ty(Type::Named("pair".to_owned()))
    }

    pub(crate) fn vector(&mut self, length: u64, element: TypeId) -> TypeId {
        self.ty(Type::Vector { length, element, scalable: false })
    }

    pub(crate) fn local_id(&self, name: &str) -> LocalId {
        let position = self.function().locals.iter().position(|local| local.name == name);
        LocalId::new(position.expect("a local"))
    }

    /// A local with its type.
    pub(crate) fn local(&self, name: &str) -> Operand {
        let id = self.local_id(name);
        Operand { ty: self.function().locals[id.index()].ty, value: Value::Local(id) }
    }

    pub(crate) fn block(&self, name: &str) -> BlockId {
        let position = self.function().blocks.iter().position(|block| block.name == name);
        BlockId::new(position.expect("a block"))
    }

    pub(crate) fn symbol(&self, name: &str) -> SymbolId {
        let position = self.module.symbols.iter().position(|symbol| symbol.name == name);
        SymbolId::new(position.expect("a symbol"))
    }

    /// An integer constant.
    pub(crate) fn constant(&mut self, width: u32, value: i128) -> Operand {
        let ty = self.int(width);
        operand(ty, Constant::Integer(value))
    }

    /// `ptr @name`
    pub(crate) fn address(&mut self, name: &str) -> Operand {
        let ty = self.ptr();
        operand(ty, Constant::Symbol(self.symbol(name)))
    }
}

/// A constant with a type.
pub(crate) fn operand(ty: TypeId, constant: Constant) -> Operand {
    Operand { ty, value: Value::Constant(constant) }
}
