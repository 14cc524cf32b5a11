//! Delays: pairs of accesses on critical cycles that are not ordered as strongly as they must be.
//!
//! Which there are is a question about sets, answered for all accesses at once ([`crate::unordered`]); a path
//! is looked for only where somebody wants to see it or to put a fence on it.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use events::{ClassId, Graph, PlaceId};
use program::index::Idx;
use program::{FenceKind, IndexVec};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::architecture::{Arch, Direction, Strength};
use crate::bits::Bits;
use crate::classes::Classes;
use crate::critical::{Context, Critical};
use crate::machine::{Changed, EventId, Machine, Orders, Settings};
use crate::order::{Kinds, Passed, Reached, Until, Walker, Ways, ways};
use crate::overwritten::Cells;
use crate::reference::Reference;
use crate::stretch::{Pair, Stretch, stretches, unstopped_pairs};
use crate::unordered::{Found, Unordered};

/// The kinds of fences that are put at each place.
pub type Put = IndexVec<PlaceId, Vec<FenceKind>>;

/// A graph, compiled for an architecture, with its critical pairs.
#[derive(Clone, Debug)]
pub struct Analysis<'g> {
    /// The compiled graph.
    pub machine: Machine<'g>,
    pub(crate) classes: Arc<Classes>,
    pub(crate) critical: Arc<Critical>,
    pub(crate) cells: Arc<Cells>,
    /// The pairs that fences and orders are looked for, if not all.
    needed: Option<Arc<Needed>>,
}

/// The only pairs that have to be ordered, as somebody found out who knows more of the program than its graph. What is
/// placed for them is proven by whoever says so, and not here.
#[derive(Clone, Debug, Default)]
pub struct Needed {
    /// The pairs.
    pub pairs: FxHashSet<(EventId, EventId)>,
    /// How strongly they are ordered.
    pub strongly: Strongly,
}

/// How strongly pairs are ordered of which somebody knows that they have to be, on a machine that has several strengths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strongly {
    /// As an acquire and a release do, where that orders them at all.
    #[default]
    AsOrders,
    /// As the cycles need that the graph has.
    AsNeeded,
    /// And chains of several pairs get the full fence that they need.
    WithChains,
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
    /// What a path from the first to the second passes that nothing stops.
    pub passed: Passed,
}

/// How many delays are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// All.
    All,
    /// For each access and each way to order it, the nearest this many.
    Nearest(usize),
}

impl Wanted {
    /// How many of each access.
    const fn most(self) -> usize {
        match self {
            Self::All => usize::MAX,
            Self::Nearest(most) => most,
        }
    }
}

impl<'g> Analysis<'g> {
    /// Finds the critical pairs of a graph on an architecture, compared with SC.
    pub fn new(graph: &'g Graph, arch: Arch, orders: Orders) -> Self {
        Self::against(graph, arch, orders, Reference::Sc)
    }

    /// Finds the critical pairs of a graph on an architecture.
    pub fn against(graph: &'g Graph, arch: Arch, orders: Orders, reference: Reference) -> Self {
        Self::compiled(
            graph,
            Settings { arch, orders, reference, dependencies: true },
            Changed::default(),
        )
    }

    /// Finds the critical pairs of a graph that is compiled like this.
    pub fn compiled(graph: &'g Graph, settings: Settings, changed: Changed) -> Self {
        let machine = Machine::new(graph, settings, changed);
        let classes = Classes::new(&machine);
        let critical = Critical::new(&classes, &machine);
        let cells = Arc::new(Cells::new(&machine));
        Self {
            machine,
            classes: Arc::new(classes),
            critical: Arc::new(critical),
            cells,
            needed: None,
        }
    }

    /// The same with other orders: cycles are the same, since they are about what the program is compared with.
    #[must_use]
    pub fn compiled_with(&self, changed: Changed) -> Self {
        let machine = Machine::new(self.machine.graph, self.machine.settings, changed);
        let (classes, critical) = (Arc::clone(&self.classes), Arc::clone(&self.critical));
        let (cells, needed) = (Arc::clone(&self.cells), self.needed.clone());
        Self { machine, classes, critical, cells, needed }
    }

    /// The same, where only some pairs have to be ordered.
    #[must_use]
    pub fn where_needed(&self, needed: Needed) -> Self {
        Self { needed: Some(Arc::new(needed)), ..self.clone() }
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
        let of_event = &self.classes.of_event[thread];
        match (of_event.get(&first), of_event.get(&second)) {
            (Some(first), Some(second)) => self.needs_of_classes(*first, *second),
            (_, _) => Strength::None,
        }
    }

