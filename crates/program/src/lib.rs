//! The program model: one immutable, plain description of a concurrent program that every front
//! end lowers into and every analysis reads.
//!
//! A [`Program`] has shared memory and threads. Memory is flat and addressed by integers
//! ([`Memory`]); a thread [`Template`] is a control-flow automaton in which several [`Edge`]s may
//! leave one [`Label`] (nondeterminism, as in Fig. 1 of the ESOP'13 paper), with a number of
//! copies. Values are exact integers ([`value`]); what an instruction means for a store buffer is
//! written down once, in [`instruction`].
//!
//! This crate depends on nothing. It does not know any input language, any memory model's state
//! space or any analysis, and it does no input or output.

pub mod build;
pub mod canonical;
pub mod change;
pub mod condition;
pub mod diagnostic;
pub mod expr;
pub mod footprint;
pub mod goal;
pub mod identities;
pub mod index;
pub mod instruction;
pub mod loops;
pub mod mapping;
pub mod memory;
pub mod operation;
pub mod source;
pub mod template;
pub mod validate;
pub mod value;

mod failure;
mod rewrite;
mod spinning;
mod whole;

pub use build::{ProgramBuilder, TemplateBuilder};
pub use change::{Change, Changed};
pub use condition::{Observable, Proposition, Quantifier, Question};
pub use diagnostic::{Diagnostic, Diagnostics};
pub use expr::{BinaryOp, Expr, UnaryOp};
pub use failure::Failure;
pub use footprint::Footprint;
pub use goal::{StateProposition, Watched};
pub use identities::Names;
pub use index::{
    EdgeId, IndexVec, LabelId, LocationId, RegisterId, SourceId, TemplateId, ThreadId,
};
pub use instruction::{Access, AccessWidth, FenceKind, FetchOp, Instruction, Order, Update};
pub use mapping::{Architecture, Target};
pub use memory::{Cell, Initial, Location, Memory, Outside};
pub use operation::Boundary;
pub use source::{Insertion, InsertionPoint, NoInsertion, Sources, Span};
pub use template::{Count, Edge, Identity, Label, Register, Template};
pub use value::{Domain, Fault, IntType, Value};
pub use whole::{Parameterised, Program, Thread};
