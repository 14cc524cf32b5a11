//! The syntax tree of both papers' programs. What a bare name means is decided when the tree is
//! lowered.

use program::{BinaryOp, Diagnostics, IntType, Span, UnaryOp, Value};

#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) span: Span,
}

#[derive(Debug, Default)]
pub(super) struct File {
    pub(super) name: Option<Name>,
    /// ESOP'15 only: the shared variables with their initial values.
    pub(super) variables: Vec<(Name, Value)>,
    pub(super) threads: Vec<Thread>,
    pub(super) errors: Diagnostics,
}

#[derive(Debug)]
pub(super) struct Thread {
    pub(super) name: Name,
    /// Registers with their initial values.
    pub(super) registers: Vec<(Name, Value)>,
    pub(super) initial: Name,
    pub(super) instructions: Vec<Instruction>,
}

/// `label: statement; goto target;`
#[derive(Debug)]
pub(super) struct Instruction {
    pub(super) label: Name,
    pub(super) statement: Statement,
    pub(super) target: Name,
    /// From the label to the last semicolon.
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) enum Statement {
    Skip,
    Fence,
    /// Blocks unless the value is not zero.
    Assume(Expr),
    Assign {
        register: Name,
        value: Expr,
    },
    Load {
        register: Name,
        address: Expr,
    },
    Store {
        address: Expr,
        value: Expr,
    },
    /// ESOP'15 `arw`.
    ReadWrite {
        address: Expr,
        expected: Expr,
        new: Expr,
    },
}

#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) kind: ExprKind,
    pub(super) span: Span,
    /// The number of operators on the longest path to a leaf.
    pub(super) depth: usize,
}

#[derive(Clone, Debug)]
pub(super) enum ExprKind {
    Number(Value),
    /// A name without `$`: in the syntax of ESOP'13 a register or an address.
    Name(String),
    /// A name with `$`, here without it: a register.
    Register(String),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Select(Box<[Expr; 3]>),
    Cast(IntType, Box<Expr>),
}

impl Expr {
    /// Calls `visit` on this expression and everything in it.
    pub(super) fn visit<'a>(&'a self, visit: &mut impl FnMut(&'a Self)) {
        visit(self);
        match &self.kind {
            ExprKind::Number(_) | ExprKind::Name(_) | ExprKind::Register(_) => {}
            ExprKind::Unary(_, operand) | ExprKind::Cast(_, operand) => operand.visit(visit),
            ExprKind::Binary(_, left, right) => {
                left.visit(visit);
                right.visit(visit);
            }
            ExprKind::Select(operands) => {
                for operand in operands.iter() {
                    operand.visit(visit);
                }
            }
        }
    }
}

impl Statement {
    /// The address accessed, if memory is.
    pub(super) const fn address(&self) -> Option<&Expr> {
        match self {
            Self::Skip | Self::Fence | Self::Assume(_) | Self::Assign { .. } => None,
            Self::Load { address, .. }
            | Self::Store { address, .. }
            | Self::ReadWrite { address, .. } => Some(address),
        }
    }

    /// All expressions.
    pub(super) fn expressions(&self) -> Vec<&Expr> {
        match self {
            Self::Skip | Self::Fence => Vec::new(),
            Self::Assume(value) | Self::Assign { value, .. } => vec![value],
            Self::Load { address, .. } => vec![address],
            Self::Store { address, value } => vec![address, value],
            Self::ReadWrite { address, expected, new } => vec![address, expected, new],
        }
    }
}
