//! The syntax tree: what was written, with spans, before any name has a meaning.

use std::collections::BTreeSet;

use program::{
    BinaryOp, Diagnostics, FenceKind, FetchOp, IntType, Order, Quantifier, Span, UnaryOp, Value,
};

/// A name and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) span: Span,
}

/// A parsed file with everything that was wrong with it.
#[derive(Debug)]
pub(super) struct File {
    pub(super) name: Option<Name>,
    pub(super) constants: Vec<(Name, Expr)>,
    /// `memory unbounded`: every value is an address.
    pub(super) unbounded_memory: bool,
    pub(super) shared: Vec<Shared>,
    pub(super) threads: Vec<Thread>,
    pub(super) question: Question,
    pub(super) errors: Diagnostics,
    /// Names that stand in text that could not be parsed: they may have been declared there, so
    /// complaints about them would only confuse.
    pub(super) doubtful: BTreeSet<String>,
}

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) name: Name,
    pub(super) length: Option<Expr>,
    pub(super) domain: Option<Domain>,
    pub(super) initial: Option<Initial>,
    pub(super) base: Option<Expr>,
    pub(super) stride: Option<Expr>,
    pub(super) parts: Option<Expr>,
}

#[derive(Debug)]
pub(super) enum Initial {
    One(Expr),
    Each(Vec<Expr>),
    /// The first ones; the rest are 0.
    First(Vec<Expr>),
}

#[derive(Debug)]
pub(super) enum Domain {
    Int(IntType),
    Range(Box<RangeExpr>),
}

#[derive(Debug)]
pub(super) struct RangeExpr {
    pub(super) low: Expr,
    pub(super) high: Expr,
    /// Whether `high` belongs to it (`..=`).
    pub(super) inclusive: bool,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) struct Thread {
    pub(super) name: Name,
    pub(super) replication: Replication,
    pub(super) body: Block,
}

#[derive(Debug)]
pub(super) enum Replication {
    One,
    Copies(Expr),
    Any,
    /// Any number, with identities from this on.
    AnyIndex(Name, Option<Expr>),
    Index(Name, Box<RangeExpr>),
}

#[derive(Debug)]
pub(super) struct Block {
    pub(super) statements: Vec<Stmt>,
    /// From the opening to the closing brace.
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) struct Stmt {
    pub(super) labels: Vec<StmtLabel>,
    pub(super) kind: StmtKind,
    /// Without the labels.
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) struct StmtLabel {
    pub(super) name: Name,
    pub(super) waiting: bool,
}

#[derive(Debug)]
pub(super) enum StmtKind {
    Skip,
    Stop,
    Break,
    Continue,
    Goto(Name),
    Local(Vec<Local>),
    Assign {
        to: Place,
        value: Expr,
    },
    If {
        condition: Expr,
        then: Block,
        otherwise: Option<Block>,
    },
    While {
        condition: Expr,
        body: Block,
    },
    Loop(Block),
    For {
        index: Name,
        range: Box<RangeExpr>,
        body: Block,
    },
    Either(Vec<Block>),
    Atomic(Block),
    Await(Expr),
    Assume(Expr),
    Assert(Expr),
    Fence(FenceKind),
    LockMemory,
    UnlockMemory,
    /// `store(place, value, attributes)`.
    Store {
        to: Place,
        value: Expr,
        attributes: Attributes,
    },
    /// `arw(place, expected, new)`.
    BlockingReadWrite {
        place: Place,
        expected: Expr,
        new: Expr,
        attributes: Attributes,
    },
    /// An update or an exclusive store whose result is not used.
    Call(Expr),
    /// `call name(arguments)`: an operation begins.
    Invoke {
        operation: Name,
        arguments: Vec<Expr>,
    },
    /// `return results`: the operation ends.
    Respond(Vec<Expr>),
}

#[derive(Debug)]
pub(super) struct Local {
    pub(super) name: Name,
    pub(super) domain: Option<Domain>,
    pub(super) initial: Option<Expr>,
}

#[derive(Debug)]
pub(super) enum Place {
    /// `x` or `x[index]`: a shared variable, or a local one.
    Named { name: Name, index: Option<Box<Expr>> },
    /// `mem[address]`.
    Mem { address: Box<Expr>, span: Span },
}

impl Place {
    pub(super) fn span(&self) -> Span {
        match self {
            Self::Named { name, index } => {
                index.as_ref().map_or(name.span, |index| name.span.to(index.span))
            }
            Self::Mem { span, .. } => *span,
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Attributes {
    pub(super) order: Option<Order>,
    pub(super) exclusive: bool,
    pub(super) bytes: Option<u8>,
    pub(super) across: Option<IntType>,
    pub(super) failure: Option<Order>,
    pub(super) span: Option<Span>,
}

#[derive(Debug)]
pub(super) struct Expr {
    pub(super) kind: ExprKind,
    pub(super) span: Span,
    /// How deep it is nested; bounded while parsing.
    pub(super) depth: usize,
}

#[derive(Debug)]
pub(super) enum ExprKind {
    Number(Value),
    Place(Place),
    /// `&place`.
    AddressOf(Place),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Select(Box<[Expr; 3]>),
    Cast(IntType, Box<Expr>),
    Choose(Box<RangeExpr>),
    Load {
        from: Place,
        attributes: Attributes,
    },
    Update {
        update: UpdateCall,
        place: Place,
        arguments: Vec<Expr>,
        attributes: Attributes,
    },
}

/// The atomic operations that give a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UpdateCall {
    /// Gives the old value.
    Exchange,
    /// Gives the old value.
    Fetch(FetchOp),
    /// Gives the old value.
    CompareExchange,
    /// Gives 1 if it succeeded and 0 if not.
    CompareAndSwap,
    /// Gives 0 if it succeeded and 1 if not.
    StoreExclusive,
}

impl UpdateCall {
    /// How many arguments follow the place.
    pub(super) const fn arguments(self) -> usize {
        match self {
            Self::Exchange | Self::Fetch(_) | Self::StoreExclusive => 1,
            Self::CompareExchange | Self::CompareAndSwap => 2,
        }
    }
}

/// What is asked about final states.
#[derive(Debug, Default)]
pub(super) struct Question {
    pub(super) observed: Vec<Observed>,
    pub(super) filter: Option<Proposition<Equals>>,
    pub(super) condition: Option<(Quantifier, Proposition<Equals>)>,
}

#[derive(Debug)]
pub(super) enum Observed {
    Cell(Place),
    /// `across(place, type)`.
    Across(Place, IntType),
    /// `thread.register` or `thread[index].register`.
    Register {
        thread: Name,
        index: Option<Box<Expr>>,
        register: Name,
    },
}

/// A statement put together from simple ones.
#[derive(Debug)]
pub(super) enum Proposition<Simple> {
    Constant(bool),
    Simple(Simple),
    Not(Box<Self>),
    And(Box<Self>, Box<Self>),
    Or(Box<Self>, Box<Self>),
    Implies(Box<Self>, Box<Self>),
}

/// What is said about final states: something has a value.
#[derive(Debug)]
pub(super) struct Equals(pub(super) Observed, pub(super) Expr);

/// What is said about states on the way.
#[derive(Debug)]
pub(super) enum InState {
    /// `thread@label` or `thread[index]@label`.
    At {
        thread: Name,
        index: Option<Box<Expr>>,
        label: Name,
    },
    Equals(Observed, Expr),
    Less(Observed, Expr),
    AtMost(Observed, Expr),
}
