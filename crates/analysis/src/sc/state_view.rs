//! States of a program under SC, packed by the engine or one by one.

use std::collections::BTreeMap;

use automata::{Effect, Threads, View};
use program::ThreadId;
use program::index::Idx;

use super::{Cell, Content, Local, Name, Sc};

/// A state, as far as somebody looks at it.
pub(crate) trait StateView {
    /// The local state of a thread.
    fn local(&self, thread: ThreadId) -> &Local;

    /// What a cell holds; nothing if nobody has touched it.
    fn content(&self, cell: Cell) -> Option<&Content>;
}

impl StateView for View<'_, Sc<'_>> {
    fn local(&self, thread: ThreadId) -> &Local {
        Self::local(self, thread.index())
    }

    fn content(&self, cell: Cell) -> Option<&Content> {
        Self::content(self, cell)
    }
}

/// A state by itself.
pub(crate) struct Unpacked {
    locals: Vec<Local>,
    cells: BTreeMap<Cell, Content>,
}

impl StateView for Unpacked {
    fn local(&self, thread: ThreadId) -> &Local {
        &self.locals[thread.index()]
    }

    fn content(&self, cell: Cell) -> Option<&Content> {
        self.cells.get(&cell)
    }
}

impl Sc<'_> {
    /// The state that these steps lead to; nothing if they are not possible.
    pub(crate) fn after(&self, steps: &[(usize, Name)]) -> Option<Unpacked> {
        let locals = self.threads.indices().map(|thread| self.initial(thread.index()));
        let mut state = Unpacked { locals: locals.collect(), cells: BTreeMap::new() };
        for (thread, name) in steps {
            let class = self.class_of(ThreadId::new(*thread));
            let local = &state.locals[*thread];
            let step = self.steps(class, local).into_iter().find(|step| step.name == *name)?;
            let content = |cell: Cell| {
                state.cells.get(&cell).cloned().unwrap_or_else(|| self.initial_content(cell))
            };
            let held: Vec<Content> = step.cells.iter().map(|(cell, _)| content(*cell)).collect();
            let held: Vec<&Content> = held.iter().collect();
            let Effect::Done(next, after) = self.effect(class, local, &step, &held) else {
                return None;
            };
            for ((cell, mode), content) in step.cells.iter().zip(after) {
                if mode.writes() {
                    state.cells.insert(*cell, content);
                }
            }
            state.locals[*thread] = next;
        }
        Some(state)
    }
}
