//! Moves, and the actions they perform.
//!
//! A *move* is a decision of the scheduler; an *action* is what an observer sees of it, the label
//! of a transition in the ESOP'13 paper (there: ACT). The two differ because one move can show
//! two actions (a store under SC is issued and reaches memory at once) and because the choice made
//! inside an instruction is not part of the paper's labels.

use std::fmt;

use program::{EdgeId, Fault, FenceKind, ThreadId, Value};

/// A memory model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Model {
    /// Sequential consistency: a store reaches memory when it is executed.
    Sc,
    /// Total store ordering: a store waits in the first-in-first-out buffer of its thread.
    Tso,
}

/// One decision of the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Move {
    /// A thread executes an edge that leaves its label.
    Execute {
        /// The thread.
        thread: ThreadId,
        /// The edge.
        edge: EdgeId,
        /// What is decided inside the instruction.
        choice: Choice,
    },
    /// The oldest buffered store of a thread reaches memory.
    Commit {
        /// The thread.
        thread: ThreadId,
    },
}

impl Move {
    /// The thread that moves.
    pub const fn thread(self) -> ThreadId {
        match self {
            Self::Execute { thread, .. } | Self::Commit { thread } => thread,
        }
    }
}

/// What is decided inside one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Choice {
    /// Nothing: the state determines what the instruction does.
    Determined,
    /// The value of a nondeterministic assignment.
    Value(Value),
    /// An exclusive store succeeds.
    Succeed,
    /// An exclusive store fails.
    Fail,
}

/// Enabled moves. A nondeterministic assignment can have 2⁶⁴ values, so it is offered as a whole
/// and listed only on request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Offer {
    /// One move.
    One(Move),
    /// A nondeterministic assignment: one move for each value from `low` to `high`.
    AnyValue {
        /// The thread.
        thread: ThreadId,
        /// The edge.
        edge: EdgeId,
        /// The least value.
        low: Value,
        /// The greatest value.
        high: Value,
    },
}

impl Offer {
    /// The moves offered, one after the other.
    pub fn moves(self) -> impl Iterator<Item = Move> {
        let (one, values) = match self {
            Self::One(taken) => (Some(taken), None),
            Self::AnyValue { thread, edge, low, high } => {
                let with =
                    move |value| Move::Execute { thread, edge, choice: Choice::Value(value) };
                (None, Some((low..=high).map(with)))
            }
        };
        one.into_iter().chain(values.into_iter().flatten())
    }

    /// The thread that would move.
    pub const fn thread(self) -> ThreadId {
        match self {
            Self::One(taken) => taken.thread(),
            Self::AnyValue { thread, .. } => thread,
        }
    }
}

/// What an observer sees of a move. The thread is that of the move.
///
/// The paper's issue carries no data, since a trace takes it from the store that follows; ours
/// shows address and value so that a computation can be read from the front. The paper has no
/// locked instructions and no faults, and sees a fence as local.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// A step that concerns the thread alone.
    Local,
    /// A store is executed: it enters the buffer.
    Issue {
        /// The address.
        address: Value,
        /// The value.
        value: Value,
    },
    /// The oldest buffered store leaves the buffer and reaches memory.
    Store {
        /// The address.
        address: Value,
        /// The value.
        value: Value,
    },
    /// A load, from the buffer or from memory.
    Load {
        /// The address.
        address: Value,
        /// The value read.
        value: Value,
    },
    /// A fence.
    Fence(FenceKind),
    /// One access that reads memory, writes memory, or both at once, past an empty buffer: an
    /// update (a failed compare-and-swap only reads), a `seq_cst` store (only writes; what the
    /// exchange reads nobody uses), an exclusive store (writes, or nothing if it fails).
    Locked {
        /// The address.
        address: Value,
        /// The value read.
        read: Option<Value>,
        /// The value written.
        written: Option<Value>,
    },
    /// The memory lock is taken.
    Lock,
    /// The memory lock is given back.
    Unlock,
    /// The thread stops. What it read on the way is an action of its own before this one.
    Fault(Fault),
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local => write!(f, "local step"),
            Self::Issue { address, value } => write!(f, "issue mem[{address}] := {value}"),
            Self::Store { address, value } => write!(f, "store mem[{address}] := {value}"),
            Self::Load { address, value } => write!(f, "load mem[{address}] = {value}"),
            Self::Fence(kind) => write!(f, "fence {kind:?}"),
            Self::Locked { address, read, written } => {
                write!(f, "locked mem[{address}]")?;
                if let Some(read) = read {
                    write!(f, " = {read}")?;
                }
                match written {
                    Some(written) => write!(f, " := {written}"),
                    None => write!(f, " not written"),
                }
            }
            Self::Lock => write!(f, "lock memory"),
            Self::Unlock => write!(f, "unlock memory"),
            Self::Fault(fault) => write!(f, "fault: {fault}"),
        }
    }
}

/// Why a move cannot be made in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NotEnabled {
    /// The program has no such thread.
    UnknownThread,
    /// The thread has no such edge.
    UnknownEdge,
    /// The edge does not leave the label where the thread is.
    NotHere,
    /// A fault has stopped the thread.
    Stopped,
    /// The choice is none that the instruction leaves open.
    ChoiceDoesNotFit,
    /// The instruction waits until the thread's buffer is empty.
    BufferNotEmpty,
    /// There is no buffered store to commit.
    BufferEmpty,
    /// Another thread holds the memory lock.
    MemoryLocked {
        /// The thread that holds it.
        by: ThreadId,
    },
    /// The condition of an assumption is false.
    AssumptionFalse,
    /// A blocking update reads another value than it waits for.
    OtherValue {
        /// The value read.
        read: Value,
        /// The value waited for.
        expected: Value,
    },
    /// An exclusive store cannot succeed: the thread has no reservation of the address.
    NoReservation,
}

impl fmt::Display for NotEnabled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownThread => write!(f, "there is no such thread"),
            Self::UnknownEdge => write!(f, "the thread has no such edge"),
            Self::NotHere => write!(f, "the thread is not at the label that the edge leaves"),
            Self::Stopped => write!(f, "a fault has stopped the thread"),
            Self::ChoiceDoesNotFit => write!(f, "the instruction leaves no such choice open"),
            Self::BufferNotEmpty => write!(f, "the thread's store buffer is not empty"),
            Self::BufferEmpty => write!(f, "the thread's store buffer is empty"),
            Self::MemoryLocked { by } => write!(f, "thread {by:?} holds the memory lock"),
            Self::AssumptionFalse => write!(f, "the assumption is false"),
            Self::OtherValue { read, expected } => {
                write!(f, "the value read is {read} and not {expected}")
            }
            Self::NoReservation => write!(f, "the thread has no reservation of the address"),
        }
    }
}
