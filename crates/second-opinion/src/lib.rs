//! For tests only: a second route from a C program to its final states under SC and TSO, and programs to
//! compare it with the first on.
//!
//! The first route reads LLVM IR, translates threads into automata over cells and registers, and explores
//! these. This one has a compiler make x86-64 assembly of the same text, without optimisation, and explores
//! what a processor does with it: bytes, registers, flags, stacks, store buffers. They share no code: of the
//! project this crate knows nothing at all, and what it believes of a language is in the compiler.
//!
//! - [`Program::runs`]: the ends of all runs of a program.
//! - [`mod@generate`]: random programs of two or three threads, the same for the same seed.
//! - [`generate_pair`]: the same in C and in Rust, so that Rust has a second opinion too.
//! - [`Source::shrunk`]: a program without parts of it, for reports.

mod assembly;
mod compile;
mod explore;
mod generate;
mod machine;
mod pair;
mod source;

use std::collections::BTreeSet;

pub use compile::Compiler;
pub use generate::generate;
pub use pair::generate_pair;
pub use source::Source;

/// How memory behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// Sequential consistency: a store is in memory at once.
    Sc,
    /// x86-TSO: stores wait in a buffer of each thread.
    Tso,
}

/// How a run ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// All threads have ended, with these values.
    Seen(Vec<i64>),
    /// An assertion failed, or the program aborted.
    Failed,
}

/// All runs of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runs {
    /// How they end.
    pub ends: BTreeSet<End>,
    /// Whether there is one in which nobody gets any further.
    pub deadlocks: bool,
    /// How many states they have.
    pub states: usize,
}

/// Why runs are not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// There are too many states.
    TooLarge,
    /// The program does not compile, does what has no meaning, or needs what is not known here.
    Wrong(String),
}

/// A C program, compiled.
#[derive(Debug)]
pub struct Program(assembly::Image);

impl Program {
    /// Has a compiler make assembly of a text, and reads it.
    pub fn compile(text: &str, compiler: Compiler) -> Result<Self, Problem> {
        let assembly = compiler.assembly(text)?;
        assembly::parse(&assembly).map(Self).map_err(Problem::Wrong)
    }

    /// All runs, by so many states at most; `observables` are names of global variables of eight bytes.
    pub fn runs(
        &self,
        model: Model,
        observables: &[String],
        most_states: usize,
    ) -> Result<Runs, Problem> {
        explore::explore(&self.0, model, observables, most_states)
    }
}
