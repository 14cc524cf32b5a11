//! Interleavings of threads, compiled for the search engine.
//!
//! A family of threads ([`Threads`]) says what one thread can do next in one of its local states,
//! and which shared *cells* that touches: at most four, read or written at once. Everything else
//! follows here, once, for whatever is explored that way:
//!
//! - **Interning** ([`build`]). Local states and contents of cells are numbered. What a step does
//!   is asked once for each local state and each combination of contents it can meet, however
//!   often the search passes there; registers, expressions and computed addresses are not seen
//!   again after that.
//! - **Packing** ([`layout`], [`table`]). A state of the whole system is the numbers of the local
//!   states and contents, in as few bits as there are numbers. A step is a mask and a table.
//! - **Learning**. Numbers are given out as the search needs them if the automata cannot be built
//!   beforehand within a small effort (unbounded counters). Should the bits not suffice, the layout
//!   is made wider and the search begins again; what was learnt stays.
//! - **Reductions**, each switchable ([`Reductions`]): local steps taken eagerly ([`eager`]),
//!   exclusive sections run through, a partial-order reduction over shared accesses
//!   ([`persistent`]), and symmetry ([`symmetry`]).
//!
//! - **Forgetting** ([`forgetting`]): what cells hold that nobody is expected to read is replaced by one content.
//!
//! Without a reduction all states are stored, but of two orders of independent steps only one is
//! looked up ([`diamonds`]).
//!
//! This crate knows nothing of programs, registers or memory models; who uses it may put store
//! buffers into local states and marks beside the values in cells.

mod build;
mod diamonds;
mod eager;
mod forgetting;
mod interference;
mod layout;
mod numbers;
mod outcomes;
mod persistent;
mod round;
mod run;
mod stuck;
mod symmetry;
mod system;
mod table;

use std::fmt::Debug;
use std::hash::Hash;

use arrayvec::ArrayVec;

pub use build::View;
pub use run::{
    Answer, Answered, Counterexample, Options, Snapshot, Statistics, search, search_all,
};

/// How a step touches a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// Its content matters and stays.
    Read,
    /// Its content does not matter and is replaced.
    Overwrite,
    /// Its content matters and may be replaced.
    Update,
}

impl Mode {
    /// Whether the content can change.
    pub const fn writes(self) -> bool {
        match self {
            Self::Read => false,
            Self::Overwrite | Self::Update => true,
        }
    }

    /// Whether the content matters.
    pub const fn reads(self) -> bool {
        match self {
            Self::Overwrite => false,
            Self::Read | Self::Update => true,
        }
    }
}

/// The most cells that a step touches.
pub const MOST_CELLS: usize = 4;

/// One thing for each cell of a step: no allocation, since there is one for whatever is asked.
pub type PerCell<X> = ArrayVec<X, MOST_CELLS>;

/// One thing a thread can do in a local state.
#[derive(Clone, Debug)]
pub struct Step<Cell, Name> {
    /// What it is called in a counterexample.
    pub name: Name,
    /// The cells it touches, all different.
    pub cells: PerCell<(Cell, Mode)>,
    /// Whether there can be contents with which it is not possible. Not asked of steps that touch
    /// no cell.
    pub may_block: bool,
    /// Whether it closes a loop of the thread's control flow: every infinite run of a thread by
    /// itself takes such steps again and again.
    pub closes_loop: bool,
}

/// What a step does.
#[derive(Clone, Debug)]
pub enum Effect<Local, Content> {
    /// Nothing: the step is not possible with these contents.
    Blocked,
    /// The thread moves on; one content for each cell of the step.
    Done(Local, PerCell<Content>),
}

/// What becomes of a thread that takes local steps at once ([`eager`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocalStep<Name> {
    /// It rests: a step touches a cell, none is possible, or somebody looks at the local state.
    Rests,
    /// It has taken the only step that is possible.
    Passed {
        /// What the step is called.
        name: Name,
        /// See [`Step::closes_loop`].
        closes_loop: bool,
    },
    /// That is to be found out by [`Threads::steps`] and [`Threads::effect`].
    Unsaid,
}

/// What is remarkable about a local state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other")]
pub struct Mark {
    /// A thread here is what is looked for. No step leaves such a local state.
    pub goal: bool,
    /// A thread that can never leave such states waits for ever.
    pub waiting: bool,
    /// [`Threads::condition`] looks at whether a thread is here.
    pub visible: bool,
    /// No other thread can touch a cell while a thread is here.
    pub exclusive: bool,
    /// Nothing that is looked for, but the answer lists all of these that were reached.
    pub noted: bool,
    /// What follows a state in which a thread is here is of no use to anybody, and is not explored.
    pub void: bool,
    /// A thread here has ended: it has no step.
    pub ended: bool,
    /// A thread here may end some time,
    pub may_end: bool,
    /// and may come to a goal. Both are asked only where ends are looked for ([`Options::ends`]).
    pub may_reach_goal: bool,
}

/// A family of threads that share cells.
pub trait Threads: Sized + Sync {
    /// What a thread knows by itself: where it is, its registers.
    type Local: Clone + Eq + Ord + Hash + Debug + Send + Sync;
    /// The name of a shared cell.
    type Cell: Copy + Eq + Ord + Hash + Debug + Send + Sync;
    /// What a cell holds.
    type Content: Clone + Eq + Ord + Hash + Debug + Send + Sync;
    /// What a step is called.
    type Name: Clone + PartialEq + Hash + Debug + Send + Sync;

