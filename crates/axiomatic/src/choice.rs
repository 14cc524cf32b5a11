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
use crate::run::Run;
use crate::search::Progress;

/// An address with a value.
type Cell = (Value, Value);

/// How often something happens to cells.
type Counts = BTreeMap<Cell, usize>;

/// What a run needs, and what it provides.
struct Entry<'r> {
    run: &'r Run,
    read: Vec<Cell>,
    updated: Counts,
    written: Counts,
}

impl<'r> Entry<'r> {
    fn of(run: &'r Run) -> Self {
        let mut read: Vec<Cell> = run.read().collect();
        read.sort_unstable();
        read.dedup();
        let updated = run.pairs.iter().filter_map(|(read, _)| run.events[*read].event.read());
        Self { run, read, updated: counted(updated), written: counted(run.written()) }
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

/// What is to be done with a choice.
pub(crate) type Visit<'v, 'r> = &'v mut dyn FnMut(&mut Enumeration<'_, '_>, &[&'r Run]) -> Progress;

/// The runs to choose from.
pub(crate) struct Choice<'p, 'r> {
    program: &'p Program,
    threads: Vec<Vec<Entry<'r>>>,
    /// For each thread, how often it and those after it can write a cell at most.
    to_come: Vec<Counts>,
    most: u64,
    taken: u64,
}

impl<'p, 'r> Choice<'p, 'r> {
    pub(crate) fn new(program: &'p Program, choices: &[Vec<&'r Run>], most: u64) -> Self {
        let entries = |runs: &Vec<&'r Run>| runs.iter().map(|run| Entry::of(run)).collect();
        let threads: Vec<Vec<Entry<'r>>> = choices.iter().map(entries).collect();
        let mut to_come = vec![Counts::new()];
        for runs in threads.iter().rev() {
            let mut most = Counts::new();
            for (cell, number) in runs.iter().flat_map(|entry| &entry.written) {
                let known: &mut usize = most.entry(*cell).or_default();
                *known = (*known).max(*number);
            }
            for (cell, number) in to_come.last().into_iter().flatten() {
                *most.entry(*cell).or_default() += number;
            }
            to_come.push(most);
        }
        to_come.reverse();
        Self { program, threads, to_come, most, taken: 0 }
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
            self.taken += 1;
            if self.taken > self.most {
                return Err(NoAnswer::TooManyExecutions);
            }
            return visit(all, chosen);
        }
        for number in 0..self.threads[at].len() {
            // There can be very many that do not fit.
            if number % 1024 == 1023 {
                all.budget.step()?;
            }
            let Some(next) = self.balanced(at, number, balance) else { continue };
            chosen.push(self.threads[at][number].run);
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
        let entry = &self.threads[at][number];
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
