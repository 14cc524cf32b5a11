//! Random C programs of two or three threads, the same for the same seed.
//!
//! They are about what a translation can get wrong: widths and signs, places in memory and pointers to them,
//! calls, control flow, and where shared memory is accessed in between. So that all their runs can be
//! enumerated, a thread makes few accesses of shared memory; a loop makes as many as its rounds. Plain
//! accesses race: here they mean what is written. Nothing else in them is undefined in C but for signed
//! overflow, which wraps; nothing is read before it is written.

mod access;
mod expression;
mod global;
mod own;
mod statement;
mod thread;
mod waiting;

use fastrand::Rng;

use crate::source::{OBSERVABLE, Piece, Source};
use global::Globals;

/// A type of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Type {
    name: &'static str,
    bits: u32,
}

const fn integer(name: &'static str, bits: u32) -> Type {
    Type { name, bits }
}

const TYPES: [Type; 8] = [
    integer("i8", 8),
    integer("u8", 8),
    integer("i16", 16),
    integer("u16", 16),
    integer("i32", 32),
    integer("u32", 32),
    integer("i64", 64),
    integer("u64", 64),
];
const I32: Type = TYPES[4];
const U32: Type = TYPES[5];
const I64: Type = TYPES[6];

/// What can be assigned to. `@` stands for an index.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    text: String,
    ty: Type,
    is_atomic: bool,
}

impl Place {
    fn new(text: impl Into<String>, ty: Type, is_atomic: bool) -> Self {
        Self { text: text.into(), ty, is_atomic }
    }
}

/// Writes programs.
struct Generator {
    random: Rng,
    is_ordered: bool,
    globals: Globals,
    /// What the thread that is being written shares with others.
    shared: Vec<Place>,
    /// Its own variables.
    locals: Vec<Place>,
    /// How many accesses of shared memory it may still make.
    budget: usize,
    /// How often the statement that is being written is executed at most.
    rounds: usize,
    /// How many shared loads the expression that is being written may still have.
    loads: usize,
    /// How deep in statements we are, and in loops.
    depth: usize,
    loops: usize,
    /// The mutexes that are held.
    held: Vec<usize>,
    /// Whether a thread may be started by another than `main`.
    may_nest: bool,
    /// How many names were made up.
    names: usize,
    /// How many variables were made up for what is looked at in the end.
    observables: usize,
}

/// A program.
pub fn generate(seed: u64) -> Source {
    let mut generator = Generator {
        random: Rng::with_seed(seed),
        is_ordered: seed.is_multiple_of(2),
        globals: Globals::default(),
        shared: Vec::new(),
        locals: Vec::new(),
        budget: 0,
        rounds: 1,
        loads: 0,
        depth: 0,
        loops: 0,
        held: Vec::new(),
        may_nest: false,
        names: 0,
        observables: 0,
    };
    let mut pieces = global::prelude();
    pieces.extend(generator.declare_globals());
    let threads = generator.threads();
    let declared = |at| Piece::line(format!("{OBSERVABLE}{at};"));
    pieces.extend((0..generator.observables).map(declared));
    pieces.extend(threads);
    Source { pieces, is_ordered: generator.is_ordered }
}

impl Generator {
    /// True once in so many times.
    fn one_in(&mut self, times: usize) -> bool {
        self.random.usize(..times) == 0
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.random.usize(..from.len())].clone()
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn ty(&mut self) -> Type {
        self.pick(&TYPES)
    }

    fn observable(&mut self) -> String {
        self.observables += 1;
        format!("o{}", self.observables - 1)
    }

    /// Whether so many accesses of shared memory may be made here.
    fn can_afford(&self, accesses: usize) -> bool {
        accesses * self.rounds <= self.budget
    }

    fn pay(&mut self, accesses: usize) {
        self.budget = self.budget.saturating_sub(accesses * self.rounds);
    }
}
