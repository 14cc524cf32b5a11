//! The syntax of a litmus test, whatever its architecture: instructions are still tokens.

use program::{Diagnostics, Quantifier, Span, Value};

use super::lex::Token;

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) span: Span,
}

/// Everything after the head of a test.
#[derive(Debug)]
pub(super) struct File<'a> {
    pub(super) init: Vec<Init>,
    pub(super) threads: Vec<Column<'a>>,
    /// The table by rows; the first is that of the threads' names.
    pub(super) rows: Vec<Row<'a>>,
    pub(super) observed: Vec<Place>,
    pub(super) filter: Option<Prop>,
    pub(super) condition: Option<(Quantifier, Prop)>,
    pub(super) errors: Diagnostics,
    /// Whether an error may have hidden part of the test, so that what refers to it proves
    /// nothing.
    pub(super) incomplete: bool,
    /// Where what follows the table begins.
    pub(super) end_of_table: u32,
}

/// A register of a thread, or a location, perhaps an element of an array.
#[derive(Clone, Debug)]
pub(super) enum Place {
    Register {
        thread: u32,
        thread_span: Span,
        name: Name,
    },
    /// `%x0`: a register of whichever threads mention it; see [`super::symbolic`].
    Symbolic(Name),
    Memory {
        name: Name,
        index: Option<(Value, Span)>,
    },
}

impl Place {
    pub(super) fn span(&self) -> Span {
        match self {
            Self::Register { thread_span, name, .. } => thread_span.to(name.span),
            Self::Symbolic(name) => name.span,
            Self::Memory { name, index } => index.map_or(name.span, |(_, span)| name.span.to(span)),
        }
    }
}

/// A number, or the address of a location.
#[derive(Clone, Debug)]
pub(super) enum Constant {
    Number(Value),
    Address { name: Name, index: Option<(Value, Span)> },
}

/// A declared type.
#[derive(Clone, Copy, Debug)]
pub(super) enum Type {
    Integer { bits: u8, signed: bool },
    Pointer,
}

/// One line of the initial state.
#[derive(Clone, Debug)]
pub(super) struct Init {
    pub(super) place: Place,
    pub(super) declared: Option<Type>,
    pub(super) value: InitialValue,
}

/// What a place starts with.
#[derive(Clone, Debug)]
pub(super) enum InitialValue {
    Zero,
    One(Constant),
    /// The elements of an array; none were given if they are all zero.
    Elements {
        length: (Value, Span),
        values: Option<Vec<Constant>>,
    },
}

/// A thread: a column of the table.
#[derive(Debug)]
pub(super) struct Column<'a> {
    pub(super) number: u32,
    /// `P0`.
    pub(super) name: Name,
    pub(super) items: Vec<Item<'a>>,
}

/// A row of the table.
#[derive(Debug, Default)]
pub(super) struct Row<'a> {
    /// The tokens of each cell.
    pub(super) cells: Vec<&'a [Token<'a>]>,
    /// What ends each cell: `|`, or `;` for the last.
    pub(super) ends: Vec<Span>,
}

/// What stands in a cell.
#[derive(Debug)]
pub(super) enum Item<'a> {
    Label(Name),
    /// At least one token.
    Instruction(&'a [Token<'a>]),
}

/// A statement about a final state.
#[derive(Clone, Debug)]
pub(super) enum Prop {
    Constant(bool),
    Equals(Place, Constant),
    /// `array = {1,2}`.
    EqualsEach(Name, Vec<Constant>, Span),
    Not(Box<Prop>),
    And(Box<Prop>, Box<Prop>),
    Or(Box<Prop>, Box<Prop>),
    Implies(Box<Prop>, Box<Prop>),
}
