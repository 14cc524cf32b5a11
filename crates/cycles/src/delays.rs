//! Delays: pairs of accesses on critical cycles that are not ordered as strongly as they must be.

use std::collections::BTreeMap;

use events::{ClassId, Graph, PlaceId};
use program::{FenceKind, IndexVec};
use rustc_hash::FxHashSet;

use crate::architecture::{Arch, Direction, Strength};
use crate::classes::Classes;
use crate::critical::{Context, Critical};
use crate::machine::{EventId, Machine, Orders};
use crate::order::{Reached, Until, Walker, Ways, ways};
use crate::stretch::{Stretch, stretches};

/// The kinds of fences that are put at each place.
pub type Put = IndexVec<PlaceId, Vec<FenceKind>>;

/// A graph, compiled for an architecture, with its critical pairs.
#[derive(Clone, Debug)]
pub struct Analysis<'g> {
    /// The compiled graph.
    pub machine: Machine<'g>,
    pub(crate) classes: Classes,
    pub(crate) critical: Critical,
}

/// A pair of accesses of a thread that is not ordered as it must be.
#[derive(Clone, Debug)]
pub struct Delay {
    /// The thread.
    pub thread: ClassId,
    /// The access that comes first in program order.
    pub first: EventId,
    /// The access that may overtake it.
    pub second: EventId,
    /// How strongly they must be ordered.
    pub needs: Strength,
    /// The places on a path from the first to the second that nothing stops.
    pub places: Vec<PlaceId>,
}

/// How many delays are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// All.
    All,
    /// Their number alone.
    Count,
    /// For each access and each way to order it, the nearest this many.
    Nearest(usize),
}

/// What decides which functions can be passed: the first access, the second, and the strength.
type Mode = (Direction, bool, Direction, Strength);

impl<'g> Analysis<'g> {
    /// Finds the critical pairs of a graph on an architecture.
    pub fn new(graph: &'g Graph, arch: Arch, orders: Orders) -> Self {
        let machine = Machine::new(graph, arch, orders);
        let classes = Classes::new(&machine);
        let critical = Critical::new(&classes, &machine);
        Self { machine, classes, critical }
    }

    /// Whether each thread was visited at most once on a cycle; if not, there may be more critical pairs
    /// than necessary, but never fewer.
    pub fn is_exact(&self) -> bool {
        self.critical.is_exact
    }

    /// The number of accesses that other threads may run beside.
    pub fn events(&self) -> usize {
        self.machine
            .graph
            .threads
            .indices()
            .map(|thread| self.machine.events_of(thread).count())
            .sum()
    }

    /// No fences.
    pub fn nothing_put(&self) -> Put {
        self.machine.graph.places.iter().map(|_| Vec::new()).collect()
    }

    /// How cycles enter and leave a pair of accesses of a thread.
    pub fn context(&self, thread: ClassId, first: EventId, second: EventId) -> Context {
        let of_event = &self.classes.of_event[thread];
        match (of_event.get(&first), of_event.get(&second)) {
            (Some(first), Some(second)) => self.critical.context(*first, *second),
            (_, _) => Context::default(),
        }
    }

    /// How strongly two accesses of a thread must be ordered.
    pub fn needs(&self, thread: ClassId, first: EventId, second: EventId) -> Strength {
        if self.may_read_backwards(thread, first, second) {
            return Strength::Full;
        }
        if self.machine.surely_same(first, second) {
            return Strength::None;
        }
        self.context(thread, first, second).needs(self.machine.arch.is_multi_copy_atomic())
    }

    /// Whether two reads of one address may see its writes in the wrong order.
    pub(crate) fn may_read_backwards(
        &self,
        thread: ClassId,
        first: EventId,
        second: EventId,
    ) -> bool {
        let is_read = |event: EventId| self.machine.events[event].direction == Direction::Read;
        if self.machine.arch.keeps_reads_of_one_address() || !is_read(first) || !is_read(second) {
            return false;
        }
        let of_event = &self.classes.of_event[thread];
        let (Some(one), Some(other)) = (of_event.get(&first), of_event.get(&second)) else {
            return false;
        };
        let locations = |event: EventId| &self.machine.events[event].locations;
        let others = &self.classes.communicates[*other];
        locations(first).meets(locations(second))
            && self.classes.communicates[*one].iter().any(|write| others.contains(write))
    }

    /// Whether nothing more has to be ordered: then every execution is SC.
    pub fn is_robust(&self, put: &Put) -> bool {
        self.delays(put, Wanted::Nearest(1)).is_empty() && self.stretches(put).is_empty()
    }

    /// The stretches of several pairs in which a full fence is missing.
    pub fn stretches(&self, put: &Put) -> Vec<Stretch> {
        stretches(self, put)
    }

