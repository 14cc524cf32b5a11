//! Classes of events, and which of them communicate.
//!
//! Whether two events of a thread lie on a critical cycle depends on their thread and on what each of
//! them is: a read or a write of which memory. So events of one thread that agree in that are one class,
//! and cycles are looked for between classes: there are far fewer of them than of events, and far fewer
//! than there are cycles.

use std::collections::BTreeMap;

use events::{ClassId, Instances, LocationSet};
use program::IndexVec;

use crate::architecture::Direction;
use crate::bits::Bits;
use crate::machine::{EventId, Machine};
use crate::order::{Nothing, Walker, ways};

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
    pub(crate) of_event: IndexVec<ClassId, BTreeMap<EventId, usize>>,
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
            let mut of_thread = BTreeMap::new();
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

    /// Events that communicate with nobody are on no cycle, and are left out.
    fn program_order(&self, machine: &Machine<'_>) -> Vec<Bits> {
        let ways = ways(machine, &Nothing);
        let mut walker = Walker::new(machine);
        let mut rows: Vec<Bits> = self.all.iter().map(|_| Bits::new(self.all.len())).collect();
        for (number, class) in self.all.iter().enumerate() {
            if self.communicates[number].iter().next().is_none() {
                continue;
            }
            let of_event = &self.of_event[class.thread];
            for event in &class.events {
                for reached in walker.after(class.thread, *event, &Nothing, &ways) {
                    let Some(second) = of_event.get(&reached.event) else { continue };
                    if !machine.surely_same(*event, reached.event) {
                        rows[number].insert(*second);
                    }
                }
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
