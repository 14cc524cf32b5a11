//! Whole-program facts from LLVM modules, without inlining and without executing, and the abstract event
//! graph (CAV'14 §5) that is made of them.
//!
//! Modules are linked by symbol. [`pointers`] finds what every value may point to, and so which functions
//! are called; [`access`] and [`code`] what happens at every instruction; [`threads`] which threads there are
//! and which may run beside which; [`locks`] what is certainly held; [`locations`] what is shared;
//! [`dependencies`] what accesses depend on; [`graph`] puts it together. What library functions do is the
//! table of [`linkage::effects`]; what is in no table may do anything with what it can reach.
//!
//! Where CAV'14 inlines all calls, functions stay functions here: small ones have an instance per call, and
//! recursion needs no bound. Everything errs on the side of more: more targets, more sharing, more threads;
//! dependencies, locks that are held and code that runs alone err on the side of less.
//!
//! This crate starts no compiler, reads no files, explores nothing and knows no architecture.

mod access;
mod asm;
mod bits;
mod cells;
mod code;
mod constants;
mod dependencies;
mod facts;
mod flow;
mod graph;
mod instructions;
mod library;
mod locations;
mod locks;
mod object;
mod pointers;
mod roots;
mod shape;
mod solver;
mod steps;
mod subscripts;
mod threads;

pub use crate::facts::{
    Facts, Options, Thread, ThreadArgument, ThreadEntry, events_and_small, events_of,
};
pub use crate::pointers::Small;
