//! Abstract event graphs: all executions of a program at once, as far as its shared accesses go.
//!
//! Alglave, Kroening, Nimal, Poetzl, "Don't sit on the fence" (CAV 2014), §5. A graph has functions
//! whose nodes are accesses, fences and calls, with control flow between them; classes of threads that
//! start in a function; and classes of memory that accesses may hit. Values are abstracted from. Every
//! execution of the program walks through the graph.
//!
//! We deviate from the paper in three points. Functions are not inlined: program order follows calls and
//! returns, so that recursion needs no bound and a fence in a function counts for all its callers. Loops
//! are cycles of the graph and are not unrolled twice: who looks for pairs of accesses also looks for
//! those of an access with itself. And an access has a *set* of memory classes where the paper has one
//! event for each.
//!
//! - [`graph`]: the data.
//! - [`mod@of_program`]: the graph of a program of the model, with `values` (which addresses an access may
//!   have), `dependencies` (which reads it surely depends on), `stutter` (rounds of
//!   loops that change nothing) and `locks` (those that are certainly held).
//!
//! This crate knows no language, no architecture, and no cycles.

pub mod graph;
pub mod of_program;

mod dependencies;
mod locks;
mod stutter;
mod values;
mod written;

pub use graph::{
    Access, AccessKind, Action, ClassId, Dependency, DependencyKind, Function, FunctionId, Graph,
    Instances, Location, LocationSet, MemoryId, Node, NodeId, Place, PlaceId, Side, ThreadClass,
};
pub use of_program::{At, Positions, ProgramGraph, Rounds, of_program};
pub use values::Addresses;
pub use written::{Writing, accessed, written};