    /// For each thread its class: threads of one class do the same in the same local state.
    fn classes(&self) -> Vec<usize>;

    /// Where a thread begins.
    fn initial(&self, thread: usize) -> Self::Local;

    /// What a cell holds in the beginning.
    fn initial_content(&self, cell: Self::Cell) -> Self::Content;

    /// What a thread can do in a local state.
    fn steps(&self, class: usize, local: &Self::Local) -> Vec<Step<Self::Cell, Self::Name>>;

    /// What a step does if its cells hold this (an [`Mode::Overwrite`] one: whatever).
    fn effect(
        &self,
        class: usize,
        local: &Self::Local,
        step: &Step<Self::Cell, Self::Name>,
        contents: &[&Self::Content],
    ) -> Effect<Self::Local, Self::Content>;

    /// Takes a thread on by its only possible step, if no step of the local state touches a cell and
    /// it is neither a goal nor visible. What steps and effects say is said here at once, since most
    /// local states of a thread are only passed.
    fn take_local_step(&self, _class: usize, _local: &mut Self::Local) -> LocalStep<Self::Name> {
        LocalStep::Unsaid
    }

    /// Whether a step is *private*: whatever other threads do before this thread moves, they touch none of
    /// the step's cells, but with steps whose effect does not depend on what these hold and does not change it.
    /// A thread all of whose steps are private is then a persistent set by itself ([`persistent`]). A step that may
    /// block is never private: whoever lets it go on touches its cells.
    fn is_private(
        &self,
        _class: usize,
        _local: &Self::Local,
        _step: &Step<Self::Cell, Self::Name>,
    ) -> bool {
        false
    }

    /// The object that a cell belongs to, if what it holds may be forgotten when nobody can get there
    /// ([`forgetting`]), and what it holds then. Of a step that reads such a content nothing may be known but that
    /// it leads to a local state that is noted and void. There are at most 64 objects.
    fn forgettable(&self, _cell: Self::Cell) -> Option<(u8, Self::Content)> {
        None
    }

    /// The objects that a thread may get to from a local state on without reading a cell, as bits: a guess.
    fn knows(&self, _class: usize, _local: &Self::Local) -> u64 {
        0
    }

    /// The objects that whoever reads a content gets to, as bits: a guess.
    fn leads_to(&self, _content: &Self::Content) -> u64 {
        0
    }

    /// Whether a step that is not possible with these contents would be if no other thread were in an
    /// exclusive section: a thread that cannot do anything else waits for that one.
    fn is_kept_out(
        &self,
        _class: usize,
        _local: &Self::Local,
        _step: &Step<Self::Cell, Self::Name>,
        _contents: &[&Self::Content],
    ) -> bool {
        false
    }

    /// Whether a step between two local states in which a thread waits is one that a thread which waits forever
    /// does not make, although others cannot see it.
    fn gets_further(&self, _before: &Self::Local, _after: &Self::Local) -> bool {
        false
    }

    /// Whether nobody waits any more in a state, nor in those that follow: it is then not stuck.
    fn is_over(&self, _view: &View<'_, Self>) -> bool {
        false
    }

    /// What is remarkable about a local state.
    fn mark(&self, class: usize, local: &Self::Local) -> Mark;

    /// Calls `touch` with the cells a thread may touch from a local state on: an upper bound; says
    /// whether there is one, and calls it with none otherwise. Used only where the automata are not
    /// known beforehand.
    fn may_touch(
        &self,
        class: usize,
        local: &Self::Local,
        touch: &mut dyn FnMut(Self::Cell, Mode),
    ) -> bool;

    /// Local states of one class that have the same number here may touch the same cells from there on
    /// ([`Self::may_touch`], which is then asked only once). Nothing if there is no such number.
    fn footprint_key(&self, _class: usize, _local: &Self::Local) -> Option<usize> {
        None
    }

    /// Whether there is a condition.
    fn has_condition(&self) -> bool {
        false
    }

    /// Whether a state of the whole system is what is looked for, beside marked local states; asked
    /// only if there is a condition. It may look at threads in visible local states and at visible
    /// cells, and in states where no step is possible at everything; without partial-order
    /// reduction and exclusive sections at everything that a local step does not change.
    fn condition(&self, _view: &View<'_, Self>) -> bool {
        false
    }

    /// Whether the condition is true of a state exactly if it is true of the state with two equal
    /// threads exchanged.
    fn condition_is_symmetric(&self) -> bool {
        false
    }

    /// Whether the condition is true only of states in which all threads have ended.
    fn condition_is_of_ends(&self) -> bool {
        false
    }

    /// Whether the condition looks at a cell.
    fn is_visible(&self, _cell: Self::Cell) -> bool {
        false
    }
}

/// Which reductions are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Reductions {
    /// Steps that touch no cell are taken at once.
    pub local: bool,
    /// A thread in an exclusive section runs through it.
    pub exclusive: bool,
    /// Only as many threads move as others can interfere with.
    pub persistent: bool,
    /// Of states that differ by an exchange of equal threads only one is kept.
    pub symmetry: bool,
}

impl Reductions {
    /// No reduction: every state is explored.
    pub const NONE: Self =
        Self { local: false, exclusive: false, persistent: false, symmetry: false };
    /// All reductions.
    pub const ALL: Self = Self { local: true, exclusive: true, persistent: true, symmetry: true };
}
