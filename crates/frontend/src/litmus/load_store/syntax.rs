//! What the instructions of load-store architectures do.

use program::{BinaryOp, FenceKind, FetchOp, IntType, Order, Span, UnaryOp, Value};

use super::super::ast::Name;
use super::super::condition_code::Code as ConditionCode;
use super::super::machine::{Mention, unsigned};

/// A thread.
#[derive(Debug)]
pub(in crate::litmus) struct Code {
    pub(super) lines: Vec<Line>,
    /// Labels with the number of the line before which they stand.
    pub(super) labels: Vec<(Name, usize)>,
    /// The end of the last thing in the column.
    pub(super) end: Span,
    /// Whether lines are named by their distance, so that none may come between.
    pub(super) counts_lines: bool,
}

/// An instruction.
#[derive(Clone, Debug)]
pub(in crate::litmus) struct Line {
    /// It does something only if this holds (conditional execution of A32).
    pub(in crate::litmus) guard: Option<Condition>,
    pub(in crate::litmus) steps: Vec<Step>,
    pub(in crate::litmus) flow: Flow,
    pub(in crate::litmus) span: Span,
}

impl Line {
    /// An instruction after which control goes on with the next.
    pub(in crate::litmus) fn new(steps: Vec<Step>, span: Span) -> Self {
        Self { guard: None, steps, flow: Flow::Next, span }
    }

    /// An instruction that only leads somewhere.
    pub(in crate::litmus) fn leading(flow: Flow, span: Span) -> Self {
        Self { guard: None, steps: Vec::new(), flow, span }
    }

    pub(super) fn mentions(&self) -> Vec<Mention> {
        let accesses = self.steps.iter().filter_map(Step::memory);
        accesses.map(|memory| Mention { name: None, bits: Some(memory.bits) }).collect()
    }
}

/// Where control goes on.
#[derive(Clone, Debug)]
pub(in crate::litmus) enum Flow {
    Next,
    Jump(Name),
    /// To the label if the term is not zero, otherwise to the next line.
    Branch(Term, Name),
    /// To the end of the thread.
    Return,
    /// To the label, with the address of the next line in a register.
    Call {
        link: Register,
        to: Name,
    },
    /// To where this address of code is, with the address of the next line in a register if there
    /// is one.
    Computed {
        address: Term,
        link: Option<Register>,
    },
}

/// A register as an instruction names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::litmus) enum Register {
    /// Reads as zero; what is written to it is lost.
    Zero { bits: u8 },
    Named {
        /// The whole register it is part of.
        whole: String,
        /// How many of its bits the instruction means; all there are if it does not say.
        bits: Option<u8>,
    },
}

impl Register {
    /// The same register, used with this width.
    pub(in crate::litmus) fn with_bits(&self, bits: u8) -> Self {
        match self {
            Self::Zero { .. } => Self::Zero { bits },
            Self::Named { whole, .. } => Self::Named { whole: whole.clone(), bits: Some(bits) },
        }
    }

    /// How many bits the instruction means, if it says.
    pub(in crate::litmus) const fn bits(&self) -> Option<u8> {
        match self {
            Self::Zero { bits } => Some(*bits),
            Self::Named { bits, .. } => *bits,
        }
    }
}

/// A condition on flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::litmus) struct Condition {
    pub(in crate::litmus) flag: Flag,
    pub(in crate::litmus) negated: bool,
}

/// A condition code of one field of flags. Only Power has more than one field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::litmus) struct Flag {
    pub(in crate::litmus) field: u8,
    pub(in crate::litmus) code: ConditionCode,
}

/// A value: an exact integer, where registers are read as signed numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::litmus) enum Term {
    Number(Value),
    Register(Register),
    Condition(Condition),
    Unary(UnaryOp, Box<Term>),
    Binary(BinaryOp, Box<Term>, Box<Term>),
    Cast(IntType, Box<Term>),
    Select(Box<[Term; 3]>),
    /// The address of the line at a label.
    Code(Name),
}

impl Term {
    pub(in crate::litmus) fn binary(op: BinaryOp, left: Self, right: Self) -> Self {
        Self::Binary(op, Box::new(left), Box::new(right))
    }

    /// The sum; nothing is added for zero.
    pub(in crate::litmus) fn plus(self, offset: Value) -> Self {
        if offset == 0 { self } else { Self::binary(BinaryOp::Add, self, Self::Number(offset)) }
    }

    /// The same bits as an unsigned number of this width.
    pub(in crate::litmus) fn unsigned(self, bits: u8) -> Self {
        Self::Cast(unsigned(bits), Box::new(self))
    }

