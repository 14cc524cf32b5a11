//! Which values a memory cell can hold: a fixpoint.
//!
//! A read is guessed among what its own thread wrote last to its cell, or the initial value if there
//! is no such write, and the values that some run of another thread writes there, where the reads of
//! that run were guessed likewise. (Every model is coherent, so nothing else can be read.)
//!
//! In an execution that any of the models allows, what a write writes comes, through dependencies
//! and `rf`, from writes that precede it in an order, so never from itself. Two things follow. All
//! values are found in as many rounds as there are writes, also where there is no fixpoint. And a run
//! in which a write depends on a value that cannot have come about without that same write is no run;
//! so each value is kept together with the writes that all ways to it have in common
//! (`x = y + 1 ∥ y = x + 1` ends with 2, not with as many values as there are rounds).
//!
//! Every model is coherent as well: what a thread read or wrote in a cell precedes, in the order of all
//! writes to the cell, what it writes there later. So each value is also kept with the writes to its
//! cell that precede it on all ways. If one of them is of the reader, who has not come to it yet, the
//! value is not read: an exchange that lets others go on does not read what they then write.
//!
//! *That leaves out no read of an execution.* Take the writes of the execution in the order above,
//! to which belongs in all models that a write follows the reads that addresses of its thread before it
//! come from. Each is found in a run where the reads that it depends on, and those addresses, return
//! what they return in the execution, and all others what the thread would see if it were alone. That run
//! goes the same way and accesses the same cells, though an update that writes in one may not in the
//! other. What precedes the write there are writes of the execution that precede it, and updates of
//! threads that come to such a write later. If a read is left out because of either, its thread comes
//! later to a write of the cell that precedes the one it reads; and that is not coherent.

use std::collections::BTreeMap;

use program::{EdgeId, IndexVec, Program, Target, Thread, ThreadId, Value};

use crate::limits::{Budget, NoAnswer};
use crate::relation::EventSet;
use crate::run::{Run, runs};
use crate::shape;

/// Sets of instructions that write, numbered over all threads. Those that have no number because
/// there are too many are in no set.
pub(crate) type WriteSet = EventSet;

/// What writes a value necessarily has to do with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Past {
    /// Those that it comes from, its own included.
    pub(crate) sources: WriteSet,
    /// Those to the same cell that precede it, its own included.
    pub(crate) before: WriteSet,
}

impl Past {
    /// What a value that came about in one way or the other has to do with.
    pub(crate) fn either(self, other: Self) -> Self {
        Self { sources: self.sources & other.sources, before: self.before & other.before }
    }
}

/// A write across cells as a whole: who makes it, which cells it covers, and what it writes to all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Whole {
    pub(crate) edge: EdgeId,
    pub(crate) times: usize,
    /// The first cell and the last.
    pub(crate) cells: (Value, Value),
    pub(crate) value: Value,
}

impl Whole {
    /// Whether it writes to both of these cells.
    pub(crate) fn covers(self, one: Value, other: Value) -> bool {
        let (first, last) = self.cells;
        [one, other].iter().all(|cell| (first..=last).contains(cell))
    }
}

/// Something that a run writes to a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Written {
    pub(crate) address: Value,
    pub(crate) value: Value,
    pub(crate) whole: Option<Whole>,
    pub(crate) past: Past,
}

/// A value with its writer, and the write if it lies across cells.
type Writing = (Value, ThreadId, Option<Whole>);

/// The values written to each address so far.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    /// For each address what was written there, and what that has to do with.
    written: BTreeMap<Value, BTreeMap<Writing, Past>>,
    /// The numbers of the instructions that write, each with how often it was taken before.
    numbers: BTreeMap<(ThreadId, EdgeId, usize), usize>,
}

impl Values {
    fn new(task: &Task<'_>, threads: &IndexVec<ThreadId, Thread>) -> Self {
        let mut writing = Vec::new();
        for (id, thread) in threads.enumerate() {
            let template = task.program.template(thread.template);
            let in_loops = shape::edges_in_loops(template);
            for (edge, taken) in template.edges().enumerate() {
                if shape::can_write(&taken.instruction) {
                    writing.push((id, edge, in_loops[edge]));
                }
            }
        }
        // First what happens anyway, then what loops repeat.
        let once = writing.iter().map(|(id, edge, _)| (*id, *edge, 0));
        let repeated = (1..=task.unroll).flat_map(|time| {
            let again = writing.iter().filter(|(_, _, in_loop)| *in_loop);
            again.map(move |(id, edge, _)| (*id, *edge, time))
        });
        let numbers = once.chain(repeated).take(EventSet::MAX_EVENTS).zip(0..).collect();
        Self { written: BTreeMap::new(), numbers }
    }

