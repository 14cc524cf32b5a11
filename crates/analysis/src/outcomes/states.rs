//! States as short words of numbers: each different thread state, memory and lock holder has a
//! number, and a state is the numbers of its parts.

use std::collections::BTreeMap;

use indexmap::IndexSet;
use program::index::Idx;
use program::{EdgeId, IndexVec, LabelId, RegisterId, ThreadId, Value};
use rustc_hash::FxBuildHasher;

use super::machine::{Change, Machine};

/// The state of a thread, its buffer included.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Local {
    pub(crate) label: LabelId,
    /// The instruction that a fault stopped it at.
    pub(crate) stopped: Option<EdgeId>,
    pub(crate) registers: IndexVec<RegisterId, Value>,
    /// The cells that it has reserved.
    pub(super) reserved: Vec<Value>,
    /// Addresses and values, oldest first.
    pub(crate) buffer: Vec<(Value, Value)>,
    /// For each of these, whether the next one is of the same access and reaches memory with it; no more
    /// than up to the last for which that is so.
    pub(super) with_next: Vec<bool>,
}

/// The cells that do not hold their initial value.
pub(crate) type Changed = BTreeMap<Value, Value>;

/// A state to look at.
pub(crate) struct View<'a> {
    pub(crate) locals: IndexVec<ThreadId, &'a Local>,
    pub(crate) memory: &'a Changed,
    pub(crate) lock: Option<ThreadId>,
}

/// A state: the threads, the memory, and who holds the memory lock (one more than the thread).
pub(super) type State = Box<[u32]>;

/// There is no memory for a larger table.
pub(super) struct NoMemory;

/// The parts of states that have a number.
#[derive(Default)]
pub(super) struct Parts {
    locals: IndexSet<Local, FxBuildHasher>,
    memories: IndexSet<Changed, FxBuildHasher>,
    bytes: usize,
}

fn number(index: usize) -> u32 {
    u32::try_from(index).expect("fewer than 2^32 parts fit into memory")
}

impl Parts {
    pub(super) fn initial(&mut self, machine: &Machine<'_>) -> State {
        let locals: Vec<u32> =
            machine.threads.indices().map(|thread| self.local(machine.start(thread))).collect();
        let memory = self.memory(Changed::new());
        locals.into_iter().chain([memory, 0]).collect()
    }

    /// Makes room for the parts of so many states.
    pub(super) fn make_room(&mut self, states: usize) -> Result<(), NoMemory> {
        let locals = self.locals.try_reserve(states);
        locals.and_then(|()| self.memories.try_reserve(states)).map_err(|_| NoMemory)
    }

    /// About how many bytes the parts take.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn view<'a>(&'a self, state: &[u32]) -> View<'a> {
        let (locals, memory, lock) = split(state);
        View {
            locals: locals.iter().map(|local| &self.locals[*local as usize]).collect(),
            memory: &self.memories[memory as usize],
            lock: (lock as usize).checked_sub(1).map(ThreadId::new),
        }
    }

    /// The state after a change. What reaches memory ends the reservations of others.
    pub(super) fn after(&mut self, machine: &Machine<'_>, state: &[u32], change: Change) -> State {
        let Change { taken, local, written, more, lock } = change;
        let moved = taken.thread();
        let (locals, memory, _) = split(state);
        let mut next: State = state.into();
        next[moved.index()] = self.local(local);
        if let Some(first) = written {
            let written = || std::iter::once(&first).chain(&more);
            for (other, known) in locals.iter().enumerate() {
                let local = &self.locals[*known as usize];
                let ends = written().any(|(address, _)| local.reserved.contains(address));
                if other != moved.index() && ends {
                    let without = Local { reserved: Vec::new(), ..local.clone() };
                    next[other] = self.local(without);
                }
            }
            let mut cells = self.memories[memory as usize].clone();
            for (address, value) in written() {
                if machine.initial_value(*address) == *value {
                    cells.remove(address);
                } else {
                    cells.insert(*address, *value);
                }
            }
            next[locals.len()] = self.memory(cells);
        }
        next[locals.len() + 1] = lock.map_or(0, |holder| number(holder.index() + 1));
        next
    }

    fn local(&mut self, local: Local) -> u32 {
        let size = size_of::<Local>() + 24 * (local.registers.len() + 2 * local.buffer.len());
        let (index, is_new) = self.locals.insert_full(local);
        self.bytes += if is_new { size } else { 0 };
        number(index)
    }

    fn memory(&mut self, memory: Changed) -> u32 {
        let size = size_of::<Changed>() + 48 * memory.len();
        let (index, is_new) = self.memories.insert_full(memory);
        self.bytes += if is_new { size } else { 0 };
        number(index)
    }

    /// The length of the longest buffer of a state, and whose it is.
    pub(super) fn longest_buffer(&self, state: &[u32]) -> (usize, ThreadId) {
        let (locals, _, _) = split(state);
        let lengths: IndexVec<ThreadId, usize> =
            locals.iter().map(|local| self.locals[*local as usize].buffer.len()).collect();
        let longest = lengths.enumerate().max_by_key(|(_, length)| **length);
        longest.map_or((0, ThreadId::new(0)), |(thread, length)| (*length, thread))
    }

    /// What a thread's buffer holds in `later` beyond what it held in `earlier`, if nothing else
    /// differs and nothing was committed.
    pub(super) fn grown<'a>(
        &'a self,
        earlier: &[u32],
        later: &[u32],
        thread: ThreadId,
    ) -> Option<&'a [(Value, Value)]> {
        let same = |at: &usize| *at == thread.index() || earlier[*at] == later[*at];
        if !(0..earlier.len()).all(|at| same(&at)) {
            return None;
        }
        let local = |state: &[u32]| &self.locals[state[thread.index()] as usize];
        let (before, after) = (local(earlier), local(later));
        let alike = (before.label, before.stopped, &before.registers, &before.reserved)
            == (after.label, after.stopped, &after.registers, &after.reserved);
        let more = after.buffer.strip_prefix(before.buffer.as_slice())?;
        (alike && !more.is_empty()).then_some(more)
    }
}

/// The threads, the memory and the lock of a state.
fn split(state: &[u32]) -> (&[u32], u32, u32) {
    let (locals, rest) = state.split_at(state.len() - 2);
    (locals, rest[0], rest[1])
}