    /// The pairs that are not ordered as they must be with these fences.
    pub fn delays(&self, put: &Put, wanted: Wanted) -> Vec<Delay> {
        self.search(put, wanted).0
    }

    /// How many pairs are not ordered as they must be with these fences.
    pub fn count_delays(&self, put: &Put) -> usize {
        self.search(put, Wanted::Count).1
    }

    fn search(&self, put: &Put, wanted: Wanted) -> (Vec<Delay>, usize) {
        let levels: &[Strength] = if self.machine.arch.is_multi_copy_atomic() {
            &[Strength::Full]
        } else {
            // What must be preserved is so by any fence that orders it.
            &[Strength::Light, Strength::Full]
        };
        let mut search = Unstopped::new(self, put);
        let mut delays = Vec::new();
        for thread in self.machine.graph.threads.indices() {
            for first in self.machine.events_of(thread) {
                for second in [Direction::Read, Direction::Write] {
                    for level in levels {
                        search.delays(thread, first, (second, *level), wanted, &mut delays);
                    }
                }
            }
        }
        (delays, search.count)
    }
}

/// Paths that no fence of some strength stops.
pub(crate) struct Unstopped<'a, 'g> {
    analysis: &'a Analysis<'g>,
    put: &'a Put,
    walker: Walker<'a, 'g>,
    ways: BTreeMap<Mode, Ways>,
    /// What the last search was about.
    last: Option<Mode>,
    /// The delays that were found.
    count: usize,
}

impl<'a, 'g> Unstopped<'a, 'g> {
    pub(crate) fn new(analysis: &'a Analysis<'g>, put: &'a Put) -> Self {
        let walker = Walker::new(&analysis.machine);
        Self { analysis, put, walker, ways: BTreeMap::new(), last: None, count: 0 }
    }

    /// The later accesses of a direction that are not ordered by a fence of at least this strength.
    pub(crate) fn after(
        &mut self,
        thread: ClassId,
        first: EventId,
        (second, strength): (Direction, Strength),
    ) -> Vec<Reached> {
        let machine = &self.analysis.machine;
        let data = &machine.events[first];
        let stops = Until { machine, first, second, strength, put: self.put };
        let mode = (data.direction, data.unused, second, strength);
        let ways = self.ways.entry(mode).or_insert_with(|| ways(machine, &stops));
        let mut reached = self.walker.after(thread, first, &stops, ways);
        self.last = Some(mode);
        reached.retain(|reached| machine.events[reached.event].direction == second);
        reached
    }

    /// The places on the path to what was reached last.
    pub(crate) fn places(&self, first: EventId, reached: Reached) -> Vec<PlaceId> {
        let ways = self.last.and_then(|mode| self.ways.get(&mode));
        ways.map_or_else(Vec::new, |ways| self.walker.places(first, reached, ways))
    }

    fn delays(
        &mut self,
        thread: ClassId,
        first: EventId,
        (second, level): (Direction, Strength),
        wanted: Wanted,
        delays: &mut Vec<Delay>,
    ) {
        let machine = &self.analysis.machine;
        let direction = machine.events[first].direction;
        let is_kept = machine.arch.by_itself(direction, second) == Strength::Full
            && machine.arch.keeps_reads_of_one_address();
        let keeps_reads = machine.arch.keeps_reads_of_one_address();
        let is_critical = self.analysis.classes.of_event[thread]
            .get(&first)
            .is_some_and(|class| !keeps_reads || self.analysis.critical.begins(*class));
        if is_kept || !is_critical {
            return;
        }
        let mut seen: FxHashSet<EventId> = FxHashSet::default();
        for reached in self.after(thread, first, (second, level)) {
            let needs = self.analysis.needs(thread, first, reached.event);
            let is_of_level = match level {
                Strength::Full => needs == Strength::Full,
                Strength::None | Strength::Preserved | Strength::Light => {
                    needs > Strength::None && needs < Strength::Full
                }
            };
            if !is_of_level || seen.contains(&reached.event) {
                continue;
            }
            let by_orders = machine.by_orders(first, reached.event);
            let depends =
                !reached.again && machine.events[reached.event].depends_on.contains(&first);
            let by_dependency = if depends { machine.arch.by_dependency() } else { Strength::None };
            if by_orders.max(by_dependency) >= needs {
                continue;
            }
            seen.insert(reached.event);
            self.count += 1;
            if wanted == Wanted::Count {
                continue;
            }
            let places = self.places(first, reached);
            delays.push(Delay { thread, first, second: reached.event, needs, places });
            if wanted == Wanted::Nearest(seen.len()) {
                return;
            }
        }
    }
}