    /// A set with an instruction alone, taken once more than so many times.
    pub(crate) fn only(&self, thread: ThreadId, edge: EdgeId, times: usize) -> WriteSet {
        let number = self.numbers.get(&(thread, edge, times));
        number.map_or(WriteSet::EMPTY, |number| WriteSet::only(*number))
    }

    /// The instructions of a thread.
    pub(crate) fn of(&self, thread: ThreadId) -> WriteSet {
        let own = self.numbers.iter().filter(|((of, _, _), _)| *of == thread);
        own.map(|(_, number)| *number).collect()
    }

    /// What a thread can read at an address: what it would see if it were alone, and what others
    /// write there, but not after a write of its own that is yet to come.
    pub(crate) fn at(
        &self,
        address: Value,
        reader: ThreadId,
        (alone, past): (Value, Past),
        to_come: WriteSet,
    ) -> BTreeMap<Value, Past> {
        let mut all = BTreeMap::from([(alone, past)]);
        for (value, _, past) in self.written_by_others(address, reader, to_come) {
            all.entry(value).and_modify(|known| *known = known.either(past)).or_insert(past);
        }
        all
    }

    /// What others write to a cell, but not after a write of the reader's own that is yet to come.
    pub(crate) fn written_by_others(
        &self,
        address: Value,
        reader: ThreadId,
        to_come: WriteSet,
    ) -> impl Iterator<Item = (Value, Option<(ThreadId, Whole)>, Past)> {
        let written = self.written.get(&address).into_iter().flatten();
        written.filter_map(move |((value, writer, whole), past)| {
            let is_possible = *writer != reader && (past.before & to_come).is_empty();
            is_possible.then(|| (*value, whole.map(|whole| (*writer, whole)), *past))
        })
    }

    /// Adds what is written and says whether anything is known now that was not.
    fn insert(&mut self, writer: ThreadId, written: Written) -> bool {
        let Written { address, value, whole, past } = written;
        let values = self.written.entry(address).or_default();
        match values.get_mut(&(value, writer, whole)) {
            Some(known) if known.either(past) == *known => false,
            Some(known) => {
                *known = known.either(past);
                true
            }
            None => {
                values.insert((value, writer, whole), past);
                true
            }
        }
    }
}

/// What is to be enumerated.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) program: &'a Program,
    /// What it is compiled for, unless it is asked about as it stands.
    pub(crate) target: Option<Target>,
    /// How often a run may come to the head of a loop.
    pub(crate) unroll: usize,
    /// Whether rounds of a loop that change nothing may be left out.
    pub(crate) leaves_stutters_out: bool,
    /// Whether a thread may be anywhere when another one comes to an end.
    pub(crate) stops_anywhere: bool,
    /// Whether the cells of an access are known to be accessed at once.
    pub(crate) reads_at_once: bool,
}

/// All runs of all threads.
pub(crate) fn all_runs(
    task: &Task<'_>,
    threads: &IndexVec<ThreadId, Thread>,
    budget: &mut Budget<'_>,
) -> Result<IndexVec<ThreadId, Vec<Run>>, NoAnswer> {
    let mut values = Values::new(task, threads);
    let mut rounds_left = shape::most_writes(task.program, task.unroll);
    loop {
        let mut all = IndexVec::new();
        let mut written = Vec::new();
        for (id, thread) in threads.enumerate() {
            let found = runs(task, id, thread, &values, budget)?;
            written.extend(found.written.into_iter().map(|cell| (id, cell)));
            all.push(found.runs);
        }
        let mut learnt = false;
        for (writer, written) in written {
            learnt |= values.insert(writer, written);
        }
        if !learnt || rounds_left == 0 {
            return Ok(all);
        }
        rounds_left -= 1;
    }
}
