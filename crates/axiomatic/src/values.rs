//! Which values a memory cell can hold: a fixpoint.
//!
//! A read is guessed among the values that some run of some thread writes to its cell, where the
//! reads of that run were guessed likewise. The values of an execution that any of the models
//! allows are all found in as many rounds as there are writes: in each of them what a write writes
//! comes from reads that precede it in an order that also puts each write before its readers, so
//! no value comes, in a circle, from itself. Hence the rounds are bounded, also where the fixpoint
//! is not (`x = y + 1 ∥ y = x + 1`).

use std::collections::{BTreeMap, BTreeSet};

use program::{Cell, IndexVec, Program, Thread, ThreadId, Value};

use crate::limits::{Limits, NoAnswer};
use crate::run::{PossibleFault, Run, runs};
use crate::shape;

/// The values written to each address so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Values {
    written: BTreeMap<Value, BTreeSet<Value>>,
}

impl Values {
    /// What a cell can hold, its initial value first.
    pub(crate) fn at(&self, address: Value, cell: Cell) -> impl Iterator<Item = Value> {
        let written = self.written.get(&address).into_iter().flatten().copied();
        std::iter::once(cell.initial).chain(written.filter(move |value| *value != cell.initial))
    }

    /// Adds a value and says whether it is new.
    fn insert(&mut self, address: Value, value: Value) -> bool {
        self.written.entry(address).or_default().insert(value)
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
    let mut values = Values::default();
    let mut rounds_left = shape::most_writes(program);
    loop {
        let mut all = IndexVec::new();
        let (mut faults, mut written) = (BTreeSet::new(), BTreeSet::new());
        for (id, thread) in threads.enumerate() {
            let found = runs(program, id, thread, &values, limits)?;
            faults.extend(found.faults);
            written.extend(found.written);
            all.push(found.runs);
        }
        let mut grown = false;
        for (address, value) in written {
            grown |= values.insert(address, value);
        }
        if !grown || rounds_left == 0 {
            return Ok((all, faults));
        }
        rounds_left -= 1;
    }
}
