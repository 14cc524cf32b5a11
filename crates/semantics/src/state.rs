//! States: the triples (pc, val, buf) of the ESOP'13 paper, Section 2.
//!
//! Added are what locked instructions need (who holds the memory lock, what each thread has
//! reserved) and that a thread can be stopped by a fault. An SC state is a TSO state with empty
//! buffers.

use std::collections::{BTreeMap, VecDeque};

use program::{EdgeId, Fault, IndexVec, LabelId, RegisterId, ThreadId, Value};

/// Where a thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Control {
    /// At a label.
    At(LabelId),
    /// Stopped for ever by a fault. Its buffer still drains. A thread that held the memory lock
    /// keeps it, and then nobody else reaches memory again: a processor that dies with the bus
    /// locked takes the machine with it.
    Stopped {
        /// The edge that could not complete.
        edge: EdgeId,
        /// Why.
        fault: Fault,
    },
}

/// A buffered store to one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Write {
    /// The address, always that of a cell.
    pub address: Value,
    /// The value, always one that the cell can hold.
    pub value: Value,
    /// Whether the next one is of the same store, so that both reach memory together.
    pub with_next: bool,
}

/// The state of one thread.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadState {
    pub(crate) control: Control,
    pub(crate) registers: IndexVec<RegisterId, Value>,
    pub(crate) buffer: VecDeque<Write>,
    pub(crate) reservation: Vec<Value>,
}

impl ThreadState {
    /// Where it is.
    pub const fn control(&self) -> Control {
        self.control
    }

    /// The values of its registers.
    pub const fn registers(&self) -> &IndexVec<RegisterId, Value> {
        &self.registers
    }

    /// Its buffered stores, oldest first.
    pub const fn buffer(&self) -> &VecDeque<Write> {
        &self.buffer
    }

    /// The cells that its last exclusive load reserved, if the reservation stands; none otherwise.
    pub fn reservation(&self) -> &[Value] {
        &self.reservation
    }
}

/// The state of a program. Only a [`Machine`](crate::Machine) makes one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    pub(crate) threads: IndexVec<ThreadId, ThreadState>,
    /// The cells that differ from their initial value, and only those, so that equal memories are
    /// equal maps.
    pub(crate) memory: BTreeMap<Value, Value>,
    pub(crate) lock: Option<ThreadId>,
}

impl State {
    /// The states of the threads.
    pub const fn threads(&self) -> &IndexVec<ThreadId, ThreadState> {
        &self.threads
    }

    /// The state of one thread.
    pub fn thread(&self, thread: ThreadId) -> &ThreadState {
        &self.threads[thread]
    }

    /// The memory cells that differ from their initial value.
    pub const fn changed_memory(&self) -> &BTreeMap<Value, Value> {
        &self.memory
    }

    /// The thread that holds the memory lock.
    pub const fn lock_holder(&self) -> Option<ThreadId> {
        self.lock
    }

    /// Whether no store is waiting in a buffer.
    pub fn buffers_are_empty(&self) -> bool {
        self.threads.iter().all(|thread| thread.buffer.is_empty())
    }
}
