//! Places: pieces of text that control leaves, and after which a fence can be put.

use std::fmt;
use std::ops::Range;

/// A piece of text after which a fence can be put.
///
/// The fence is executed exactly when control leaves `range` normally. Control leaves it otherwise
/// only from within one of the `exits`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The piece of text.
    pub range: Range<usize>,
    /// Where the fence goes; no other place of the text has the same point.
    pub point: usize,
    /// What it is, and so how the fence is written.
    pub kind: PlaceKind,
    /// Parts of the range from which control can leave it without passing the fence: `return`,
    /// `goto`, `break`, `continue`, `?`. From `e?` control can also go on normally. Other ways out
    /// (a panic, `longjmp`, what a macro hides) cannot be seen in the text.
    pub exits: Vec<Range<usize>>,
}

/// What a place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlaceKind {
    /// A statement or a declaration among others: the fence is the next statement.
    Statement,
    /// The only statement of a branch or loop without braces: it gets braces.
    SoleBody,
    /// The condition of a branch or loop: computed, fenced, then tested.
    Condition,
    /// The value that a C `switch` branches on.
    SwitchValue,
    /// A declaration in the header of a C `for`: it moves in front of the loop.
    ForDeclaration,
    /// The first or third part of the header of a C `for`.
    ForStep,
    /// The value of a `return`, or of a Rust `break`: computed, fenced, then returned.
    ReturnValue,
    /// A C `return` of a void expression.
    VoidReturn,
    /// The last expression of a Rust block, which is the block's value.
    TailExpression,
    /// The body of a Rust closure or of a `match` arm, without braces.
    BodyExpression,
    /// What a Rust `match`, `if let` or `while let` looks at.
    Scrutinee,
}

/// Why there is no place at a location, or why a change cannot be made there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Refusal {
    /// Nothing that is executed and left stands there.
    NoStatement,
    /// The text there is not understood.
    SyntaxError,
    /// The location is inside the definition of a macro.
    MacroDefinition,
    /// The location is inside a preprocessor directive.
    Preprocessor,
    /// What looks like a declaration may be a macro that expands to a loop.
    MacroType,
    /// The initial value of a static object, or code run by the compiler.
    Constant,
    /// The header of a Rust `for`, which is executed in every iteration.
    ForHeader,
    /// A pattern: matched and bound in one step with what follows.
    Pattern,
    /// The matched value is not computed but looked at where it is.
    MatchedInPlace,
    /// A `case` label that is not directly in the block of a `switch`.
    StrayCase,
    /// Control never arrives at the end of it.
    NeverLeft,
    /// No place has the given point.
    NoSuchPlace,
    /// What should be taken out is not a fence.
    NotAFence,
    /// The fence is part of a larger expression.
    FenceInExpression,
    /// An attribute in front would go to the next statement.
    HasAttribute,
    /// What should be changed is not a known form of atomic store or exchange.
    NotAStore,
    /// What should get another order is not a known form of an access.
    NotAnAccess,
    /// A plain assignment has no order that could be made stronger.
    PlainStore,
    /// The order of the store is not written where it is called.
    UnknownOrder,
    /// The result of the exchange or assignment is used.
    ResultUsed,
    /// It is among the arguments of a macro.
    MacroArgument,
    /// Two changes want to change the same text.
    Conflict,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoStatement => "no statement stands here that a fence could follow",
            Self::SyntaxError => "the text around it is not understood without expanding macros",
            Self::MacroDefinition => {
                "it is in a macro's definition, where a fence would go to every use of the macro"
            }
            Self::Preprocessor => "it is in a preprocessor directive",
            Self::MacroType => {
                "it may be a declaration or a macro that expands to a loop; write braces around it"
            }
            Self::Constant => "it is computed by the compiler, not when the program runs",
            Self::ForHeader => {
                "the header of a `for` is executed in every iteration; use `while let` instead"
            }
            Self::Pattern => {
                "a pattern is bound together with what follows; bind it in a `let` of its own"
            }
            Self::MatchedInPlace => {
                "the value is matched where it is; copy it to a variable before and match that"
            }
            Self::StrayCase => {
                "a `case` label outside of the block of its `switch`; write braces around it"
            }
            Self::NeverLeft => "control never arrives at the end of it",
            Self::NoSuchPlace => "no place for a fence ends here; the text may have changed",
            Self::NotAFence => "no fence that could be taken out stands here",
            Self::FenceInExpression => {
                "the fence is part of an expression; make it a statement of its own"
            }
            Self::HasAttribute => "the attribute in front belongs to the fence; take out both",
            Self::NotAStore => "no known form of an atomic store or exchange stands here",
            Self::NotAnAccess => "no known form of an access that could get an order stands here",
            Self::PlainStore => "a plain assignment has no order; make it an atomic store",
            Self::UnknownOrder => "the order is not written as a constant in the call",
            Self::ResultUsed => "its result is used",
            Self::MacroArgument => "it is among the arguments of a macro; take it out of them",
            Self::Conflict => "two changes want to change the same text; make one after the other",
        })
    }
}
