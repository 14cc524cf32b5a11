//! LLVM modules as one program: what every analysis of them needs and none should write again.
//!
//! [`link`] says which definition a name means, [`unseen`] what runs without being called; [`position`] where in the source an instruction stands and
//! where a statement can be inserted, [`leaving`] which ways out of a statement do not pass what is inserted behind it; [`names`] and [`symbols`] how symbols are called by people, [`named`] what people mean. What
//! functions without a body do is data: [`summary`] holds the lines that users write too, and [`effects`]
//! one table of all library functions that take part in synchronisation, memory or control.
//!
//! This crate follows no values and no calls, explores nothing, reads no files and knows no memory model.

pub mod effects;
pub mod leaving;
pub mod link;
pub mod named;
pub mod names;
pub mod position;
pub mod summary;
pub mod symbols;
mod unseen;

pub use effects::{Clause, Library};
pub use leaving::{Leaving, left_unseen};
pub use link::{Item, Linked, compared_symbols, symbol_of};
pub use position::{Place, Position, Positions, Texts};
pub use summary::{Effect, Returned, Summary, format_writes};
pub use symbols::{of_c, readable};