    pub(crate) fn needs_of_classes(&self, first: usize, second: usize) -> Strength {
        if self.may_read_backwards(first, second) {
            return Strength::Full;
        }
        let event = |class: usize| self.classes.all[class].events[0];
        if self.machine.surely_same(event(first), event(second)) {
            return Strength::None;
        }
        let is_multi_copy_atomic = self.machine.arch.is_multi_copy_atomic();
        let needs = self.critical.context(first, second).needs(is_multi_copy_atomic);
        match &self.needed {
            Some(needed) if needed.strongly == Strongly::AsOrders && !is_multi_copy_atomic => {
                let direction = |class: usize| self.classes.all[class].direction;
                needs.min(match (direction(first), direction(second)) {
                    (Direction::Write, Direction::Read) => Strength::Full,
                    (Direction::Write, Direction::Write) => Strength::Light,
                    (Direction::Read, _) => Strength::Preserved,
                })
            }
            Some(_) | None => needs,
        }
    }

    /// Whether two reads of one address may see its writes in the wrong order.
    pub(crate) fn may_read_backwards(&self, first: usize, second: usize) -> bool {
        let classes = &self.classes;
        let is_read = |class: usize| classes.all[class].direction == Direction::Read;
        if self.machine.arch.keeps_reads_of_one_address() || !is_read(first) || !is_read(second) {
            return false;
        }
        let locations = |class: usize| &self.machine.events[classes.all[class].events[0]].locations;
        locations(first).meets(locations(second))
            && classes.communicates(first).meets(classes.communicates(second))
    }

    /// Whether nothing more has to be ordered: then every execution is one of what it is compared with.
    pub fn is_robust(&self, put: &Put) -> bool {
        let mut is_robust = true;
        Unordered::new(self, put).each(|_| {
            is_robust = false;
            ControlFlow::Break(())
        });
        is_robust && self.stretches(put).is_empty()
    }

    /// The stretches of several pairs in which a full fence is missing.
    pub fn stretches(&self, put: &Put) -> Vec<Stretch> {
        stretches(self, put, &FxHashSet::default())
    }

    /// Those of them in which one could be put, as far as is known.
    pub(crate) fn stretches_but(&self, put: &Put, hopeless: &FxHashSet<Pair>) -> Vec<Stretch> {
        match &self.needed {
            Some(needed) if needed.strongly != Strongly::WithChains => Vec::new(),
            Some(_) | None => stretches(self, put, hopeless),
        }
    }

    /// The pairs that are not ordered as they must be with these fences.
    pub fn delays(&self, put: &Put, wanted: Wanted) -> Vec<Delay> {
        self.first_delays(put, wanted, usize::MAX)
    }

