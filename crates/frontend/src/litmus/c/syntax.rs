//! The syntax of a thread.

use program::{BinaryOp, FenceKind, FetchOp, Order, Span, UnaryOp, Value};

use super::super::ast::Name;

/// A thread: a function.
#[derive(Clone, Debug, Default)]
pub(super) struct Thread {
    pub(super) parameters: Vec<Parameter>,
    pub(super) body: Vec<Statement>,
}

/// A location that a thread knows.
#[derive(Clone, Debug)]
pub(super) struct Parameter {
    pub(super) name: Name,
    /// The type of the parameter, a pointer.
    pub(super) pointer: Type,
}

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Type {
    /// How wide the integers are.
    bits: u8,
    /// Whether they are atomic.
    atomic: bool,
    /// How many pointers lead there.
    pub(super) pointers: usize,
}

impl Type {
    pub(super) const INT: Self = Self { bits: 32, atomic: false, pointers: 0 };

    pub(super) const fn new(bits: u8, atomic: bool, pointers: usize) -> Self {
        Self { bits, atomic, pointers }
    }

    /// What something of this type points to, if it does.
    pub(super) const fn target(self) -> Option<Self> {
        match self.pointers.checked_sub(1) {
            Some(pointers) => Some(Self { pointers, ..self }),
            None => None,
        }
    }

    /// How wide it is.
    pub(super) const fn bits(self) -> u8 {
        if self.pointers > 0 { 64 } else { self.bits }
    }

    /// The order of an ordinary access to something of this type.
    pub(super) const fn order(self) -> Order {
        if self.atomic && self.pointers == 0 { Order::SeqCst } else { Order::Plain }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub(super) kind: StatementKind,
    pub(super) span: Span,
    /// Whether another statement can follow it in the text.
    pub(super) is_free: bool,
}

#[derive(Clone, Debug)]
pub(super) enum StatementKind {
    /// A variable, and what it starts with.
    Declare {
        name: Name,
        declared: Type,
        value: Option<Expr>,
    },
    /// `r = e`
    Assign {
        name: Name,
        value: Expr,
    },
    /// `*p = e`
    Store {
        pointer: Expr,
        value: Expr,
    },
    /// An expression for what it does.
    Evaluate(Expr),
    Block(Vec<Statement>),
    If {
        condition: Expr,
        then: Box<Statement>,
        otherwise: Option<Box<Statement>>,
    },
    While {
        condition: Expr,
        body: Box<Statement>,
    },
    DoWhile {
        body: Box<Statement>,
        condition: Expr,
    },
    Nothing,
}

#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) kind: ExprKind,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum ExprKind {
    Number(Value),
    /// A variable, or the address of a location.
    Name(String),
    /// `*p`
    Load(Box<Expr>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<[Expr; 2]>),
    /// `c ? a : b`
    Select(Box<[Expr; 3]>),
    Call(Box<Call>),
}

/// An operation of `<stdatomic.h>`.
#[derive(Clone, Debug)]
pub(super) enum Call {
    Load {
        pointer: Expr,
        order: Order,
    },
    Store {
        pointer: Expr,
        value: Expr,
        order: Order,
    },
    Exchange {
        pointer: Expr,
        value: Expr,
        order: Order,
    },
    Fetch {
        op: FetchOp,
        pointer: Expr,
        operand: Expr,
        order: Order,
    },
    CompareExchange {
        pointer: Expr,
        expected: Expected,
        new: Expr,
        success: Order,
        failure: Order,
    },
    /// Waits until a lock is free, and takes it.
    Lock {
        pointer: Expr,
    },
    /// A relaxed fence does nothing.
    Fence(Option<FenceKind>),
}

/// Where the expected value of a compare-and-swap is, and the one found instead goes.
#[derive(Clone, Debug)]
pub(super) enum Expected {
    /// `&r`
    Variable(Name),
    /// `p`
    Memory(Expr),
}
