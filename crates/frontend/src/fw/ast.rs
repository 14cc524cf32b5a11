//! The syntax tree: what was written, with spans, before any name has a meaning.

use std::collections::BTreeSet;

use program::{
    BinaryOp, Diagnostics, FenceKind, FetchOp, IntType, Order, Quantifier, Span, UnaryOp, Value,
};

/// A name and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// A parsed file with everything that was wrong with it.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) name: Option<Name>,
    pub(crate) constants: Vec<(Name, Expr)>,
    /// `memory unbounded`: every value is an address.
    pub(crate) unbounded_memory: bool,
    pub(crate) shared: Vec<Shared>,
    pub(crate) threads: Vec<Thread>,
    pub(crate) question: Question,
    pub(crate) errors: Diagnostics,
    /// Names that stand in text that could not be parsed: they may have been declared there, so
    /// complaints about them would only confuse.
    pub(crate) doubtful: BTreeSet<String>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) name: Name,
    pub(crate) length: Option<Expr>,
    pub(crate) domain: Option<Domain>,
    pub(crate) initial: Option<Initial>,
    pub(crate) base: Option<Expr>,
    pub(crate) stride: Option<Expr>,
    pub(crate) parts: Option<Expr>,
}

#[derive(Debug)]
pub(crate) enum Initial {
    One(Expr),
    Each(Vec<Expr>),
    /// The first ones; the rest are 0.
    First(Vec<Expr>),
}

#[derive(Debug)]
pub(crate) enum Domain {
    Int(IntType),
    Range(Box<RangeExpr>),
}

#[derive(Debug)]
pub(crate) struct RangeExpr {
    pub(crate) low: Expr,
    pub(crate) high: Expr,
    /// Whether `high` belongs to it (`..=`).
    pub(crate) inclusive: bool,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) struct Thread {
    pub(crate) name: Name,
    pub(crate) replication: Replication,
    pub(crate) body: Block,
}

#[derive(Debug)]
pub(crate) enum Replication {
    One,
    Copies(Expr),
    Any,
    /// Any number, with identities from this on.
    AnyIndex(Name, Option<Expr>),
    Index(Name, Box<RangeExpr>),
}

#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) statements: Vec<Stmt>,
    /// From the opening to the closing brace.
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) struct Stmt {
    pub(crate) labels: Vec<StmtLabel>,
    pub(crate) kind: StmtKind,
    /// Without the labels.
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) struct StmtLabel {
    pub(crate) name: Name,
    pub(crate) waiting: bool,
}

#[derive(Debug)]
pub(crate) enum StmtKind {
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
    /// Several statements that are one in the text of another language, so that nothing can be put between.
    Sequence(Block),
}

#[derive(Debug)]
pub(crate) struct Local {
    pub(crate) name: Name,
    pub(crate) domain: Option<Domain>,
    pub(crate) initial: Option<Expr>,
}

#[derive(Debug)]
pub(crate) enum Place {
    /// `x` or `x[index]`: a shared variable, or a local one.
    Named { name: Name, index: Option<Box<Expr>> },
    /// `mem[address]`.
    Mem { address: Box<Expr>, span: Span },
}

impl Place {
    pub(crate) fn span(&self) -> Span {
        match self {
            Self::Named { name, index } => {
                index.as_ref().map_or(name.span, |index| name.span.to(index.span))
            }
            Self::Mem { span, .. } => *span,
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Attributes {
    pub(crate) order: Option<Order>,
    pub(crate) exclusive: bool,
    pub(crate) bytes: Option<u8>,
    pub(crate) across: Option<IntType>,
    pub(crate) failure: Option<Order>,
    pub(crate) span: Option<Span>,
}

#[derive(Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) span: Span,
    /// How deep it is nested; bounded while parsing.
    pub(crate) depth: usize,
}

#[derive(Debug)]
pub(crate) enum ExprKind {
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
pub(crate) enum UpdateCall {
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
    pub(crate) const fn arguments(self) -> usize {
        match self {
            Self::Exchange | Self::Fetch(_) | Self::StoreExclusive => 1,
            Self::CompareExchange | Self::CompareAndSwap => 2,
        }
    }
}

/// What is asked about states.
#[derive(Debug, Default)]
pub(crate) struct Question {
    pub(crate) observed: Vec<Observed>,
    pub(crate) filter: Option<Proposition<Equals>>,
    pub(crate) condition: Option<(Quantifier, Proposition<Equals>)>,
    /// What must not be true of any state.
    pub(crate) forbidden: Option<Proposition<InState>>,
}

#[derive(Debug)]
pub(crate) enum Observed {
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
pub(crate) enum Proposition<Simple> {
    Constant(bool),
    Simple(Simple),
    Not(Box<Self>),
    And(Box<Self>, Box<Self>),
    Or(Box<Self>, Box<Self>),
    Implies(Box<Self>, Box<Self>),
}

/// What is said about final states: something has a value.
#[derive(Debug)]
pub(crate) struct Equals(pub(crate) Observed, pub(crate) Expr);

/// What is said about states on the way.
#[derive(Debug)]
pub(crate) enum InState {
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