    /// The first of them, so many that there are at least this many.
    pub fn first_delays(&self, put: &Put, wanted: Wanted, most: usize) -> Vec<Delay> {
        let mut unordered = Unordered::new(self, put);
        let mut paths = Paths::new(self, put);
        let mut delays = Vec::new();
        unordered.each(|found| {
            delays.extend(paths.delays(found, found.seconds, wanted.most()));
            if delays.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        delays
    }

    /// For each access, the nearest delays that can be stopped, at most so many, in the first class of threads in which
    /// there are any: what stops these stops most of the others. Those that were met on the way and cannot be
    /// stopped are told, and never looked for again.
    pub(crate) fn stoppable_delays(
        &self,
        put: &Put,
        most: usize,
        hopeless: &mut Hopeless,
        mut can_be_stopped: impl FnMut(&Delay) -> bool,
    ) -> Vec<Delay> {
        let mut unordered = Unordered::new(self, put);
        let mut paths = Paths::new(self, put);
        let mut delays = Vec::new();
        let mut met = FxHashSet::default();
        unordered.each(|found| {
            let access = (found.first, found.direction, found.level);
            if met.contains(&access) {
                return ControlFlow::Continue(());
            }
            let mut seconds = found.seconds.clone();
            for second in hopeless.after(found.thread, found.first) {
                seconds.remove(second.index());
            }
            if let Some(needed) = &self.needed {
                for second in found.seconds.iter() {
                    if !needed.pairs.contains(&(found.first, EventId::new(second))) {
                        seconds.remove(second);
                    }
                }
            }
            let (mut missing, mut ask) = (most, most);
            while missing > 0 && !seconds.is_empty() {
                let nearest = paths.delays(found, &seconds, ask);
                if nearest.is_empty() {
                    break;
                }
                for delay in nearest {
                    seconds.remove(delay.second.index());
                    if !can_be_stopped(&delay) {
                        hopeless.insert(delay);
                    } else if missing > 0 {
                        missing -= 1;
                        met.insert(access);
                        delays.push(delay);
                    }
                }
                ask = ask.saturating_mul(2);
            }
            ControlFlow::Continue(())
        });
        delays
    }

    /// For each access, the nearest delays that more fences would stop, at most so many.
    pub(crate) fn delays_to_stop(
        &self,
        unordered: &mut Unordered<'_, 'g>,
        put: &Put,
        each: usize,
    ) -> Vec<Delay> {
        let mut paths = Paths::new(self, put);
        let mut delays = Vec::new();
        unordered.put(put);
        unordered.each(|found| {
            delays.extend(paths.delays(found, found.seconds, each));
            ControlFlow::Continue(())
        });
        delays
    }

    /// The delays that all fences that may be put in do not stop, each pair of places in the text once.
    pub(crate) fn hopeless_delays(&self, most: &Put) -> Vec<Delay> {
        let place = |event: EventId| {
            let data = &self.machine.events[event];
            let in_text = data.span.source.map(|source| (source, data.span.start));
            (data.direction, data.node.0, in_text.ok_or(event))
        };
        let places: Vec<_> = self.machine.events.indices().map(place).collect();
        let mut numbers = BTreeMap::new();
        let places: Vec<usize> = places
            .into_iter()
            .map(|place| {
                let next = numbers.len();
                *numbers.entry(place).or_insert(next)
            })
            .collect();
        let mut seen: FxHashSet<(usize, usize)> = FxHashSet::default();
        let mut paths = Paths::new(self, most);
        let mut delays = Vec::new();
        Unordered::new(self, most).each(|found| {
            let mut seconds = Bits::new(self.machine.columns());
            for second in found.seconds.iter() {
                if seen.insert((places[found.first.index()], places[second])) {
                    seconds.insert(second);
                }
            }
            if !seconds.is_empty() {
                delays.extend(paths.delays(found, &seconds, usize::MAX));
            }
            ControlFlow::Continue(())
        });
        delays
    }

    /// The pairs of classes that all fences that may be put in do not keep in order.
    pub(crate) fn hopeless_pairs(&self, most: &Put) -> FxHashSet<Pair> {
        if self.machine.arch.is_multi_copy_atomic() {
            return FxHashSet::default();
        }
        let all = unstopped_pairs(self, most).into_iter().enumerate();
        all.flat_map(|(first, seconds)| seconds.into_iter().map(move |second| (first, second)))
            .collect()
    }

    /// How many pairs are not ordered as they must be with these fences.
    pub fn count_delays(&self, put: &Put) -> usize {
        let mut count = 0;
        Unordered::new(self, put).each(|found| {
            count += found.seconds.len();
            ControlFlow::Continue(())
        });
        count
    }
}

/// Delays that nothing can stop.
#[derive(Debug, Default)]
pub(crate) struct Hopeless {
    after: FxHashMap<(ClassId, EventId), FxHashSet<EventId>>,
    /// In the order in which they were met.
    pub(crate) all: Vec<Delay>,
}

impl Hopeless {
    fn insert(&mut self, delay: Delay) {
        self.after.entry((delay.thread, delay.first)).or_default().insert(delay.second);
        self.all.push(delay);
    }

    fn after(&self, thread: ClassId, first: EventId) -> impl Iterator<Item = EventId> + '_ {
        self.after.get(&(thread, first)).into_iter().flatten().copied()
    }

    pub(crate) fn contains(&self, (thread, first, second): (ClassId, EventId, EventId)) -> bool {
        self.after.get(&(thread, first)).is_some_and(|seconds| seconds.contains(&second))
    }
}

/// Paths that no fence of some kinds stops.
pub(crate) struct Paths<'a, 'g> {
    analysis: &'a Analysis<'g>,
    put: &'a Put,
    walker: Walker<'a, 'g>,
    /// By what stops a path: fences, and writes of a cell.
    ways: BTreeMap<(Kinds, Option<usize>), Ways>,
}

impl<'a, 'g> Paths<'a, 'g> {
    pub(crate) fn new(analysis: &'a Analysis<'g>, put: &'a Put) -> Self {
        let walker = Walker::new(&analysis.machine);
        Self { analysis, put, walker, ways: BTreeMap::new() }
    }

    /// What a shortest path from an event to one of a class passes, and that event.
    pub(crate) fn until_class(
        &mut self,
        (thread, first): (ClassId, EventId),
        class: usize,
        strength: Strength,
    ) -> Option<(EventId, Passed)> {
        let machine = &self.analysis.machine;
        let second = self.analysis.classes.all[class].direction;
        let kinds = Kinds::between(machine, first, second, strength);
        let stops = Until { kinds, put: self.put, events: None };
        let ways = self.ways.entry((kinds, None)).or_insert_with(|| ways(machine, &stops));
        let of_event = &self.analysis.classes.of_event[thread];
        let mut met = None;
        let start = machine.events[first].step;
        self.walker.walk(thread, start, &stops, ways, |reached| match reached.event {
            Some(event) if of_event.get(&event) == Some(&class) => {
                met = Some((event, reached));
                ControlFlow::Break(())
            }
            Some(_) | None => ControlFlow::Continue(()),
        });
        met.map(|(event, reached)| (event, self.walker.passed(start, reached, ways)))
    }

