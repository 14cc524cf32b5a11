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
//! *Compared with TSO* a cycle consists of the same communication and of pairs that TSO keeps ([`crate::reference`]).
//! Taking a lock is an update, so TSO keeps it before all that follows in its section, and giving it back is a write,
//! before which TSO keeps all that it comes after. So program order to the unlock and from the lock is kept, and
//! replacing an edge between accesses under one lock leaves a cycle that TSO forbids. Take one with as few
//! edges between threads as possible, and so on, as above. All short cuts are there:
//!
//! - *Threads.* That a thread is visited once, or twice as is said there, follows from what TSO keeps between the
//!   four ends of two visits, whatever leads from one thread to the next; an edge `lk` counts like any other.
//! - *Addresses.* Let a cycle go from `p` to `q` and later from `r` to `s`, all at one address, and let `p` come before `s`
//!   in the order of that address (else `r` comes before `q`). `lk` is in that order too, from the unlock to what the
//!   lock reads. If `s` is a write, `p` comes before it in `co` or `fr`. If it is a read, `r` is the write that it reads, or
//!   the unlock of an edge `lk`, and `p` is `r` or comes before it in `co` or `fr`; the edge from `r` to `s` stays. So the
//!   new edge always leads to a write. Within a thread TSO keeps it. Between accesses under one lock it becomes `lk`, by
//!   two pairs that TSO keeps. No short cut is a write before a read of the same thread, which TSO would not keep.
//! - *Two edges `lk` of one lock.* The first unlock comes before the second lock, or the second unlock before the
//!   first lock, in the order of sections; in one thread that is program order, and the lock is kept after the unlock.
//!
//! In the random programs of the tests there are locks for both references.

use std::collections::BTreeMap;
use std::ops::Range;

use events::{ClassId, Instances, LocationSet, MemoryId};
use program::IndexVec;
use program::index::Idx;
use rustc_hash::FxHashMap;

use crate::architecture::Direction;
use crate::bits::Bits;
use crate::critical::{Communication, communication};
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

/// What cycles leave their threads to, from some classes of one direction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Exit {
    pub(crate) direction: Direction,
    /// The classes of other threads that these communicate with.
    pub(crate) all: Bits,
    /// Those of them that read.
    pub(crate) reads: Bits,
    /// Those of them that write.
    pub(crate) writes: Bits,
}

impl Exit {
    /// The classes that are entered by a kind of communication.
    pub(crate) const fn by(&self, how: Communication) -> Option<&Bits> {
        match (how, self.direction) {
            (Communication::ReadFrom, Direction::Write) => Some(&self.reads),
            (Communication::Coherence, Direction::Write)
            | (Communication::FromRead, Direction::Read) => Some(&self.writes),
            (Communication::ReadFrom | Communication::Coherence, Direction::Read)
            | (Communication::FromRead, Direction::Write) => None,
        }
    }
}

