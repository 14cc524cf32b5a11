//! Which values a memory cell can hold: a fixpoint.
//!
//! A read is guessed among what its own thread wrote last to its cell, or the initial value if there
//! is no such write, and the values that some run of another thread writes there, where the reads of
//! that run were guessed likewise. (Every model is coherent, so nothing else can be read.) The values of an execution that any of the models
//! allows are all found in as many rounds as there are writes: in each of them what a write writes
//! comes from reads that precede it in an order that also puts each write before its readers, so
//! no value comes, in a circle, from itself. Hence the rounds are bounded, also where the fixpoint
//! is not (`x = y + 1 ∥ y = x + 1`).

use std::collections::{BTreeMap, BTreeSet};

use program::{IndexVec, Program, Thread, ThreadId, Value};

use crate::limits::{Limits, NoAnswer};
use crate::run::{PossibleFault, Run, runs};
use crate::shape;

/// The values written to each address so far, and by whom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Values {
    written: BTreeMap<Value, BTreeSet<(Value, ThreadId)>>,
}

impl Values {
    /// What a thread can read at an address: what it would see if it were alone, and what others
    /// write there.
    pub(crate) fn at(
        &self,
        address: Value,
        reader: ThreadId,
        alone: Value,
    ) -> impl Iterator<Item = Value> + use<> {
        let written = self.written.get(&address).into_iter().flatten();
        let by_others = written.filter(|(_, writer)| *writer != reader).map(|(value, _)| *value);
        let all: BTreeSet<Value> = by_others.chain([alone]).collect();
        all.into_iter()
    }

    /// Adds a value and says whether it is new.
    fn insert(&mut self, address: Value, value: Value, writer: ThreadId) -> bool {
        self.written.entry(address).or_default().insert((value, writer))
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
            written.extend(found.written.into_iter().map(|cell| (cell, id)));
            all.push(found.runs);
        }
        let mut grown = false;
        for ((address, value), writer) in written {
            grown |= values.insert(address, value, writer);
        }
        if !grown || rounds_left == 0 {
            return Ok((all, faults));
        }
        rounds_left -= 1;
    }
}
