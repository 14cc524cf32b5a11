//! The syntax tree of a text, macros expanded: what was written, with spans, before any name has a meaning.

use program::{BinaryOp, Diagnostics, Span, Value};

#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) span: Span,
}

#[derive(Debug, Default)]
pub(super) struct File {
    /// Each with one entry for each process: a label, or nothing where any will do.
    pub(super) forbidden: Vec<Forbidden>,
    pub(super) globals: Vec<Data>,
    pub(super) processes: Vec<Process>,
    pub(super) errors: Diagnostics,
}

#[derive(Debug)]
pub(super) struct Forbidden {
    pub(super) labels: Vec<Option<Name>>,
    pub(super) span: Span,
}

/// A memory location or a register, as declared.
#[derive(Debug)]
pub(super) struct Data {
    pub(super) name: Name,
    /// Nothing for any value of the domain.
    pub(super) initial: Option<Value>,
    /// Nothing for all integers.
    pub(super) domain: Option<(Value, Value)>,
}

#[derive(Debug)]
pub(super) struct Process {
    pub(super) count: u32,
    pub(super) data: Vec<Data>,
    pub(super) registers: Vec<Data>,
    pub(super) body: Block,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) struct Block {
    pub(super) statements: Vec<Statement>,
    /// One character more on each side than what can be filled with statements.
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) struct Statement {
    pub(super) label: Option<Name>,
    pub(super) kind: Kind,
    /// Without the label.
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) enum Kind {
    Nop,
    Fence,
    StoreFence,
    LoadFence,
    Assign {
        register: Name,
        value: Expr,
    },
    Assume(Condition),
    /// `read: place = value`: waits for the value.
    ReadEqual {
        place: Place,
        value: Expr,
    },
    Read {
        register: Name,
        place: Place,
    },
    Write {
        place: Place,
        value: Expr,
        locked: bool,
    },
    Cas {
        place: Place,
        expected: Expr,
        new: Expr,
    },
    If {
        condition: Condition,
        then: Block,
        otherwise: Option<Block>,
    },
    While {
        condition: Condition,
        body: Block,
    },
    Goto(Name),
    Either(Vec<Block>),
    Locked(Vec<Block>),
    Group(Block),
}

#[derive(Clone, Debug)]
pub(super) enum Place {
    Global(Name),
    /// `x[my]`, or `x[n]` with the number of another process as this one counts them.
    Local {
        name: Name,
        owner: Option<u32>,
        span: Span,
    },
    Pointer {
        address: Expr,
        span: Span,
    },
}

impl Place {
    pub(super) const fn span(&self) -> Span {
        match self {
            Self::Global(name) => name.span,
            Self::Local { span, .. } | Self::Pointer { span, .. } => *span,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum Expr {
    Number(Value, Span),
    Register(Name),
    Negated(Box<Expr>, Span),
    /// A sum or a difference.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
}

impl Expr {
    pub(super) fn span(&self) -> Span {
        match self {
            Self::Number(_, span) | Self::Negated(_, span) => *span,
            Self::Register(name) => name.span,
            Self::Binary(_, left, right) => left.span().to(right.span()),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum Condition {
    Constant(bool, Span),
    Compared(BinaryOp, Expr, Expr),
    Not(Box<Condition>, Span),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
}
