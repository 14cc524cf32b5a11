//! Which accesses are not ordered as strongly as they must be, for all accesses at once.
//!
//! What comes after an access past fences that are too weak is a set of events ([`crate::reach`]); what must be
//! ordered after it is the union of some classes, the same for all accesses of its class that acquire and release
//! alike. Their intersection is what is not ordered, dependencies aside: those are few, and looked at one by
//! one. A dependency is on the last execution of a read. So it does not count if the read may be executed
//! again before what depends on it: if it comes after itself.
//!
//! Where the program is compared with TSO, a read after a write counts only if something waits between them
//! ([`crate::reference`]). A fence that waits stops the machine as well, unless it is taken away; so it is a locked
//! access or such a fence, and what counts is what comes after one of those that come after the write.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use events::ClassId;
use program::index::Idx;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::architecture::{Direction, Strength};
use crate::bits::Bits;
use crate::delays::{Analysis, Put};
use crate::machine::{Acquire, Attributes, Does, EventId, Machine, StepId};
use crate::order::{Kinds, Until, ways};
use crate::overwritten::Cell;
use crate::reach::{Beyond, Reach};

/// What is not ordered after an access.
pub(crate) struct Found<'f> {
    pub(crate) thread: ClassId,
    pub(crate) first: EventId,
    /// Whether the later accesses are reads or writes.
    pub(crate) direction: Direction,
    /// Whether they need a full fence.
    pub(crate) level: Strength,
    /// The events that should be ordered after it and are not; there is one.
    pub(crate) seconds: &'f Bits,
}

/// What can be reached from each step past fences of all but some kinds.
pub(crate) fn events_after<'m, 'g>(
    machine: &'m Machine<'g>,
    kinds: Kinds,
    put: &Put,
) -> Reach<'m, 'g> {
    let stops = Until { kinds, put, events: None };
    let event_of = |step: StepId| match machine.steps[step].does {
        Does::Event(event) => Some(event.index()),
        Does::Nothing | Does::Fence(_) | Does::Call(_) | Does::Return => {
            machine.column_of_fence(step)
        }
    };
    Reach::new(machine, &stops, &ways(machine, &stops), machine.columns(), &event_of)
}

/// The reads of a cell that can be reached from each step before the cell is written, past fences of all but some
/// kinds. They are numbered in their order, so that sets are small.
fn reads_after<'m, 'g>(
    machine: &'m Machine<'g>,
    kinds: Kinds,
    put: &Put,
    cell: &Cell,
) -> Reach<'m, 'g> {
    let stops = Until { kinds, put, events: Some(&cell.writes) };
    let numbers: FxHashMap<usize, usize> =
        cell.reads.iter().enumerate().map(|(at, read)| (read, at)).collect();
    let number_of = |step: StepId| match machine.steps[step].does {
        Does::Event(event) => numbers.get(&event.index()).copied(),
        Does::Nothing | Does::Fence(_) | Does::Call(_) | Does::Return => None,
    };
    Reach::new(machine, &stops, &ways(machine, &stops), numbers.len(), &number_of)
}

/// What can be reached past the fences that are put in.
struct Past<'a, 'g> {
    put: Put,
    reach: BTreeMap<Kinds, Reach<'a, 'g>>,
    /// What can be reached before a cell is overwritten.
    before_writes: BTreeMap<(Kinds, usize), Reach<'a, 'g>>,
}

/// What comes after functions return, in one class of threads.
#[derive(Default)]
struct InThread {
    beyond: BTreeMap<Kinds, Beyond>,
    /// For what waits after an access, all that comes behind it.
    behind: BTreeMap<Kinds, FxHashMap<Bits, Bits>>,
    /// Before a cell is overwritten.
    before_writes: BTreeMap<(Kinds, usize), Beyond>,
}

impl Past<'_, '_> {
    const fn new(put: Put) -> Self {
        Self { put, reach: BTreeMap::new(), before_writes: BTreeMap::new() }
    }
}

/// The search.
pub(crate) struct Unordered<'a, 'g> {
    analysis: &'a Analysis<'g>,
    past: Past<'a, 'g>,
    /// What cannot be ordered by all that may be put in is left out.
    most: Option<Past<'a, 'g>>,
    /// For each read, the events that depend on it.
    dependents: FxHashMap<EventId, Vec<EventId>>,
    waiting: Bits,
    wanted: Wanted,
}

