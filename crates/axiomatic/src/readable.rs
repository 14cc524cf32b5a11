//! What an access can read: the values that its cells can hold together.
//!
//! Each cell alone can be read as [`crate::values`] says. Of the values that the cells of one access can
//! hold together, those are left out that mix two writes which both cover two of the cells: an access
//! reads, and a write writes, all of its cells at once, so whoever reads one of two such writes in a cell
//! reads the same one, or a third, in the other. In the terms of the models: if the reader sees the newer
//! of the two in one cell (`rfe`) and what it overwrites in the other (`fre`), it is both after and before
//! it; and what its own thread wrote last to both cells it sees in both, unless it is overwritten in one,
//! and then in both. Initial values are one write that covers everything. All built-in models
//! that are asked about accesses across cells have it so; of a model in a file that is not known.

use std::collections::BTreeMap;

use program::{Footprint, ThreadId, Value};

use crate::run::Partial;
use crate::step::Stepper;
use crate::values::{Past, Whole};

/// What is read by an access.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) value: Value,
    /// What is read in the first cell, and what that necessarily has to do with,
    first: (Value, Past),
    /// and in the others.
    others: Vec<(Value, Past)>,
}

impl Seen {
    /// What is read in each cell.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &(Value, Past)> {
        std::iter::once(&self.first).chain(&self.others)
    }
}

/// Which write a cell is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Initial,
    /// One that covers no other cell.
    Alone,
    Across(ThreadId, Whole),
}

impl Source {
    /// Whether it writes to both of these cells.
    fn covers(self, one: Value, other: Value) -> bool {
        match self {
            Self::Initial => true,
            Self::Alone => false,
            Self::Across(_, whole) => whole.covers(one, other),
        }
    }

    /// Whether one cell can be read from this and another from another source, at once.
    fn agrees(self, cell: Value, (other, source): (Value, Self)) -> bool {
        self == source || !(self.covers(cell, other) && source.covers(cell, other))
    }
}

/// A source of a cell, and what it gives.
type Possible = (Source, Value, Past);

impl Stepper<'_> {
    /// The values that an access can read.
    pub(crate) fn readable(&self, next: &Partial, cells: Footprint) -> Vec<Seen> {
        let to_come = self.values.of(self.thread) - next.done;
        if cells.cells == 1 {
            let address = cells.address;
            let (_, value, past) = self.alone(next, address);
            let all = self.values.at(address, self.thread, (value, past), to_come);
            let seen = |(part, past)| {
                let value = cells.joined([part]);
                Seen { value, first: (part, past), others: Vec::new() }
            };
            return all.into_iter().map(seen).collect();
        }
        let sources: Vec<(Value, Vec<Possible>)> = cells
            .addresses()
            .map(|address| {
                let others = self.values.written_by_others(address, self.thread, to_come);
                let others = others.map(|(value, whole, past)| {
                    let across = |(writer, whole)| Source::Across(writer, whole);
                    (whole.map_or(Source::Alone, across), value, past)
                });
                let own = self.alone(next, address);
                (address, [own].into_iter().chain(others).collect())
            })
            .collect();
        let mut found: BTreeMap<Vec<Value>, Vec<Past>> = BTreeMap::new();
        combine(&sources, self.reads_at_once, &mut Vec::new(), &mut found);
        let seen = |(values, pasts): (Vec<Value>, Vec<Past>)| {
            let value = cells.joined(values.iter().copied());
            let mut parts = values.into_iter().zip(pasts);
            let first = parts.next().unwrap_or_default();
            Seen { value, first, others: parts.collect() }
        };
        found.into_iter().map(seen).collect()
    }

    /// What a thread would see in a cell if it were alone.
    fn alone(&self, next: &Partial, address: Value) -> Possible {
        let own = next.events.iter().rev().find_map(|local| {
            let (to, value) = local.event.written()?;
            let across = |whole| Source::Across(self.thread, whole);
            let whole = next.wholes.get(&local.access).copied();
            let source = whole.map_or(Source::Alone, across);
            (to == address).then_some((source, value, local.past))
        });
        own.unwrap_or_else(|| (Source::Initial, self.initial(address), Past::default()))
    }
}

/// Adds what the cells can hold together, if those chosen for so far hold this.
fn combine(
    cells: &[(Value, Vec<Possible>)],
    at_once: bool,
    chosen: &mut Vec<(Value, Possible)>,
    found: &mut BTreeMap<Vec<Value>, Vec<Past>>,
) {
    let Some((cell, options)) = cells.get(chosen.len()) else {
        let values = chosen.iter().map(|(_, (_, value, _))| *value).collect();
        let pasts = || chosen.iter().map(|(_, (_, _, past))| *past);
        match found.get_mut(&values) {
            Some(known) => {
                for (known, past) in known.iter_mut().zip(pasts()) {
                    *known = known.either(past);
                }
            }
            None => _ = found.insert(values, pasts().collect()),
        }
        return;
    };
    for option in options {
        let agrees =
            |(other, (source, ..)): &(Value, Possible)| option.0.agrees(*cell, (*other, *source));
        if !at_once || chosen.iter().all(agrees) {
            chosen.push((*cell, *option));
            combine(cells, at_once, chosen, found);
            chosen.pop();
        }
    }
}
