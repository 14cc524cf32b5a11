//! Threads as they run under SC, or under TSO with their store buffers, for what is asked of the states of both.
//!
//! *Goals under TSO* are asked of states with empty buffers. Of the threads that a goal does not name that is no
//! condition: let one of them have stores in its buffer in the end, and leave out of the run the first of these and all
//! that the thread did afterwards. None of it touched memory, since buffers are first in, first out, and what
//! drains a buffer was not possible. So the rest is a run to the same memory, in which that buffer is empty. A goal is
//! therefore a question of coverability under TSO as well: the threads that it names are where it says, with empty buffers.
//!
//! *Final states* have empty buffers because a thread has ended only when its own is ([`automata::Mark`]).

use automata::Threads;
use program::{Memory, Program, Value};
use semantics::Model;

use super::named::Holding;
use crate::buffers::growth::may_grow;
use crate::buffers::{self, Buffered, Goal};
use crate::sc::{self, Block, Cell, Content, Look, Sc};
use crate::verdict::{Options, Reason};

/// The most stores of one thread that wait where buffers may grow.
const MOST_WAITING: usize = 4;

/// The threads of a program under a model.
pub(super) trait Running: Holding + Threads<Cell = Cell, Content = Content> {
    /// The memory of the program.
    fn memory(&self) -> &Memory;

    /// The cells that are one with that at an address.
    fn block(&self, address: Value) -> Block;

    /// A thread without its buffer.
    fn thread(local: &Self::Local) -> &sc::Local;

    /// Whether no store waits.
    fn is_plain(local: &Self::Local) -> bool;

    /// Why a thread was not followed any further.
    fn stopped_by(&self, class: usize, local: &Self::Local) -> Reason;
}

impl Running for Sc<'_> {
    fn memory(&self) -> &Memory {
        self.program().memory()
    }

    fn block(&self, address: Value) -> Block {
        Sc::block(self, address)
    }

    fn thread(local: &sc::Local) -> &sc::Local {
        local
    }

    fn is_plain(_: &sc::Local) -> bool {
        true
    }

    fn stopped_by(&self, class: usize, local: &sc::Local) -> Reason {
        Sc::stopped_by(self, class, local)
    }
}

impl Running for Buffered<'_> {
    fn memory(&self) -> &Memory {
        self.sc().program().memory()
    }

    fn block(&self, address: Value) -> Block {
        self.sc().block(address)
    }

    fn thread(local: &buffers::Local) -> &sc::Local {
        &local.thread
    }

    fn is_plain(local: &buffers::Local) -> bool {
        local.buffer.is_empty()
    }

    fn stopped_by(&self, class: usize, local: &buffers::Local) -> Reason {
        if local.is_beyond {
            let template = self.sc().program().template(self.sc().template_of(class));
            return Reason::BufferGrows { thread: template.name().to_owned() };
        }
        self.sc().stopped_by(class, &local.thread)
    }
}

/// What is looked at, which says where a thread must be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// Errors, wherever buffers are,
    Errors,
    /// states with empty buffers on the way,
    States,
    /// or in the end: final states and deadlocks.
    Ends,
}

/// A program under TSO: a thread with its buffer is one local state ([`crate::buffers`]), and there are finitely many
/// unless a buffer can become long.
pub(super) fn under_tso<'p>(
    program: &'p Program,
    look: Look<'p>,
    seen: Seen,
    options: &Options,
) -> Buffered<'p> {
    let bound = if may_grow(program, Model::Tso) { MOST_WAITING } else { usize::MAX };
    let looks = seen != Seen::Errors;
    // Which states these are is said by targets of the net.
    let condition: Option<Box<buffers::Condition<'p>>> =
        if looks { Some(Box::new(|_, _| true)) } else { None };
    let goal = Goal { condition, is_of_ends: seen == Seen::Ends, ..Goal::default() };
    let how = (options.reductions.local_steps, bound);
    Buffered::new(program, Model::Tso, (look, goal), how).expect("it is definite")
}
