//! Events: what the instructions of an execution do to memory, and the fences between them.

use program::{EdgeId, FenceKind, Order, ThreadId, Value};

/// What an event does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Reads a value.
    Read {
        /// The address read.
        address: Value,
        /// The value read.
        value: Value,
    },
    /// Writes a value.
    Write {
        /// The address written.
        address: Value,
        /// The value written.
        value: Value,
    },
    /// A fence.
    Fence(FenceKind),
    /// An exclusive store that failed: it touches no memory, though on a machine with store
    /// buffers it waits for them.
    FailedExclusive,
}

/// Which kind of instruction an event belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The initial value of a memory cell.
    Initial,
    /// A load, a store or a fence.
    Ordinary,
    /// An exclusive load or store.
    Exclusive,
    /// An atomic read-modify-write.
    Update {
        /// Whether a register receives the value read.
        keeps_result: bool,
    },
}

/// An event of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// Whose it is; nobody's for initial values.
    pub thread: Option<ThreadId>,
    /// The instruction that makes it.
    pub edge: Option<EdgeId>,
    /// What it does.
    pub effect: Effect,
    /// The order of the access.
    pub order: Order,
    /// The kind of instruction.
    pub origin: Origin,
}

impl Event {
    /// The initial write to a cell.
    pub(crate) const fn initial(address: Value, value: Value) -> Self {
        Self {
            thread: None,
            edge: None,
            effect: Effect::Write { address, value },
            order: Order::Plain,
            origin: Origin::Initial,
        }
    }

    /// The address it accesses, if it accesses memory.
    pub const fn address(&self) -> Option<Value> {
        match self.effect {
            Effect::Read { address, .. } | Effect::Write { address, .. } => Some(address),
            Effect::Fence(_) | Effect::FailedExclusive => None,
        }
    }

    /// The address and the value, if it reads.
    pub const fn read(&self) -> Option<(Value, Value)> {
        match self.effect {
            Effect::Read { address, value } => Some((address, value)),
            Effect::Write { .. } | Effect::Fence(_) | Effect::FailedExclusive => None,
        }
    }

    /// The address and the value, if it writes.
    pub const fn written(&self) -> Option<(Value, Value)> {
        match self.effect {
            Effect::Write { address, value } => Some((address, value)),
            Effect::Read { .. } | Effect::Fence(_) | Effect::FailedExclusive => None,
        }
    }

    /// Whether it belongs to an atomic read-modify-write.
    pub const fn is_update(&self) -> bool {
        match self.origin {
            Origin::Update { .. } => true,
            Origin::Initial | Origin::Ordinary | Origin::Exclusive => false,
        }
    }

    /// Whether it belongs to an exclusive load or store.
    pub const fn is_exclusive(&self) -> bool {
        match self.origin {
            Origin::Exclusive => true,
            Origin::Initial | Origin::Ordinary | Origin::Update { .. } => false,
        }
    }
}
