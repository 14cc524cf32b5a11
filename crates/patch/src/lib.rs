//! Where statements are in C and Rust text, and how fences are put in and taken out.
//!
//! Compiled code carries the line and column of each access. [`Syntax::place_at`] says to which
//! *place* of the text a location belongs: a piece of text (a statement, a condition, a returned
//! value …) after which a fence can be put such that it is executed exactly when control leaves the
//! piece normally: every time, on all paths, and at no other time. [`edit()`] then writes the fences,
//! takes others out, makes stores stronger or weaker and gives accesses other orders, all at once and without touching the rest.
//!
//! *It knows no compiler, no memory model and no program: text and locations in, data and text out.*
//! Texts are parsed with tree-sitter, which neither expands macros nor knows types; what cannot be
//! decided without them is refused with a reason ([`Refusal`]).
//!
//! - [`language`]: languages, and how fences are written in them.
//! - [`place`]: what places are, and why there may be none; [`syntax`] finds them.
//! - `tree`: syntax trees, of tree-sitter where there is one.
//! - `c`, `rust`: the places of each language; `errors`: which parts of a tree to believe.
//! - `mask`: what the grammar of C does not know.
//! - `exits`: how control can leave a piece of text otherwise than at its end.
//! - `expression`: what to show for a location.
//! - `imports`: which names of atomics a place in Rust can use.
//! - [`edit`](mod@edit): changes; `insert`, `remove`, `store`, `strengthen` and [`order`] make them of small pieces that
//!   `splice` puts together; [`fence`] is how fences are written.

pub mod edit;
pub mod fence;
pub mod language;
pub mod order;
pub mod place;
pub mod syntax;

mod c;
mod errors;
mod exits;
mod expression;
mod imports;
mod insert;
mod mask;
mod remove;
mod rust;
mod splice;
mod store;
mod strengthen;
mod tree;

pub use edit::{Change, Edited, Origins, can_be_made, can_reorder, edit, edited};
pub use fence::{FenceOrder, FenceText};
pub use language::{Edition, Language};
pub use order::{AccessOrder, AccessText, Reordered};
pub use place::{Place, PlaceKind, Refusal};
pub use syntax::Syntax;
