//! Instructions of both dialects, destination first.

use program::{FenceKind, Span, Value};

use super::super::ast::Name;
use super::super::machine::Mention;
use super::flags::Condition;
use super::register::Part;

/// A thread.
#[derive(Debug)]
pub(in crate::litmus) struct Code {
    pub(super) lines: Vec<Line>,
    /// Labels with the number of the line before which they stand.
    pub(super) labels: Vec<(Name, usize)>,
    /// The end of the last thing in the column.
    pub(super) end: Span,
}

/// An instruction.
#[derive(Clone, Debug)]
pub(in crate::litmus) struct Line {
    pub(super) operation: Operation,
    pub(super) locked: bool,
    /// The width of its operands as far as the instruction itself says.
    pub(super) bits: Option<u8>,
    pub(super) operands: Vec<Operand>,
    /// Where it jumps.
    pub(super) target: Option<Name>,
    pub(super) span: Span,
}

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Move,
    Arithmetic(Arithmetic),
    Unary(Unary),
    Shift(Shift),
    Compare,
    Test,
    Exchange,
    /// herd's exchange that is not locked.
    UnlockedExchange,
    CompareExchange,
    ExchangeAdd,
    Jump,
    JumpIf(Condition),
    MoveIf(Condition),
    SetIf(Condition),
    Fence(FenceKind),
    Nothing,
    Return,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arithmetic {
    Add,
    Sub,
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unary {
    Increment,
    Decrement,
    Negate,
    Complement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shift {
    Left,
    Right,
    ArithmeticRight,
}

#[derive(Clone, Debug)]
pub(super) enum Operand {
    Register(Part, Span),
    Immediate(Value),
    /// `$x`: the address of a location.
    Address(Name),
    Memory(Memory),
}

/// An address in memory: all of this added up.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub(super) name: Option<Name>,
    pub(super) displacement: Value,
    /// Registers with what they are multiplied by.
    pub(super) registers: Vec<(Part, Value)>,
    pub(super) span: Span,
}

impl Line {
    /// The registers it names, address registers aside.
    pub(super) fn registers(&self) -> impl Iterator<Item = (Part, Span)> {
        self.operands.iter().filter_map(|operand| match operand {
            Operand::Register(part, span) => Some((*part, *span)),
            Operand::Immediate(_) | Operand::Address(_) | Operand::Memory(_) => None,
        })
    }

    /// The registers in its addresses.
    pub(super) fn address_registers(&self) -> impl Iterator<Item = Part> {
        self.operands.iter().flat_map(|operand| match operand {
            Operand::Memory(memory) => memory.registers.iter().map(|(part, _)| *part).collect(),
            Operand::Register(..) | Operand::Immediate(_) | Operand::Address(_) => Vec::new(),
        })
    }

    pub(super) fn mentions(&self) -> Vec<Mention> {
        let mention = |operand: &Operand| match operand {
            Operand::Register(..) | Operand::Immediate(_) => None,
            Operand::Address(name) => Some(Mention { name: Some(name.clone()), bits: None }),
            Operand::Memory(memory) => Some(Mention { name: memory.name.clone(), bits: self.bits }),
        };
        self.operands.iter().filter_map(mention).collect()
    }
}