    /// Whether this register, or part of it, occurs in the term.
    pub(in crate::litmus) fn mentions(&self, register: &Register) -> bool {
        let mut found = false;
        self.visit(&mut |part| {
            if let Self::Register(other) = part {
                found |= other.with_bits(64) == register.with_bits(64);
            }
        });
        found
    }

    /// Calls `visit` on all parts, parents first.
    pub(super) fn visit<'a>(&'a self, visit: &mut impl FnMut(&'a Self)) {
        visit(self);
        match self {
            Self::Number(_) | Self::Register(_) | Self::Condition(_) | Self::Code(_) => {}
            Self::Unary(_, operand) | Self::Cast(_, operand) => operand.visit(visit),
            Self::Binary(_, left, right) => {
                left.visit(visit);
                right.visit(visit);
            }
            Self::Select(operands) => operands.iter().for_each(|operand| operand.visit(visit)),
        }
    }
}

/// A place in memory and how it is accessed.
#[derive(Clone, Debug)]
pub(in crate::litmus) struct Memory {
    pub(in crate::litmus) address: Term,
    pub(in crate::litmus) bits: u8,
    pub(in crate::litmus) order: Order,
}

/// How a value that is narrower than a register fills it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::litmus) enum Extension {
    Zero,
    Sign,
}

/// Where an exclusive store says whether it succeeded.
#[derive(Clone, Debug)]
pub(in crate::litmus) enum Status {
    /// 0 for success in a register.
    Register(Register),
    /// "Equal" for success in the flags.
    Flags,
}

/// What an atomic update writes.
#[derive(Clone, Debug)]
pub(in crate::litmus) enum Change {
    Exchange(Term),
    Fetch(FetchOp, Term),
    CompareAndSwap { expected: Term, new: Term },
}

/// What flags are set from.
#[derive(Clone, Debug)]
pub(in crate::litmus) enum Comparison {
    /// The difference of two signed numbers of this width.
    Signed { left: Term, right: Term, bits: u8 },
    /// Power's comparison of unsigned numbers, whose "less" is unsigned.
    Unsigned { left: Term, right: Term, bits: u8 },
    /// The sum of two numbers of this width.
    Sum { left: Term, right: Term, bits: u8 },
    /// A value of this width, of which sign and zero are known.
    Bits { value: Term, bits: u8, rest: Rest },
}

/// What an instruction that computes with bits does to carry and overflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::litmus) enum Rest {
    /// They are cleared (A64).
    Cleared,
    /// They are those of the shifter, or stay as they were (A32).
    Kept,
}

/// A step of an instruction.
#[derive(Clone, Debug)]
pub(in crate::litmus) enum Step {
    Assign { to: Register, value: Term },
    Load { to: Register, extension: Extension, memory: Memory, exclusive: bool },
    Store { memory: Memory, value: Term },
    StoreExclusive { status: Status, memory: Memory, value: Term },
    Update { result: Register, extension: Extension, memory: Memory, change: Change },
    Compare { field: u8, comparison: Comparison },
    Fence(FenceKind),
}

impl Step {
    fn memory(&self) -> Option<&Memory> {
        match self {
            Self::Load { memory, .. }
            | Self::Store { memory, .. }
            | Self::StoreExclusive { memory, .. }
            | Self::Update { memory, .. } => Some(memory),
            Self::Assign { .. } | Self::Compare { .. } | Self::Fence(_) => None,
        }
    }

    /// The registers it writes.
    pub(super) fn written(&self) -> Option<&Register> {
        match self {
            Self::Assign { to, .. } | Self::Load { to, .. } | Self::Update { result: to, .. } => {
                Some(to)
            }
            Self::StoreExclusive { status: Status::Register(to), .. } => Some(to),
            Self::StoreExclusive { status: Status::Flags, .. }
            | Self::Store { .. }
            | Self::Compare { .. }
            | Self::Fence(_) => None,
        }
    }

    /// The terms it evaluates.
    pub(super) fn terms(&self) -> Vec<&Term> {
        match self {
            Self::Assign { value, .. } => vec![value],
            Self::Load { memory, .. } => vec![&memory.address],
            Self::Store { memory, value } | Self::StoreExclusive { memory, value, .. } => {
                vec![&memory.address, value]
            }
            Self::Update { memory, change, .. } => match change {
                Change::Exchange(value) | Change::Fetch(_, value) => {
                    vec![&memory.address, value]
                }
                Change::CompareAndSwap { expected, new } => vec![&memory.address, expected, new],
            },
            Self::Compare { comparison, .. } => match comparison {
                Comparison::Signed { left, right, .. }
                | Comparison::Unsigned { left, right, .. }
                | Comparison::Sum { left, right, .. } => vec![left, right],
                Comparison::Bits { value, .. } => vec![value],
            },
            Self::Fence(_) => Vec::new(),
        }
    }
}
