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

use std::collections::{BTreeMap, BTreeSet};

use program::{EdgeId, IndexVec, Program, Thread, ThreadId, Value};

use crate::limits::{Limits, NoAnswer};
use crate::relation::EventSet;
use crate::run::{PossibleFault, Run, runs};
use crate::shape;

/// Sets of instructions that write, numbered over all threads. Those that have no number because
/// there are too many are in no set.
pub(crate) type WriteSet = EventSet;

/// Something that a run writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Written {
    pub(crate) address: Value,
    pub(crate) value: Value,
    /// The writes that the value necessarily comes from, this one included.
    pub(crate) sources: WriteSet,
}

/// The values written to each address so far.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    /// For each address, and each value with its writer: the writes that it necessarily comes from.
    written: BTreeMap<Value, BTreeMap<(Value, ThreadId), WriteSet>>,
    /// The numbers of the instructions that write.
    numbers: BTreeMap<(ThreadId, EdgeId), usize>,
}

impl Values {
    fn new(program: &Program, threads: &IndexVec<ThreadId, Thread>) -> Self {
        let all = threads.enumerate().flat_map(|(id, thread)| {
            let edges = program.template(thread.template).edges().enumerate();
            let writing = edges.filter(|(_, edge)| shape::can_write(&edge.instruction));
            writing.map(move |(edge, _)| (id, edge))
        });
        let numbers = all.take(EventSet::MAX_EVENTS).zip(0..).collect();
        Self { written: BTreeMap::new(), numbers }
    }

    /// A set with an instruction alone.
    pub(crate) fn only(&self, thread: ThreadId, edge: EdgeId) -> WriteSet {
        self.numbers.get(&(thread, edge)).map_or(WriteSet::EMPTY, |number| WriteSet::only(*number))
    }

    /// What a thread can read at an address: what it would see if it were alone, and what others
    /// write there; each with the writes that it necessarily comes from.
    pub(crate) fn at(
        &self,
        address: Value,
        reader: ThreadId,
        (alone, sources): (Value, WriteSet),
    ) -> BTreeMap<Value, WriteSet> {
        let mut all = BTreeMap::from([(alone, sources)]);
        for ((value, writer), sources) in self.written.get(&address).into_iter().flatten() {
            if *writer != reader {
                all.entry(*value).and_modify(|set| *set = *set & *sources).or_insert(*sources);
            }
        }
        all
    }

    /// Adds what is written and says whether anything is known now that was not.
    fn insert(&mut self, writer: ThreadId, written: Written) -> bool {
        let Written { address, value, sources } = written;
        let values = self.written.entry(address).or_default();
        match values.get_mut(&(value, writer)) {
            Some(known) if *known & sources == *known => false,
            Some(known) => {
                *known = *known & sources;
                true
            }
            None => {
                values.insert((value, writer), sources);
                true
            }
        }
    }
}

/// The runs of each thread, and the faults that some runs lead to.
pub(crate) type AllRuns = (IndexVec<ThreadId, Vec<Run>>, BTreeSet<PossibleFault>);

/// All runs of all threads.
pub(crate) fn all_runs(
    program: &Program,
    threads: &IndexVec<ThreadId, Thread>,
    limits: &Limits,
) -> Result<AllRuns, NoAnswer> {
    let mut values = Values::new(program, threads);
    let mut rounds_left = shape::most_writes(program);
    loop {
        let mut all = IndexVec::new();
        let (mut faults, mut written) = (BTreeSet::new(), Vec::new());
        for (id, thread) in threads.enumerate() {
            let found = runs(program, id, thread, &values, limits)?;
            faults.extend(found.faults);
            written.extend(found.written.into_iter().map(|cell| (id, cell)));
            all.push(found.runs);
        }
        let mut learnt = false;
        for (writer, written) in written {
            learnt |= values.insert(writer, written);
        }
        if !learnt || rounds_left == 0 {
            return Ok((all, faults));
        }
        rounds_left -= 1;
    }
}
