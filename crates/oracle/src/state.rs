//! States and actions of the two machines.
//!
//! A state is that of ESOP'13 §2 (labels, valuation, buffers) with three things more: which
//! threads a fault stopped, who is in a locked section, and which reservations stand. Under SC
//! every buffer is empty.

use program::{EdgeId, Fault, Footprint, IndexVec, LabelId, RegisterId, ThreadId, Value};

/// The memory model of a computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryModel {
    /// Sequential consistency: a store reaches memory as it is issued.
    Sc,
    /// Total store order: a store waits in its thread's buffer, first in, first out.
    Tso,
}

/// The state of one thread, its buffer included.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ThreadState {
    pub(crate) thread: ThreadId,
    pub(crate) label: LabelId,
    pub(crate) registers: IndexVec<RegisterId, Value>,
    pub(crate) fault: Option<Fault>,
    pub(crate) in_section: bool,
    pub(crate) reservation: Option<Footprint>,
    /// Stores with what they write, the oldest first.
    pub(crate) buffer: Vec<(Footprint, Value)>,
}

/// What an action did, as far as anything but its thread's registers shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Effect {
    /// Nothing. Also fences, both ends of a locked section, and exclusive stores that fail.
    Internal {
        /// The value assigned: a choice is not determined by the edge.
        assigned: Option<Value>,
    },
    /// The thread stopped without touching memory.
    Stop(Fault),
    /// A value was read, from the thread's own buffer if `early`; the thread may have stopped
    /// because it had no room for it.
    Read { address: Value, value: Value, early: bool, fault: Option<Fault> },
    /// A store entered the buffer.
    Issue { address: Value, value: Value },
    /// The oldest store of the buffer reached memory.
    Drain { address: Value, value: Value },
    /// A store reached memory at once.
    Write { address: Value, value: Value },
    /// A value was read and another written in one step.
    ReadWrite { address: Value, read: Value, written: Value },
}

/// An action: a thread took an edge, or (without an edge) its oldest store reached memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Action {
    pub(crate) thread: ThreadId,
    pub(crate) edge: Option<EdgeId>,
    pub(crate) effect: Effect,
}