/// What must be ordered after accesses that are alike.
type Wanted = FxHashMap<(usize, Alike, Direction, Strength), Bits>;

/// An access, and the later ones that are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct First {
    event: EventId,
    direction: Direction,
    level: Strength,
}

impl<'a, 'g> Unordered<'a, 'g> {
    pub(crate) fn new(analysis: &'a Analysis<'g>, put: &Put) -> Self {
        let mut dependents: FxHashMap<EventId, Vec<EventId>> = FxHashMap::default();
        for (event, data) in analysis.machine.events.enumerate() {
            for read in &data.depends_on {
                dependents.entry(*read).or_default().push(event);
            }
        }
        let waiting = analysis.machine.waiting();
        let (past, wanted) = (Past::new(put.clone()), Wanted::default());
        Self { analysis, past, most: None, dependents, waiting, wanted }
    }

    /// Those that more fences would order: with `most`, which is all that may be put in. Each access is met in one
    /// class of threads that executes it, unless nothing is to be ordered there.
    pub(crate) fn but(analysis: &'a Analysis<'g>, most: &Put) -> Self {
        let nothing = analysis.nothing_put();
        Self { most: Some(Past::new(most.clone())), ..Self::new(analysis, &nothing) }
    }

    /// The same with other fences.
    pub(crate) fn put(&mut self, put: &Put) {
        self.past = Past::new(put.clone());
    }

    /// Meets all accesses after which something is not ordered, until one is enough.
    pub(crate) fn each(&mut self, mut meet: impl FnMut(&Found<'_>) -> ControlFlow<()>) {
        let machine = &self.analysis.machine;
        let levels: &[Strength] = if machine.arch.is_multi_copy_atomic() {
            &[Strength::Full]
        } else {
            // What must be preserved is so by any fence that orders it.
            &[Strength::Light, Strength::Full]
        };
        let mut after = Bits::new(machine.columns());
        let mut never = after.clone();
        let mut met: FxHashSet<First> = FxHashSet::default();
        for thread in machine.graph.threads.indices() {
            let (mut with, mut with_most) = (InThread::default(), InThread::default());
            for event in machine.events_of(thread) {
                let Some(class) = self.analysis.classes.of_event[thread].get(&event).copied()
                else {
                    continue;
                };
                for direction in [Direction::Read, Direction::Write] {
                    for level in levels.iter().copied() {
                        let first = First { event, direction, level };
                        if !self.may_matter(class, direction) || met.contains(&first) {
                            continue;
                        }
                        let key = (class, alike(machine, event), direction, level);
                        let analysis = self.analysis;
                        let wanted = self.wanted.entry(key).or_insert_with(|| {
                            wanted(analysis, thread, (class, event), direction, level)
                        });
                        if wanted.is_empty() {
                            continue;
                        }
                        let known = (self.analysis, &self.waiting, &self.dependents);
                        self.past.late(known, &mut with, (thread, first), wanted, &mut after);
                        if let Some(most) = &mut self.most
                            && !after.is_empty()
                        {
                            most.late(known, &mut with_most, (thread, first), wanted, &mut never);
                            after.leave_out(&never);
                        }
                        if after.is_empty() {
                            continue;
                        }
                        if self.most.is_some() {
                            met.insert(first);
                        }
                        let seconds = &after;
                        let found = Found { thread, first: event, direction, level, seconds };
                        if meet(&found).is_break() {
                            return;
                        }
                    }
                }
            }
        }
    }

    fn may_matter(&self, class: usize, second: Direction) -> bool {
        let arch = self.analysis.machine.arch;
        if !arch.keeps_reads_of_one_address() {
            return true;
        }
        let first = self.analysis.classes.all[class].direction;
        arch.by_itself(first, second) < Strength::Full && self.analysis.critical.begins(class)
    }
}

/// The events of a thread that must be ordered after one, at this level, and are not by what they are.
fn wanted(
    analysis: &Analysis<'_>,
    thread: ClassId,
    (class, first): (usize, EventId),
    direction: Direction,
    level: Strength,
) -> Bits {
    let mut wanted = Bits::new(analysis.machine.columns());
    for second in analysis.classes.of_thread(thread) {
        let other = &analysis.classes.all[second];
        if other.direction != direction {
            continue;
        }
        let needs = analysis.needs_of_classes(class, second);
        let is_of_level = match level {
            Strength::Full => needs == Strength::Full,
            Strength::None | Strength::Preserved | Strength::Light => {
                needs > Strength::None && needs < Strength::Full
            }
        };
        if is_of_level {
            // Nearly all events of a class have the same attributes.
            let mut last: Option<(Attributes, bool)> = None;
            for event in &other.events {
                let attributes = analysis.machine.events[*event].attributes;
                let is_late = match last {
                    Some((known, is_late)) if known == attributes => is_late,
                    Some(_) | None => analysis.machine.by_orders(first, *event) < needs,
                };
                last = Some((attributes, is_late));
                if is_late {
                    wanted.insert(event.index());
                }
            }
        }
    }
    wanted
}

/// What is known beside fences: the analysis, the columns at which something waits, and who depends on each read.
type Known<'k, 'a, 'g> = (&'a Analysis<'g>, &'k Bits, &'k FxHashMap<EventId, Vec<EventId>>);

impl<'a, 'g> Past<'a, 'g> {
    /// What comes after an access of what is to be ordered.
    fn late(
        &mut self,
        (analysis, waiting, dependents): Known<'_, 'a, 'g>,
        known: &mut InThread,
        (thread, first): (ClassId, First),
        wanted: &Bits,
        after: &mut Bits,
    ) {
        let machine = &analysis.machine;
        let First { event, direction, level } = first;
        let kinds = Kinds::between(machine, event, direction, level);
        let put = &self.put;
        let reach = self.reach.entry(kinds).or_insert_with(|| events_after(machine, kinds, put));
        let beyond = known.beyond.entry(kinds).or_insert_with(|| reach.beyond(thread));
        after.clear();
        reach.after(machine.events[event].step, beyond, after);
        let is_repeated = after.contains(event.index());
        if machine.must_wait(event, direction) {
            let met = after.and(waiting);
            let behind = known.behind.entry(kinds).or_default();
            let behind = behind.entry(met).or_insert_with_key(|met| {
                let mut all = met.clone();
                for column in met.iter() {
                    reach.after(machine.step_of(column), beyond, &mut all);
                }
                all
            });
            after.keep(behind);
        }
        after.keep(wanted);
        self.leave_out_overwritten(analysis, known, (thread, event), kinds, after);
        if !is_repeated {
            leave_out_dependents(analysis, dependents, (thread, event), after);
        }
    }

