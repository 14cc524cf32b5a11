//! States of the whole program, their parts interned: what can be asked of them, and how they change
//! when a thread moves or a store reaches memory.

use std::rc::Rc;

use program::{
    EdgeId, Fault, Footprint, IndexVec, LabelId, RegisterId, ThreadId, Value, index::Idx,
};

use crate::code::Code;
use crate::intent::{Intent, intents};
use crate::interner::{Interner, Key};
use crate::limits::{Exceeded, Limits};
use crate::state::ThreadState;

/// The cells that do not hold their initial value, by increasing address.
pub(crate) type Cells = Vec<(Value, Value)>;

/// What of a thread a plain configuration shows: not the reservation and not the section.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ThreadView {
    pub(crate) label: LabelId,
    pub(crate) registers: IndexVec<RegisterId, Value>,
    pub(crate) fault: Option<Fault>,
}

/// One state of the whole program: the number of each thread's state, then that of the memory.
pub(crate) type State = Key;

/// Everything about a thread's state that is asked again and again.
#[derive(Clone, Debug)]
struct Facts {
    intents: Rc<[(EdgeId, Intent)]>,
    view: u32,
}

/// The machine that runs one program, and the parts of all states it met.
#[derive(Debug)]
pub(crate) struct Machine<'a> {
    pub(crate) code: &'a Code,
    limits: Limits,
    threads: Interner<ThreadState>,
    facts: Vec<Facts>,
    views: Interner<ThreadView>,
    memories: Interner<Cells>,
}

impl<'a> Machine<'a> {
    pub(crate) fn new(code: &'a Code, limits: &Limits) -> Self {
        Self {
            code,
            limits: *limits,
            threads: Interner::new(),
            facts: Vec::new(),
            views: Interner::new(),
            memories: Interner::new(),
        }
    }

    /// The initial state.
    pub(crate) fn initial(&mut self) -> Result<State, Exceeded> {
        let mut state = Vec::new();
        for (thread, body) in self.code.threads.enumerate() {
            state.push(self.number(ThreadState {
                thread,
                label: body.initial,
                registers: body.registers.clone(),
                fault: None,
                in_section: false,
                reservation: None,
                buffer: Vec::new(),
            })?);
        }
        state.push(self.memories.number(Cells::new()));
        Ok(state.into())
    }

    fn number(&mut self, state: ThreadState) -> Result<u32, Exceeded> {
        if state.fault.is_some_and(Fault::is_limit) {
            return Err(Exceeded::Overflow);
        }
        if state.buffer.len() > self.limits.max_length {
            return Err(Exceeded::States);
        }
        let number = self.threads.number(state);
        if self.facts.len() < self.threads.len() {
            let state = self.threads.item(number);
            let view = ThreadView {
                label: state.label,
                registers: state.registers.clone(),
                fault: state.fault,
            };
            let intents = intents(self.code, &self.limits, state)?.into();
            self.facts.push(Facts { intents, view: self.views.number(view) });
        }
        Ok(number)
    }

    /// The state of one thread.
    pub(crate) fn thread(&self, state: &State, thread: ThreadId) -> &ThreadState {
        self.threads.item(state[thread.index()])
    }

    /// What a thread would do next.
    pub(crate) fn intents(&self, state: &State, thread: ThreadId) -> Rc<[(EdgeId, Intent)]> {
        Rc::clone(&self.facts[state[thread.index()] as usize].intents)
    }

    /// The memory of a state.
    pub(crate) fn cells(&self, state: &State) -> &Cells {
        self.memories.item(state[state.len() - 1])
    }

    /// What memory holds at an address that has a cell.
    pub(crate) fn read(&self, state: &State, address: Value) -> Value {
        let cells = self.cells(state);
        match cells.binary_search_by_key(&address, |(cell, _)| *cell) {
            Ok(at) => cells[at].1,
            Err(_) => self.code.memory.cell(address).expect("intents check addresses").initial,
        }
    }

    /// Whether every buffer is empty.
    pub(crate) fn is_plain(&self, state: &State) -> bool {
        self.code.threads.indices().all(|thread| self.thread(state, thread).buffer.is_empty())
    }

    /// Whether every thread has ended, none by a fault, and every buffer is empty.
    pub(crate) fn is_final(&self, state: &State) -> bool {
        self.code.threads.enumerate().all(|(id, body)| {
            let thread = self.thread(state, id);
            thread.fault.is_none() && thread.buffer.is_empty() && body.ends_at(thread.label)
        })
    }

    /// Labels, registers, faults and memory of a state: its plain configuration, if it is plain.
    pub(crate) fn configuration(&self, state: &State) -> Key {
        let (memory, threads) = state.split_last().expect("a state has a memory");
        let views = threads.iter().map(|number| self.facts[*number as usize].view);
        views.chain([*memory]).collect()
    }

    /// Whether another thread is in a locked section.
    pub(crate) fn is_locked_out(&self, state: &State, thread: ThreadId) -> bool {
        self.code
            .threads
            .indices()
            .any(|other| other != thread && self.thread(state, other).in_section)
    }

    /// `state` with another state of one thread.
    pub(crate) fn replace(
        &mut self,
        state: &State,
        thread: ThreadState,
    ) -> Result<State, Exceeded> {
        let mut next = state.clone();
        let at = thread.thread.index();
        next[at] = self.number(thread)?;
        Ok(next)
    }

    /// A store of `writer`, already in its state after it, reaches memory.
    pub(crate) fn write(
        &mut self,
        state: &State,
        writer: ThreadState,
        (written, value): (Footprint, Value),
    ) -> Result<State, Exceeded> {
        let mut next = state.clone();
        for thread in self.code.threads.indices().filter(|other| *other != writer.thread) {
            let other = self.thread(state, thread);
            if other.reservation.is_some_and(|reserved| reserved.overlaps(written)) {
                let unreserved = ThreadState { reservation: None, ..other.clone() };
                next[thread.index()] = self.number(unreserved)?;
            }
        }
        let at = writer.thread.index();
        next[at] = self.number(writer)?;
        let mut cells = self.cells(state).clone();
        for (address, value) in written.parts(value) {
            let initial = self.code.memory.cell(address).expect("intents check addresses").initial;
            match cells.binary_search_by_key(&address, |(cell, _)| *cell) {
                Ok(at) if value == initial => _ = cells.remove(at),
                Ok(at) => cells[at].1 = value,
                Err(at) if value != initial => cells.insert(at, (address, value)),
                Err(_) => {}
            }
        }
        *next.last_mut().expect("a state has a memory") = self.memories.number(cells);
        Ok(next)
    }
}
