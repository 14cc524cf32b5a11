//! Choosing a run of each thread such that they may belong together.
//!
//! Every read must find a write of its value, and every write feeds at most one update: of two that read
//! from it, the one whose write comes later would have the other's write between. So what updates read is
//! counted against what is written. Threads are chosen one after the other; what those that are still
//! to come can write at most is known beforehand.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use program::{Program, Value};

use crate::enumerate::Enumeration;
use crate::limits::NoAnswer;
use crate::run::{LocalEvent, Run};
use crate::search::Progress;

/// An address with a value.
type Cell = (Value, Value);

/// How often something happens to cells.
type Counts = BTreeMap<Cell, usize>;

/// What a run needs, and what it provides.
#[derive(Clone, Debug)]
pub(crate) struct Needs {
    read: Vec<Cell>,
    updated: Counts,
    written: Counts,
}

impl Needs {
    /// Of a run with these events, of which these pairs are updates.
    pub(crate) fn of(events: &[LocalEvent], pairs: &[(usize, usize)]) -> Self {
        let mut read: Vec<Cell> = events.iter().filter_map(|local| local.event.read()).collect();
        read.sort_unstable();
        read.dedup();
        let updated = pairs.iter().filter_map(|(read, _)| events[*read].event.read());
        let written = events.iter().filter_map(|local| local.event.written());
        Self { read, updated: counted(updated), written: counted(written) }
    }
}

fn counted(cells: impl Iterator<Item = Cell>) -> Counts {
    let mut counts = Counts::new();
    for cell in cells {
        *counts.entry(cell).or_default() += 1;
    }
    counts
}

fn count(counts: &Counts, cell: Cell) -> usize {
    counts.get(&cell).copied().unwrap_or(0)
}

/// What the runs chosen so far have written, and what they need more often than that.
#[derive(Clone, Default)]
struct Balance {
    written: Counts,
    updated: Counts,
    /// What is read and not written yet.
    wanted: Vec<Cell>,
}

/// How many runs may be tried per candidate execution that may be looked at.
const TRIES: u64 = 16;

/// What is to be done with a choice.
pub(crate) type Visit<'v, 'r> = &'v mut dyn FnMut(&mut Enumeration<'_, '_>, &[&'r Run]) -> Progress;

/// The runs to choose from.
pub(crate) struct Choice<'c, 'r> {
    program: &'c Program,
    threads: &'c [Vec<&'r Run>],
    /// For each thread, how often it and those after it can write a cell at most.
    to_come: Vec<Counts>,
    /// How many may be tried, and how many were.
    most: u64,
    tried: u64,
}

impl<'c, 'r> Choice<'c, 'r> {
    pub(crate) fn new(program: &'c Program, threads: &'c [Vec<&'r Run>], most: u64) -> Self {
        let mut to_come = vec![Counts::new()];
        for runs in threads.iter().rev() {
            let mut most = Counts::new();
            for (cell, number) in runs.iter().flat_map(|run| &run.needs.written) {
                let known: &mut usize = most.entry(*cell).or_default();
                *known = (*known).max(*number);
            }
            for (cell, number) in to_come.last().into_iter().flatten() {
                *most.entry(*cell).or_default() += number;
            }
            to_come.push(most);
        }
        to_come.reverse();
        Self { program, threads, to_come, most: most.saturating_mul(TRIES), tried: 0 }
    }

    /// Shows every choice.
    pub(crate) fn visit(
        &mut self,
        all: &mut Enumeration<'_, '_>,
        visit: Visit<'_, 'r>,
    ) -> Progress {
        self.choose(&mut Vec::new(), &Balance::default(), all, visit)
    }

    fn choose(
        &mut self,
        chosen: &mut Vec<&'r Run>,
        balance: &Balance,
        all: &mut Enumeration<'_, '_>,
        visit: Visit<'_, 'r>,
    ) -> Progress {
        all.budget.step()?;
        let at = chosen.len();
        if at == self.threads.len() {
            return visit(all, chosen);
        }
        for number in 0..self.threads[at].len() {
            // There can be very many that do not fit.
            self.tried += 1;
            if self.tried > self.most {
                return Err(NoAnswer::TooManyExecutions);
            }
            if self.tried.is_multiple_of(1024) {
                all.budget.step()?;
            }
            let Some(next) = self.balanced(at, number, balance) else { continue };
            chosen.push(self.threads[at][number]);
            let progress = self.choose(chosen, &next, all, visit)?;
            chosen.pop();
            if progress.is_break() {
                return Ok(progress);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The balance with one more run, unless something is needed that nobody can provide.
    fn balanced(&self, at: usize, number: usize, balance: &Balance) -> Option<Balance> {
        let entry = &self.threads[at][number].needs;
        let to_come = &self.to_come[at + 1];
        let initial = |cell: Cell| usize::from(is_initial(self.program, cell));
        let written =
            |cell| count(&balance.written, cell) + count(&entry.written, cell) + initial(cell);
        let is_missing = |cell: Cell| written(cell) == 0;
        let is_hopeless = |cell: Cell| is_missing(cell) && count(to_come, cell) == 0;
        if balance.wanted.iter().chain(&entry.read).any(|cell| is_hopeless(*cell)) {
            return None;
        }
        let updated = |cell| count(&balance.updated, cell) + count(&entry.updated, cell);
        let is_fed = |cell: Cell| updated(cell) <= written(cell) + count(to_come, cell);
        if !balance.updated.keys().chain(entry.updated.keys()).all(|cell| is_fed(*cell)) {
            return None;
        }
        let mut next = balance.clone();
        next.wanted.extend(&entry.read);
        next.wanted.retain(|cell| is_missing(*cell));
        for (cell, number) in &entry.written {
            *next.written.entry(*cell).or_default() += number;
        }
        for (cell, number) in &entry.updated {
            *next.updated.entry(*cell).or_default() += number;
        }
        Some(next)
    }
}

/// Whether a cell holds a value from the start.
pub(crate) fn is_initial(program: &Program, (address, value): Cell) -> bool {
    program.memory().cell(address).is_ok_and(|cell| cell.initial == value)
}
