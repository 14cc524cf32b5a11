//! Classes of events, and which of them communicate.
//!
//! Whether two events of a thread lie on a critical cycle depends on their thread and on what each of
//! them is: a read or a write of which memory. So events of one thread that agree in that are one class,
//! and cycles are looked for between classes: there are far fewer of them than of events, and far fewer
//! than there are cycles.

use std::collections::BTreeMap;

use events::{ClassId, Instances, LocationSet};
use program::IndexVec;
use rustc_hash::FxHashMap;

use crate::architecture::Direction;
use crate::bits::Bits;
use crate::machine::{EventId, Machine};
use crate::reach::After;

/// Events of one thread with the same direction and the same memory.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub(crate) thread: ClassId,
    pub(crate) direction: Direction,
    pub(crate) events: Vec<EventId>,
}

/// All classes, and the relations between them.
#[derive(Clone, Debug)]
pub(crate) struct Classes {
    pub(crate) all: Vec<Class>,
    /// For each class of threads, the class of each of its events.
    pub(crate) of_event: IndexVec<ClassId, FxHashMap<EventId, usize>>,
    /// For each class, the classes of its thread that come after it at another address.
    pub(crate) after: Vec<Bits>,
    /// For each class, the classes of other threads that it communicates with.
    pub(crate) communicates: Vec<Bits>,
}

impl Classes {
    pub(crate) fn new(machine: &Machine<'_>) -> Self {
        let mut classes: Vec<Class> = Vec::new();
        let mut of_event = IndexVec::new();
        for thread in machine.graph.threads.indices() {
            let mut numbers: BTreeMap<(Direction, &LocationSet, bool), usize> = BTreeMap::new();
            let mut of_thread = FxHashMap::default();
            for event in machine.events_of(thread) {
                let data = &machine.events[event];
                let key = (data.direction, &data.locations, data.must);
                let number = *numbers.entry(key).or_insert_with(|| {
                    let direction = data.direction;
                    classes.push(Class { thread, direction, events: Vec::new() });
                    classes.len() - 1
                });
                classes[number].events.push(event);
                of_thread.insert(event, number);
            }
            of_event.push(of_thread);
        }
        let mut all = Self { all: classes, of_event, after: Vec::new(), communicates: Vec::new() };
        all.communicates = all.communication(machine);
        all.after = all.program_order(machine);
        all
    }

    fn communication(&self, machine: &Machine<'_>) -> Vec<Bits> {
        let parallel = &machine.graph.parallel;
        let competes = |one: &Class, other: &Class| {
            let writes = one.direction == Direction::Write || other.direction == Direction::Write;
            writes && parallel[one.thread][other.thread] && {
                let (one, other) =
                    (&machine.events[one.events[0]], &machine.events[other.events[0]]);
                one.locations.meets(&other.locations)
            }
        };
        let mut rows: Vec<Bits> = self.all.iter().map(|_| Bits::new(self.all.len())).collect();
        for (number, one) in self.all.iter().enumerate() {
            for (second, other) in self.all.iter().enumerate().skip(number) {
                if competes(one, other) {
                    rows[number].insert(second);
                    rows[second].insert(number);
                }
            }
        }
        rows
    }

    /// Which classes come after which at another address.
    fn program_order(&self, machine: &Machine<'_>) -> Vec<Bits> {
        let reach = After::new(machine);
        let mut rows: Vec<Bits> = Vec::new();
        // The classes of a thread are next to each other.
        while let Some(first) = self.all.get(rows.len()) {
            let from = rows.len();
            let of_thread = self.all[from..].iter().take_while(|one| one.thread == first.thread);
            let of_thread = &self.all[from..from + of_thread.count()];
            for (number, after) in reach.of(first.thread, of_thread).iter().enumerate() {
                let mut row = Bits::new(self.all.len());
                let event = of_thread[number].events[0];
                for second in after.iter() {
                    // All events of a class hit the same.
                    if !machine.surely_same(event, of_thread[second].events[0]) {
                        row.insert(from + second);
                    }
                }
                rows.push(row);
            }
        }
        rows
    }

    /// How many threads of the kind of a class can be on one cycle, if that is limited.
    pub(crate) fn most_threads(machine: &Machine<'_>, thread: ClassId) -> Option<u32> {
        match machine.graph.threads[thread].instances {
            Instances::Exactly(count) => Some(count),
            Instances::Many => None,
        }
    }
}