/// All classes, and the relations between them. Threads that execute the same code have many classes that differ
/// in their thread alone; so what communicates alike, and what leads on alike, is known once.
#[derive(Clone, Debug)]
pub(crate) struct Classes {
    pub(crate) all: Vec<Class>,
    /// For each class of threads, the class of each of its events.
    pub(crate) of_event: IndexVec<ClassId, FxHashMap<EventId, usize>>,
    /// For each class of threads, its classes.
    ranges: Vec<Range<usize>>,
    /// For each class, the classes of its thread that come after it at another address, as far as what the
    /// program is compared with keeps them in order: their numbers within the thread.
    after: Vec<Bits>,
    /// What classes communicate with, each once.
    pub(crate) exits: Vec<Exit>,
    /// For each class, which of them is its own.
    pub(crate) exit_of: Vec<usize>,
    /// Where threads are left after a class, as numbers of exits in ascending order, each once.
    pub(crate) onwards: Vec<Vec<usize>>,
    /// For each class, which of them is its own.
    pub(crate) onward_of: Vec<usize>,
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
        let mut all = Self {
            all: classes,
            of_event,
            ranges,
            after: Vec::new(),
            exits: Vec::new(),
            exit_of: Vec::new(),
            onwards: Vec::new(),
            onward_of: Vec::new(),
        };
        all.find_exits(machine);
        all.after = all.program_order(machine);
        all.find_onwards();
        all
    }

    /// The classes of a class of threads.
    pub(crate) fn of_thread(&self, thread: ClassId) -> Range<usize> {
        self.ranges[thread.index()].clone()
    }

    /// The first class of the thread of a class.
    pub(crate) fn home(&self, class: usize) -> usize {
        self.ranges[self.all[class].thread.index()].start
    }

    /// The classes of other threads that a class communicates with.
    pub(crate) fn communicates(&self, class: usize) -> &Bits {
        &self.exits[self.exit_of[class]].all
    }

    /// The classes of the same thread that come after a class.
    pub(crate) fn after(&self, class: usize) -> impl Iterator<Item = usize> + '_ {
        let home = self.home(class);
        self.after[class].iter().map(move |second| home + second)
    }

    /// Whether one class of a thread comes after another.
    pub(crate) fn is_after(&self, first: usize, second: usize) -> bool {
        let range = self.of_thread(self.all[first].thread);
        range.contains(&second) && self.after[first].contains(second - range.start)
    }

    /// Finds out what communicates with what.
    fn find_exits(&mut self, machine: &Machine<'_>) {
        let count = self.all.len();
        let event = |class: &Class| &machine.events[class.events[0]];
        // What classes of all threads agree in that matters here.
        let mut numbers: BTreeMap<(Direction, &LocationSet, &[MemoryId]), usize> = BTreeMap::new();
        let mut of_kind: Vec<Vec<usize>> = Vec::new();
        let mut kinds: Vec<usize> = Vec::new();
        for (number, class) in self.all.iter().enumerate() {
            let data = event(class);
            let key = (data.direction, &data.locations, &data.held[..]);
            let kind = *numbers.entry(key).or_insert(of_kind.len());
            if kind == of_kind.len() {
                of_kind.push(Vec::new());
            }
            of_kind[kind].push(number);
            kinds.push(kind);
        }
        // The kinds that may hit each location; those that may hit all before one; and all others that hit
        // something.
        let mut of_location: Vec<Vec<usize>> = vec![Vec::new(); machine.graph.locations.len()];
        let mut before: Vec<(MemoryId, usize)> = Vec::new();
        let mut anywhere: Vec<usize> = Vec::new();
        let mut somewhere: Vec<usize> = Vec::new();
        for (kind, classes) in of_kind.iter().enumerate() {
            match &event(&self.all[classes[0]]).locations {
                LocationSet::Any => anywhere.push(kind),
                LocationSet::Before(end) => before.push((*end, kind)),
                LocationSet::Some(set) => {
                    for location in set {
                        of_location[location.index()].push(kind);
                    }
                    if !set.is_empty() {
                        somewhere.push(kind);
                    }
                }
            }
        }
        let met_by = |locations: &LocationSet| {
            let mut met: Vec<usize> = match locations {
                LocationSet::Some(set) if set.is_empty() => return Vec::new(),
                LocationSet::Any => [&before_all(&before)[..], &somewhere].concat(),
                LocationSet::Before(end) => {
                    let some = of_location[..end.index()].iter().flatten().copied();
                    before_all(&before).into_iter().chain(some).collect()
                }
                LocationSet::Some(set) => {
                    let far = before.iter().filter(|(end, _)| set[0] < *end).map(|(_, kind)| *kind);
                    let some = set.iter().flat_map(|location| &of_location[location.index()]);
                    far.chain(some.copied()).collect()
                }
            };
            met.extend(&anywhere);
            met.sort_unstable();
            met.dedup();
            met
        };
        // Threads beside which the same run.
        let mut rows: BTreeMap<Vec<bool>, usize> = BTreeMap::new();
        let mut beside: Vec<usize> = Vec::new();
        for row in &machine.graph.parallel {
            let next = rows.len();
            beside.push(*rows.entry(row.iter().copied().collect()).or_insert(next));
        }
        let mut known: FxHashMap<(usize, usize), usize> = FxHashMap::default();
        let mut exits: FxHashMap<Exit, usize> = FxHashMap::default();
        for (number, class) in self.all.iter().enumerate() {
            let key = (kinds[number], beside[class.thread.index()]);
            let exit = *known.entry(key).or_insert_with(|| {
                let data = event(class);
                let parallel = &machine.graph.parallel[class.thread];
                let nothing = || Bits::new(count);
                let (mut all, mut reads, mut writes) = (nothing(), nothing(), nothing());
                for kind in met_by(&data.locations) {
                    let other = event(&self.all[of_kind[kind][0]]);
                    let is_locked = data.held.iter().any(|lock| other.held.contains(lock));
                    if is_locked || communication(data.direction, other.direction).is_none() {
                        continue;
                    }
                    let to = match other.direction {
                        Direction::Read => &mut reads,
                        Direction::Write => &mut writes,
                    };
                    for class in &of_kind[kind] {
                        if parallel[self.all[*class].thread] {
                            to.insert(*class);
                        }
                    }
                }
                all.add(&reads);
                all.add(&writes);
                let next = exits.len();
                let exit = Exit { direction: data.direction, all, reads, writes };
                *exits.entry(exit).or_insert(next)
            });
            self.exit_of.push(exit);
        }
        let mut all: Vec<(Exit, usize)> = exits.into_iter().collect();
        all.sort_unstable_by_key(|(_, number)| *number);
        self.exits = all.into_iter().map(|(exit, _)| exit).collect();
    }

    /// Finds out where threads are left after each class.
    fn find_onwards(&mut self) {
        let mut numbers: FxHashMap<Vec<usize>, usize> = FxHashMap::default();
        for class in 0..self.all.len() {
            let mut exits: Vec<usize> = self.after(class).map(|to| self.exit_of[to]).collect();
            exits.sort_unstable();
            exits.dedup();
            let next = self.onwards.len();
            let onward = *numbers.entry(exits).or_insert_with_key(|exits| {
                self.onwards.push(exits.clone());
                next
            });
            self.onward_of.push(onward);
        }
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
            let of_thread = &self.all[range.clone()];
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
                let mut row = Bits::new(of_thread.len());
                for (second, other) in of_thread.iter().enumerate() {
                    let number = kinds[other.events[0]];
                    if !after.contains(number) {
                        continue;
                    }
                    // All events of a class hit the same.
                    let is_same = machine.surely_same(class.events[0], other.events[0]);
                    let is_kept = !machine.needs_waiting(first, &machine.events[other.events[0]])
                        || waited.contains(number);
                    if is_kept && !is_same {
                        row.insert(second);
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

/// The kinds that may hit all before some location.
fn before_all(before: &[(MemoryId, usize)]) -> Vec<usize> {
    before.iter().map(|(_, kind)| *kind).collect()
}
