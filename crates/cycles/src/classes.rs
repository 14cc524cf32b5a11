//! Classes of events, and which of them communicate.
//!
//! Whether two events of a thread lie on a critical cycle depends on their thread and on what each of
//! them is: a read or a write of which memory. So events of one thread that agree in that are one class,
//! and cycles are looked for between classes: there are far fewer of them than of events, and far fewer
//! than there are cycles. Where the program is compared with TSO it also matters whether nothing passes an access.
//!
//! # Locks
//!
//! Accesses of two threads that certainly hold one lock do not communicate here, though they may: whatever they
//! do to each other the lock's own accesses do too. Events of a class hold the same locks.
//!
//! *Locks order.* Let `x` and `y` be accesses of two threads under the lock `l`, and `x` before `y` in `rf`, `co`
//! or `fr`. The section of `x` is before that of `y` in the order in which `l` is taken. Otherwise `y` came before
//! the unlock of its section by release, that before the lock of `x`'s section through reads of earlier unlocks
//! by locks, each lock before the unlock of its section, and the lock before `x` by acquire; with an edge from
//! `x` to `y` that is a cycle which every machine forbids: of `ob` on multi-copy atomic ones; on Power and `ARMv7`
//! of `hb` (`rf`), of `co ∪ prop` (`co`), or of `fre; prop; hb*` (`fr`), the lightweight fence of the unlock being
//! in `prop`.
//!
//! *Nothing is lost.* So write `lk` for the edge from an unlock to a lock of a later section. A chain of `rfe` and
//! sections, it orders like `rfe`, and in the graph it is an edge from a write to a read of `l`. An execution that is
//! not SC has a cycle of program order and communication, hence one in which each edge between accesses under
//! one lock is replaced by program order to the unlock, `lk`, and program order from the lock. Of these cycles of
//! program order, `lk` and all other communication take one with as few edges between threads as possible, and
//! of those one with as few pairs of accesses of one address as possible. It is critical in the sense of
//! [`crate::critical`]: it visits a thread once, since program order is a short cut otherwise. Where it visits an
//! address twice, or a thread with two accesses of one address, there is the usual short cut, with fewer edges
//! between threads, or by a write alone in its thread with as many; if a new edge is between accesses under
//! one lock, it is again replaced by one `lk`, and so are two edges `lk` of the same lock, whose sections
//! are in order. The same cycle is found here.
//!
//! The argument needs that a cycle visits a thread once, so locks do not count where a program is compared with TSO.

use std::collections::BTreeMap;
use std::ops::Range;

use events::{ClassId, Instances, LocationSet, MemoryId};
use program::IndexVec;
use program::index::Idx;
use rustc_hash::FxHashMap;

use crate::architecture::Direction;
use crate::bits::Bits;
use crate::machine::{Does, Event, EventId, Machine, StepId};
use crate::order::{Nothing, ways};
use crate::reach::Reach;
use crate::reference::Reference;

/// Events of one thread with the same direction, the same memory and the same locks.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub(crate) thread: ClassId,
    pub(crate) direction: Direction,
    pub(crate) events: Vec<EventId>,
}

/// What events of a class agree in: whether they read or write, what they hit, surely or not, whether nothing
/// passes them, and the locks they hold.
type Kind<'m> = (Direction, &'m LocationSet, bool, bool, &'m [MemoryId]);

fn kind(event: &Event) -> Kind<'_> {
    (event.direction, &event.locations, event.must, event.locked, &event.held)
}

/// All classes, and the relations between them.
#[derive(Clone, Debug)]
pub(crate) struct Classes {
    pub(crate) all: Vec<Class>,
    /// For each class of threads, the class of each of its events.
    pub(crate) of_event: IndexVec<ClassId, FxHashMap<EventId, usize>>,
    /// For each class of threads, its classes.
    ranges: Vec<Range<usize>>,
    /// For each class, the classes of its thread that come after it at another address, as far as what the
    /// program is compared with keeps them in order.
    pub(crate) after: Vec<Bits>,
    /// For each class, the classes of other threads that it communicates with.
    pub(crate) communicates: Vec<Bits>,
}

impl Classes {
    pub(crate) fn new(machine: &Machine<'_>) -> Self {
        let mut classes: Vec<Class> = Vec::new();
        let mut of_event = IndexVec::new();
        let mut ranges = Vec::new();
        for thread in machine.graph.threads.indices() {
            let mut numbers: BTreeMap<Kind<'_>, usize> = BTreeMap::new();
            let mut of_thread = FxHashMap::default();
            let from = classes.len();
            for event in machine.events_of(thread) {
                let data = &machine.events[event];
                let number = *numbers.entry(kind(data)).or_insert_with(|| {
                    let direction = data.direction;
                    classes.push(Class { thread, direction, events: Vec::new() });
                    classes.len() - 1
                });
                classes[number].events.push(event);
                of_thread.insert(event, number);
            }
            of_event.push(of_thread);
            ranges.push(from..classes.len());
        }
        let (after, communicates) = (Vec::new(), Vec::new());
        let mut all = Self { all: classes, of_event, ranges, after, communicates };
        all.communicates = all.communication(machine);
        all.after = all.program_order(machine);
        all
    }

    /// The classes of a class of threads.
    pub(crate) fn of_thread(&self, thread: ClassId) -> Range<usize> {
        self.ranges[thread.index()].clone()
    }