    /// Leaves out reads of what is written on every way there.
    fn leave_out_overwritten(
        &mut self,
        analysis: &'a Analysis<'g>,
        known: &mut InThread,
        (thread, first): (ClassId, EventId),
        kinds: Kinds,
        after: &mut Bits,
    ) {
        let machine = &analysis.machine;
        let put = &self.put;
        for number in analysis.cells.read_by(machine, first, after) {
            let cell = &analysis.cells.all[number];
            let reach = self
                .before_writes
                .entry((kinds, number))
                .or_insert_with(|| reads_after(machine, kinds, put, cell));
            let beyond =
                known.before_writes.entry((kinds, number)).or_insert_with(|| reach.beyond(thread));
            let mut before = Bits::new(cell.count);
            reach.after(machine.events[first].step, beyond, &mut before);
            for (at, read) in cell.reads.iter().enumerate() {
                if !before.contains(at) {
                    after.remove(read);
                }
            }
        }
    }
}

/// Leaves out what depends on a read, if that is enough.
fn leave_out_dependents(
    analysis: &Analysis<'_>,
    dependents: &FxHashMap<EventId, Vec<EventId>>,
    (thread, first): (ClassId, EventId),
    after: &mut Bits,
) {
    let by_dependency = analysis.machine.arch.by_dependency();
    for second in dependents.get(&first).into_iter().flatten() {
        if after.contains(second.index()) && by_dependency >= analysis.needs(thread, first, *second)
        {
            after.remove(second.index());
        }
    }
}

/// What of an event matters to what is ordered after it, beside its class: whether it acquires, releases, is
/// branched on, and is atomic.
type Alike = [bool; 4];

fn alike(machine: &Machine<'_>, event: EventId) -> Alike {
    let data = &machine.events[event];
    let Attributes { acquire, release, branch, atomic, .. } = data.attributes;
    [acquire != Acquire::No, release, branch, atomic]
}
