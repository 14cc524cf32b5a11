//! Deadlocks, as configurations.
//!
//! Where nobody takes the memory lock, stores that wait can always reach memory, so in a deadlock no store
//! waits: it is a state in which every thread that moves alone stays among waiting labels and changes nothing, and
//! somebody waits ([`mod@crate::reach`]). What a thread can do alone depends on its local state and on the
//! cells that it reads there, so deadlocks are a union of regions: for each thread a node, with values for these
//! cells. Own messages do not matter: they can be deleted, and then the thread finds what memory holds.
//!
//! Loops that wait and store something are not followed.

use std::collections::{BTreeMap, BTreeSet};

use automata::{Effect, Threads};
use program::index::Idx;
use program::{Observable, ThreadId};
use semantics::{Control, Model};

use super::configuration::Configuration;
use super::targets::{Looking, MOST, Region, Union, all};
use crate::buffers::is_buffered;
use crate::sc::{Cell, Content, Local};

/// What some cells hold, by their numbers.
type Values = BTreeMap<u16, u16>;

/// Whether a thread gets further alone.
enum Alone {
    /// It never does.
    Stays,
    /// It may.
    GetsFurther,
    /// That depends on this cell.
    Depends(u16),
}

impl Looking<'_, '_, '_> {
    /// The deadlocks; nothing if they are not known, or too many.
    pub(super) fn deadlocks(&self) -> Option<Vec<Configuration>> {
        if self.sc.has_locks() {
            return None;
        }
        let threads = self.sc.threads().indices();
        let stuck = threads.map(|thread| self.stuck(thread));
        let goes_on = self.program.end_of_process().map(|end| {
            // Nobody waits once the process has ended.
            self.seen(Observable::Cell(end), |value| value == 0)
        });
        let mut met = all(stuck.chain(goes_on))?;
        met.retain(|region| {
            let mut nodes = region.nodes.iter();
            nodes.any(|(thread, nodes)| nodes.iter().any(|node| self.waits_at(*thread, *node)))
        });
        let mut targets = Vec::new();
        self.expand(&met, &mut targets)?;
        Some(targets)
    }

    /// Where a thread never gets further alone, with the values of cells for which it does not.
    fn stuck(&self, thread: ThreadId) -> Union {
        let class = self.sc.class_of(thread);
        let mut regions: Vec<Region> = Vec::new();
        let mut known: BTreeMap<&Local, Vec<Values>> = BTreeMap::new();
        for (number, ((local, _), node)) in
            (0u32..).zip(&self.automata.threads[thread.index()].nodes)
        {
            // What would be done beyond a limit is not known, so it may be what others wait for.
            if node.mark.noted {
                continue;
            }
            if !known.contains_key(local) {
                known.insert(local, self.stays(class, local)?);
            }
            regions.extend(known[local].iter().map(|values| Region {
                nodes: BTreeMap::from([(thread.index(), vec![number])]),
                values: values.iter().map(|(cell, value)| (*cell, vec![*value])).collect(),
            }));
            if regions.len() > MOST {
                return None;
            }
        }
        Some(regions)
    }

    /// All values of the cells that matter for which a thread never gets further alone; nothing if there are too
    /// many.
    fn stays(&self, class: usize, local: &Local) -> Option<Vec<Values>> {
        let (mut found, mut open) = (Vec::new(), vec![Values::new()]);
        while let Some(values) = open.pop() {
            match self.alone(class, local, &values)? {
                Alone::GetsFurther => {}
                Alone::Stays => found.push(values),
                Alone::Depends(cell) => {
                    let all = (0u16..).take(self.automata.cells[usize::from(cell)].len());
                    open.extend(all.map(|value| {
                        let mut values = values.clone();
                        values.insert(cell, value);
                        values
                    }));
                }
            }
            if found.len() + open.len() > MOST {
                return None;
            }
        }
        Some(found)
    }

    /// Whether a thread gets further alone if cells hold these values; nothing if it waits and stores.
    fn alone(&self, class: usize, local: &Local, values: &Values) -> Option<Alone> {
        let template = self.program.template(self.sc.template_of(class));
        let waits = |local: &Local| match local.control {
            Control::At(label) => template.labels()[label].waiting,
            Control::Stopped { .. } => false,
        };
        let (mut seen, mut open) = (BTreeSet::from([local.clone()]), vec![local.clone()]);
        while let Some(here) = open.pop() {
            for step in self.sc.steps(class, &here) {
                let mut contents: Vec<Content> = Vec::new();
                for (cell, mode) in &step.cells {
                    let Cell::Memory(address) = cell else { return None };
                    let initial = || self.sc.initial_content(*cell);
                    let Some((number, _, all)) = self.automata.cells.get_full(address) else {
                        contents.push(initial());
                        continue;
                    };
                    let number = u16::try_from(number).expect("few cells");
                    contents.push(match values.get(&number) {
                        Some(value) => {
                            let value = all.get_index(usize::from(*value)).expect("a value").0;
                            Content::of(*value)
                        }
                        None if mode.reads() || mode.writes() && waits(&here) => {
                            return Some(Alone::Depends(number));
                        }
                        None => initial(),
                    });
                }
                let held: Vec<&Content> = contents.iter().collect();
                let Effect::Done(next, after) = self.sc.effect(class, &here, &step, &held) else {
                    continue;
                };
                if !waits(&here) || !waits(&next) {
                    return Some(Alone::GetsFurther);
                }
                if is_buffered(Model::Tso, &template.edge(step.name.0).instruction) {
                    return None;
                }
                let mut written = step.cells.iter().zip(&after).zip(&contents);
                if written.any(|(((_, mode), after), before)| mode.writes() && after != before) {
                    return Some(Alone::GetsFurther);
                }
                if seen.insert(next.clone()) {
                    if seen.len() > MOST {
                        return None;
                    }
                    open.push(next);
                }
            }
        }
        Some(Alone::Stays)
    }

    fn waits_at(&self, thread: usize, node: u32) -> bool {
        let template = self.program.template(self.sc.threads()[ThreadId::new(thread)].template);
        match self.automata.threads[thread].local(node).control {
            Control::At(label) => template.labels()[label].waiting,
            Control::Stopped { .. } => false,
        }
    }
}