    fn communication(&self, machine: &Machine<'_>) -> Vec<Bits> {
        let count = self.all.len();
        let nothing = || Bits::new(count);
        // The classes of each thread and of each direction, and those that may hit each location.
        let mut writes = nothing();
        let mut of_thread: Vec<Bits> = machine.graph.threads.iter().map(|_| nothing()).collect();
        let mut anywhere = nothing();
        let mut somewhere = nothing();
        let mut of_location: Vec<Bits> =
            machine.graph.locations.iter().map(|_| nothing()).collect();
        let mut of_lock: BTreeMap<MemoryId, Bits> = BTreeMap::new();
        for (number, class) in self.all.iter().enumerate() {
            for lock in &machine.events[class.events[0]].held {
                of_lock.entry(*lock).or_insert_with(nothing).insert(number);
            }
            of_thread[class.thread.index()].insert(number);
            if class.direction == Direction::Write {
                writes.insert(number);
            }
            match &machine.events[class.events[0]].locations {
                LocationSet::Any => {
                    anywhere.insert(number);
                    somewhere.insert(number);
                }
                LocationSet::Before(end) => {
                    for all in &mut of_location[..end.index()] {
                        all.insert(number);
                    }
                    somewhere.insert(number);
                }
                LocationSet::Some(set) => {
                    for location in set {
                        of_location[location.index()].insert(number);
                        somewhere.insert(number);
                    }
                }
            }
        }
        let parallel = &machine.graph.parallel;
        let beside: Vec<Bits> = parallel
            .iter()
            .map(|row| {
                let mut all = nothing();
                for (thread, is_parallel) in row.enumerate() {
                    if *is_parallel {
                        all.add(&of_thread[thread.index()]);
                    }
                }
                all
            })
            .collect();
        let row = |class: &Class| {
            let mut met = match &machine.events[class.events[0]].locations {
                LocationSet::Any => somewhere.clone(),
                LocationSet::Before(end) => {
                    let mut met = anywhere.clone();
                    for all in &of_location[..end.index()] {
                        met.add(all);
                    }
                    met
                }
                LocationSet::Some(set) if set.is_empty() => nothing(),
                LocationSet::Some(set) => {
                    let mut met = anywhere.clone();
                    for location in set {
                        met.add(&of_location[location.index()]);
                    }
                    met
                }
            };
            met.keep(&beside[class.thread.index()]);
            for lock in &machine.events[class.events[0]].held {
                met.leave_out(&of_lock[lock]);
            }
            if class.direction == Direction::Read {
                met.keep(&writes);
            }
            met
        };
        self.all.iter().map(row).collect()
    }

    /// Which classes are kept in order after which at another address.
    fn program_order(&self, machine: &Machine<'_>) -> Vec<Bits> {
        // What a step does, by numbers that all threads share.
        let mut numbers: BTreeMap<Kind<'_>, usize> = BTreeMap::new();
        let kinds: IndexVec<EventId, usize> = machine
            .events
            .iter()
            .map(|data| {
                let next = numbers.len();
                *numbers.entry(kind(data)).or_insert(next)
            })
            .collect();
        // Behind them, a number for each step at which something waits.
        let is_compared = machine.reference != Reference::Sc;
        let waiting: Vec<StepId> = machine
            .steps
            .enumerate()
            .filter(|(_, it)| is_compared && it.waits)
            .map(|(id, _)| id)
            .collect();
        let number_of: FxHashMap<StepId, usize> =
            waiting.iter().enumerate().map(|(at, step)| (*step, numbers.len() + at)).collect();
        let kinds_of_steps = |step: StepId| match machine.steps[step].does {
            Does::Event(event) if !machine.events[event].alone => Some(kinds[event]),
            Does::Event(_) | Does::Nothing | Does::Fence(_) | Does::Call(_) | Does::Return => None,
        };
        let ways = ways(machine, &Nothing);
        let reach = Reach::new(machine, &Nothing, &ways, numbers.len(), &kinds_of_steps);
        let to_waiting = (!waiting.is_empty()).then(|| {
            let columns = numbers.len() + waiting.len();
            Reach::new(machine, &Nothing, &ways, columns, &|step| number_of.get(&step).copied())
        });
        let mut rows: Vec<Bits> = Vec::new();
        for (thread, range) in self.ranges.iter().enumerate() {
            let thread = ClassId::new(thread);
            let (from, of_thread) = (range.start, &self.all[range.clone()]);
            let beyond = reach.beyond(thread);
            let waiting_beyond = to_waiting.as_ref().map(|reach| reach.beyond(thread));
            for class in of_thread {
                let mut after = Bits::new(numbers.len());
                for event in &class.events {
                    reach.after(machine.events[*event].step, &beyond, &mut after);
                }
                // What comes after something that waits and comes after the class.
                let mut waited = Bits::new(numbers.len());
                if let (Some(to_waiting), Some(waiting_beyond)) = (&to_waiting, &waiting_beyond)
                    && class.direction == Direction::Write
                {
                    let mut met = Bits::new(numbers.len() + waiting.len());
                    for event in &class.events {
                        to_waiting.after(machine.events[*event].step, waiting_beyond, &mut met);
                    }
                    for number in met.iter() {
                        reach.after(waiting[number - numbers.len()], &beyond, &mut waited);
                    }
                }
                let first = &machine.events[class.events[0]];
                let mut row = Bits::new(self.all.len());
                for (second, other) in of_thread.iter().enumerate() {
                    // All events of a class hit the same.
                    let is_same = machine.surely_same(class.events[0], other.events[0]);
                    let number = kinds[other.events[0]];
                    let is_kept = !machine.needs_waiting(first, &machine.events[other.events[0]])
                        || waited.contains(number);
                    if after.contains(number) && is_kept && !is_same {
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