    /// The nearest of some events that are not ordered after an access.
    fn delays(&mut self, found: &Found<'_>, seconds: &Bits, most: usize) -> Vec<Delay> {
        let cells = &self.analysis.cells;
        let mut others = seconds.clone();
        let mut delays = Vec::new();
        for cell in cells.read_by(&self.analysis.machine, found.first, seconds) {
            let mut reads = cells.all[cell].reads.clone();
            reads.keep(seconds);
            others.leave_out(&reads);
            delays.extend(self.past(found, &reads, Some(cell), most));
        }
        if !others.is_empty() {
            delays.extend(self.past(found, &others, None, most));
        }
        delays
    }

    /// Those that are met before a cell is written.
    fn past(
        &mut self,
        found: &Found<'_>,
        seconds: &Bits,
        cell: Option<usize>,
        most: usize,
    ) -> Vec<Delay> {
        let machine = &self.analysis.machine;
        let Found { thread, first, .. } = *found;
        if machine.must_wait(first, found.direction) {
            return self.waited(found, seconds, most);
        }
        let kinds = Kinds::between(machine, first, found.direction, found.level);
        let events = cell.map(|cell| &self.analysis.cells.all[cell].writes);
        let stops = Until { kinds, put: self.put, events };
        let ways = self.ways.entry((kinds, cell)).or_insert_with(|| ways(machine, &stops));
        let start = machine.events[first].step;
        let mut left = seconds.clone();
        let mut met = Vec::new();
        let mut without = Vec::new();
        self.walker.walk(thread, start, &stops, ways, |reached| {
            if let Some(event) = reached.event
                && left.contains(event.index())
            {
                // Who depends on the first event is late only if that is executed again.
                if !reached.again && machine.events[event].depends_on.contains(&first) {
                    without.push((event, reached));
                } else {
                    left.remove(event.index());
                    met.push((event, reached));
                }
            }
            if met.len() >= most || left.is_empty() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        for (event, reached) in without {
            if met.len() < most && left.contains(event.index()) {
                left.remove(event.index());
                met.push((event, reached));
            }
        }
        let delay = |(second, reached): (EventId, Reached)| {
            let passed = self.walker.passed(start, reached, ways);
            let needs = self.analysis.needs(thread, first, second);
            Delay { thread, first, second, needs, passed }
        };
        met.into_iter().map(delay).collect()
    }

    /// Delays of a write and reads, on paths on which something waits: to a step that waits, and on from there.
    fn waited(&mut self, found: &Found<'_>, seconds: &Bits, most: usize) -> Vec<Delay> {
        let machine = &self.analysis.machine;
        let Found { thread, first, .. } = *found;
        let kinds = Kinds::between(machine, first, found.direction, found.level);
        let stops = Until { kinds, put: self.put, events: None };
        let ways = self.ways.entry((kinds, None)).or_insert_with(|| ways(machine, &stops));
        let start = machine.events[first].step;
        let mut left = seconds.clone();
        let mut waiting: Vec<Reached> = Vec::new();
        self.walker.walk(thread, start, &stops, ways, |reached| {
            let is_new = || waiting.iter().all(|other| other.step != reached.step);
            if machine.steps[reached.step].waits && is_new() {
                waiting.push(reached);
            }
            ControlFlow::Continue(())
        });
        // The next walk forgets this one.
        let waiting: Vec<(Reached, Passed)> = waiting
            .into_iter()
            .map(|reached| (reached, self.walker.passed(start, reached, ways)))
            .collect();
        let mut met: Vec<(EventId, Passed)> = Vec::new();
        for (reached, passed) in &waiting {
            if let Some(event) = reached.event
                && met.len() < most
                && left.contains(event.index())
            {
                left.remove(event.index());
                met.push((event, passed.clone()));
            }
        }
        for (from, before) in waiting {
            if met.len() >= most || left.is_empty() {
                break;
            }
            let mut reads = Vec::new();
            self.walker.walk(thread, from.step, &stops, ways, |reached| {
                if let Some(event) = reached.event
                    && left.contains(event.index())
                {
                    left.remove(event.index());
                    reads.push((event, reached));
                }
                if met.len() + reads.len() >= most || left.is_empty() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
            for (event, reached) in reads {
                let rest = self.walker.passed(from.step, reached, ways);
                met.push((event, before.then(from.event, rest)));
            }
        }
        let delay = |(second, passed): (EventId, Passed)| {
            let needs = self.analysis.needs(thread, first, second);
            Delay { thread, first, second, needs, passed }
        };
        met.into_iter().map(delay).collect()
    }
}
