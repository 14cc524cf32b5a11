//! States of a program with buffers, one by one.

use std::collections::BTreeMap;

use automata::{Effect, Threads};
use program::ThreadId;
use program::index::Idx;

use super::{Act, Buffered, Local, Waiting};
use crate::sc::{Cell, Content};

/// A state by itself.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Unpacked {
    locals: Vec<Local>,
    /// The cells that somebody has touched.
    cells: BTreeMap<Cell, Content>,
}

impl Unpacked {
    pub(crate) fn initial(threads: &Buffered<'_>) -> Self {
        let of_thread = |thread: ThreadId| threads.initial(thread.index());
        let locals = threads.sc().threads().indices().map(of_thread).collect();
        Self { locals, cells: BTreeMap::new() }
    }

    /// The state after a step, if it is possible.
    pub(crate) fn after(
        &self,
        threads: &Buffered<'_>,
        (thread, act): (usize, Act),
    ) -> Option<Self> {
        let class = threads.sc().class_of(ThreadId::new(thread));
        let local = &self.locals[thread];
        let mut steps = threads.steps(class, local).into_iter();
        let step = steps.find(|step| step.name == act)?;
        let held = |cell: Cell| {
            self.cells.get(&cell).cloned().unwrap_or_else(|| threads.initial_content(cell))
        };
        let held: Vec<Content> = step.cells.iter().map(|(cell, _)| held(*cell)).collect();
        let held: Vec<&Content> = held.iter().collect();
        let Effect::Done(next, after) = threads.effect(class, local, &step, &held) else {
            return None;
        };
        let mut state = self.clone();
        state.locals[thread] = next;
        for ((cell, mode), content) in step.cells.iter().zip(after) {
            if mode.writes() && content == threads.initial_content(*cell) {
                state.cells.remove(cell);
            } else if mode.writes() {
                state.cells.insert(*cell, content);
            }
        }
        Some(state)
    }

    /// The stores of a thread that wait in `later` beyond those that wait here, if nothing else differs
    /// and nothing was committed.
    pub(crate) fn grown<'a>(&self, later: &'a Self, thread: usize) -> Option<&'a [Waiting]> {
        let (before, after) = (&self.locals[thread], &later.locals[thread]);
        let more = after.buffer.strip_prefix(before.buffer.as_slice())?;
        let mut locals = self.locals.iter().zip(&later.locals).enumerate();
        let is_alike = before.thread == after.thread
            && self.cells == later.cells
            && locals.all(|(at, (before, after))| at == thread || before == after);
        (is_alike && !more.is_empty()).then_some(more)
    }
}
