//! Reads of what the thread itself has written since: on x86 they are in order without a fence.
//!
//! Let a thread execute `W x`, later `W y`, and later `R y`, and let a cycle enter at `W x` and leave from `R y`, by
//! `fr` to a write `w` of another thread. The read sees `W y`, or a write that comes after it in `co`; either way
//! `W y` comes before `w` in `co`. So the cycle also leaves from `W y`, by `co`, and where writes stay in order
//! nothing on it is late between `W x` and `W y`. Hence a pair of a write and a read is late only on paths without
//! a write of the read's own cell in between: such a write stops a path as a fence does. If all other pairs of all
//! critical cycles are in order, every cycle of an execution becomes one that TSO forbids.
//!
//! Paths are looked for once for each cell, so very large programs go without this: they may have more delays.

use std::collections::BTreeMap;

use events::LocationSet;
use program::index::Idx;
use rustc_hash::FxHashMap;

use crate::architecture::{Direction, Strength};
use crate::bits::Bits;
use crate::machine::{EventId, Machine};

/// The most steps that are looked at, for all cells together.
const MOST_STEPS: usize = 4_000_000;

/// A cell that some thread writes and reads.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) reads: Bits,
    pub(crate) writes: Bits,
    /// How many reads there are.
    pub(crate) count: usize,
}

/// The cells that matter on a machine.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    pub(crate) all: Vec<Cell>,
    /// The events that read one of them, and which.
    reads: Bits,
    of_read: FxHashMap<usize, usize>,
}

impl Cells {
    pub(crate) fn new(machine: &Machine<'_>) -> Self {
        if machine.arch.by_itself(Direction::Write, Direction::Write) < Strength::Full {
            return Self::default();
        }
        let count = machine.events.len();
        let mut cells: BTreeMap<&LocationSet, Cell> = BTreeMap::new();
        for (id, event) in machine.events.enumerate() {
            if event.must {
                let cell = cells.entry(&event.locations).or_insert_with(|| Cell {
                    reads: Bits::new(count),
                    writes: Bits::new(count),
                    count: 0,
                });
                match event.direction {
                    Direction::Read => {
                        cell.reads.insert(id.index());
                        cell.count += 1;
                    }
                    Direction::Write => cell.writes.insert(id.index()),
                }
            }
        }
        let is_both = |cell: &Cell| !cell.reads.is_empty() && !cell.writes.is_empty();
        let all: Vec<Cell> = cells.into_values().filter(is_both).collect();
        if all.len().saturating_mul(machine.steps.len()) > MOST_STEPS {
            return Self::default();
        }
        let mut reads = Bits::new(count);
        let mut of_read = FxHashMap::default();
        for (number, cell) in all.iter().enumerate() {
            reads.add(&cell.reads);
            of_read.extend(cell.reads.iter().map(|read| (read, number)));
        }
        Self { all, reads, of_read }
    }

    /// The cells that some of these events read, after a write.
    pub(crate) fn read_by(
        &self,
        machine: &Machine<'_>,
        first: EventId,
        seconds: &Bits,
    ) -> Vec<usize> {
        if machine.events[first].direction == Direction::Read {
            return Vec::new();
        }
        let mut met = Bits::new(self.all.len());
        for read in self.reads.both(seconds) {
            met.insert(self.of_read[&read]);
        }
        met.iter().collect()
    }
}
