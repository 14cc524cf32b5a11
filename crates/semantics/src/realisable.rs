//! Whether an SC run has the program orders of a trace and its one order of stores.
//!
//! An SC run is an interleaving of the threads. If the order of all writes is given, each thread's
//! writes have their places in it, and what remains is to place its other accesses: each after what
//! precedes it in program order, before what follows, and where memory holds what it read. Reads
//! change nothing for anybody else, so each thread can be placed by itself, and each read as early
//! as possible: that leaves the most room for the reads after it. Whether *what it read* means the
//! same value or the same write makes the difference between ESOP'15's persistence and the trace
//! equality of triangular-race freedom.
//!
//! Accesses of a locked section stay together: no read of another thread may be placed between the
//! first and the last write of a section, and its own reads all lie where its writes lie. Of the reads of
//! an access across cells nothing is said: programs with such accesses are not asked about here.

use std::collections::BTreeMap;

use program::Value;

use crate::trace::{Event, NodeId, Source, Trace};

/// What a read must find again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Same {
    /// The value.
    Value,
    /// The write.
    Source,
}

impl Trace {
    /// Whether some SC run has the same program orders and the same order of all stores, with reads
    /// of the same values or from the same writes. `initial` gives the initial values.
    pub fn is_realisable_under_sc(&self, same: Same, initial: impl Fn(Value) -> Value) -> bool {
        // Gap g lies before write g of the order; a read in gap g sees writes 0 to g − 1.
        let place: BTreeMap<NodeId, usize> =
            self.arrivals().iter().enumerate().map(|(gap, node)| (*node, gap)).collect();
        let last_before = |address: Value, gap: usize| {
            let before = self.arrivals()[..gap].iter().rev();
            before.copied().find(|node| self.nodes()[*node].event.write_address() == Some(address))
        };
        let finds = |address: Value, value: Value, source: Source, gap: usize| {
            let found = last_before(address, gap);
            match same {
                Same::Source => match source {
                    Source::Initial => found.is_none(),
                    Source::Node(node) => found == Some(node),
                },
                Same::Value => {
                    let held = found.and_then(|node| self.nodes()[node].event.written_value());
                    held.unwrap_or_else(|| initial(address)) == value
                }
            }
        };
        let blocks = self.blocks();
        let inside = self.gaps_inside_sections(&blocks);
        self.program_order().iter().all(|nodes| {
            let mut gap = 0;
            for node in nodes {
                let event = &self.nodes()[*node].event;
                let written_at = place.get(node).copied();
                match (event.read_value(), written_at) {
                    (None, None) => {}
                    (None, Some(at)) if at >= gap => gap = at + 1,
                    (Some((address, value, source)), Some(at)) => {
                        if at < gap || !finds(address, value, source, at) {
                            return false;
                        }
                        gap = at + 1;
                    }
                    (Some((address, value, source)), None) => {
                        let may_be_here = |gap: usize| {
                            let section = inside.get(&gap);
                            section.is_none_or(|section| *section == blocks[*node])
                        };
                        let mut gaps = gap..=self.arrivals().len();
                        let found = gaps
                            .find(|gap| may_be_here(*gap) && finds(address, value, source, *gap));
                        match found {
                            Some(found) => gap = found,
                            None => return false,
                        }
                    }
                    (None, Some(_)) => return false,
                }
            }
            true
        })
    }

    /// The gaps that lie between two writes of one section, with that section.
    fn gaps_inside_sections(
        &self,
        blocks: &program::IndexVec<NodeId, NodeId>,
    ) -> BTreeMap<usize, NodeId> {
        let mut inside = BTreeMap::new();
        for (gap, pair) in self.arrivals().windows(2).enumerate() {
            if blocks[pair[0]] == blocks[pair[1]] {
                inside.insert(gap + 1, blocks[pair[0]]);
            }
        }
        inside
    }
}

impl Event {
    /// The address written, if one is.
    fn write_address(&self) -> Option<Value> {
        match self {
            Self::Store { address, .. } | Self::Update { address, written: Some(_), .. } => {
                Some(*address)
            }
            Self::Update { written: None, .. }
            | Self::Local
            | Self::Load { .. }
            | Self::Fence(_)
            | Self::Lock
            | Self::Unlock
            | Self::Fault(_) => None,
        }
    }

    fn written_value(&self) -> Option<Value> {
        match self {
            Self::Store { value, .. } => Some(*value),
            Self::Update { written, .. } => *written,
            Self::Local
            | Self::Load { .. }
            | Self::Fence(_)
            | Self::Lock
            | Self::Unlock
            | Self::Fault(_) => None,
        }
    }

    /// The address read, the value and where it is from, if one is.
    fn read_value(&self) -> Option<(Value, Value, Source)> {
        match self {
            Self::Load { address, value, source } => Some((*address, *value, *source)),
            Self::Update { address, read: Some((value, source)), .. } => {
                Some((*address, *value, *source))
            }
            Self::Update { read: None, .. }
            | Self::Local
            | Self::Store { .. }
            | Self::Fence(_)
            | Self::Lock
            | Self::Unlock
            | Self::Fault(_) => None,
        }
    }
}
