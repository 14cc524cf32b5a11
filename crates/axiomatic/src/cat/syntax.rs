//! The syntax of models: Alglave, Cousot, Maranget, "Syntax and semantics of the weak consistency
//! model specification language cat" (arXiv 1608.07531), and what herd's own models use beyond it.

use std::sync::Arc;

use program::Span;

/// A name, as a number that [`super::parser::Names`] knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Name(pub(super) u32);

/// An expression with its place.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Name(Name),
    /// `'tag`
    Tag(Name),
    /// `0`
    EmptyRelation,
    /// `_`
    Everything,
    /// `{a, b}`
    Elements(Vec<Expr>),
    /// `(a, b)`
    Tuple(Vec<Expr>),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<[Expr; 2]>),
    /// `f x`
    Apply(Box<[Expr; 2]>),
    /// `fun x -> e`
    Function(Arc<Function>),
    Let {
        recursive: bool,
        bindings: Vec<Binding>,
        body: Box<Expr>,
    },
    If(Box<(Condition, Expr, Expr)>),
    /// `try a with b`
    Try(Box<[Expr; 2]>),
    /// `match e with || 'tag -> … end`
    MatchTag {
        scrutinee: Box<Expr>,
        clauses: Vec<(Name, Expr)>,
        otherwise: Option<Box<Expr>>,
    },
    /// `match e with || {} -> … || x ++ xs -> … end`
    MatchSet(Box<MatchSet>),
}

#[derive(Clone, Debug)]
pub(super) struct MatchSet {
    pub(super) scrutinee: Expr,
    pub(super) empty: Expr,
    /// The names of an element and of the rest, where they have one.
    pub(super) element: Option<Name>,
    pub(super) rest: Option<Name>,
    pub(super) more: Expr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unary {
    /// `[S]`
    Identity,
    /// `~`
    Complement,
    /// `r*`
    Star,
    /// `r+`
    Plus,
    /// `r?`
    Optional,
    /// `r^-1`
    Inverse,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Union,
    Intersection,
    Difference,
    Sequence,
    /// `S * T`
    Product,
    /// `e ++ S`
    Add,
}

/// What names a value is bound to.
#[derive(Clone, Debug)]
pub(super) enum Pattern {
    One(Option<Name>),
    Many(Vec<Option<Name>>),
}

#[derive(Debug)]
pub(super) struct Function {
    pub(super) parameter: Pattern,
    pub(super) body: Expr,
}

#[derive(Clone, Debug)]
pub(super) struct Binding {
    pub(super) pattern: Pattern,
    pub(super) value: Expr,
}

#[derive(Clone, Debug)]
pub(super) enum Condition {
    Equal(Expr, Expr),
    Subset(Expr, Expr),
    Member(Expr, Expr),
    /// About variants, which are known when the model is read.
    Known(bool),
}

/// What a check asks of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Property {
    Acyclic,
    Irreflexive,
    Empty,
}

/// What follows from a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Consequence {
    /// If it fails, the execution is forbidden.
    Forbids,
    /// If it holds, there is something to tell.
    Flags,
    /// If it fails, the program has no defined behaviour.
    Undefines,
    /// If it fails, the model is wrong.
    Asserts,
}

#[derive(Clone, Debug)]
pub(super) struct Check {
    pub(super) consequence: Consequence,
    pub(super) negated: bool,
    pub(super) property: Property,
    pub(super) value: Expr,
    pub(super) name: Option<String>,
}

/// A statement. Inclusions are replaced by what they include, choices between variants by what was
/// chosen.
#[derive(Clone, Debug)]
pub(super) enum Statement {
    Let {
        recursive: bool,
        bindings: Vec<Binding>,
        /// What has to hold in every step of a recursion (`when`).
        while_it_holds: Option<Check>,
        span: Span,
    },
    Check(Check),
    Procedure {
        name: Name,
        procedure: Arc<Procedure>,
    },
    Call {
        name: Name,
        argument: Expr,
        span: Span,
    },
    ForAll {
        name: Name,
        set: Expr,
        body: Arc<Vec<Statement>>,
    },
    /// `with x from S`
    Choose {
        name: Name,
        set: Expr,
    },
    Match {
        scrutinee: Expr,
        clauses: Vec<(Name, Vec<Statement>)>,
        otherwise: Option<Vec<Statement>>,
    },
    Enumeration {
        name: Name,
        tags: Vec<Name>,
    },
}

#[derive(Debug)]
pub(super) struct Procedure {
    pub(super) recursive: bool,
    pub(super) parameter: Pattern,
    pub(super) body: Vec<Statement>,
}
