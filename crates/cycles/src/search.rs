//! Ways from the second access of a pair through other threads back to the first.
//!
//! A cycle visits each thread once (twice, perhaps, if it is one of TSO: [`crate::reference`]) and goes from thread to thread at each address once (condition (3) of
//! CAV'14: three accesses to an address, where the second is a write alone in its thread). So a state of
//! the search is a class that is entered, how, and the sets of threads and addresses so far; of the sets
//! only minimal ones matter.
//!
//! First a relaxation without the sets ([`crate::relaxed`]) says what can be reached at all. Then cycles through few threads
//! are tried before longer ones, until everything is confirmed: nearly always those through two or three
//! threads are enough. What can be confirmed only with more work than is worth it is assumed to be on a
//! cycle: then there may be more pairs than necessary, never fewer.

use std::collections::BTreeMap;

use events::ClassId;
use program::index::Idx;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::architecture::Direction;
use crate::bits::Bits;
use crate::classes::Classes;
use crate::critical::Communication::{self, Coherence, FromRead, ReadFrom};
use crate::critical::{KINDS, number};
use crate::machine::Machine;
use crate::reference::Reference;

/// How many steps are taken altogether, and at least from each class.
const MOST_STEPS: u64 = 20_000_000;
const STEPS_OF_EACH: u64 = 1_000;

/// The greatest number of threads that are told apart.
const MOST_THREADS: u32 = 64;

/// The greatest number of addresses that are told apart.
const MOST_ADDRESSES: u32 = 64;

/// A set of threads, in the lower half, and of addresses, in the upper half.
type Visited = u128;

/// The threads that are told apart, as bits.
pub(crate) struct Threads {
    /// For each class of threads, its first bit and how many it has; nothing if it has no limit.
    bits: Vec<Option<(u32, u32)>>,
    /// Whether a thread may be visited twice, once among its writes and once among its reads, so that each has
    /// two bits ([`crate::reference`]).
    in_halves: bool,
    is_complete: bool,
}

impl Threads {
    pub(crate) fn new(machine: &Machine<'_>) -> Self {
        let in_halves = machine.reference != Reference::Sc;
        let each = if in_halves { 2 } else { 1 };
        let mut next = 0;
        let mut is_complete = true;
        let mut bits = Vec::new();
        for thread in machine.graph.threads.indices() {
            let most = Classes::most_threads(machine, thread);
            bits.push(match most {
                Some(count) if next + each * count <= MOST_THREADS => {
                    next += each * count;
                    Some((next - each * count, count))
                }
                Some(_) => {
                    is_complete = false;
                    None
                }
                None => None,
            });
        }
        Self { bits, in_halves, is_complete }
    }

    /// The set with one more thread of a class, if there is one more; if threads may be visited twice, with one
    /// more that is visited at such an access.
    pub(crate) fn with(
        &self,
        mask: Visited,
        class: ClassId,
        direction: Direction,
    ) -> Option<Visited> {
        let Some((first, count)) = self.bits[class.index()] else { return Some(mask) };
        let is_second = self.in_halves && direction == Direction::Read;
        let first = if is_second { first + count } else { first };
        let free = (first..first + count).find(|bit| mask >> bit & 1 == 0)?;
        Some(mask | 1 << free)
    }

    /// The set with a thread that is entered at one access and left at another.
    pub(crate) fn visited(
        &self,
        mask: Visited,
        class: ClassId,
        (first, second): (Direction, Direction),
    ) -> Option<Visited> {
        let mask = self.with(mask, class, first)?;
        self.also(mask, class, (first, second))
    }

    /// The set in which a thread that was entered at one access is also left at another.
    fn also(
        &self,
        mask: Visited,
        class: ClassId,
        (first, second): (Direction, Direction),
    ) -> Option<Visited> {
        if self.in_halves && first != second {
            return self.with(mask, class, second);
        }
        Some(mask)
    }
}

/// Classes that are looked for, by how they are entered.
#[derive(Clone, Debug)]
pub(crate) struct Targets {
    by: [Bits; 3],
    /// Whether it does not matter how.
    pub(crate) once_each: bool,
}

impl Targets {
    /// One class, however it is entered.
    pub(crate) fn only(class: usize, limit: usize) -> Self {
        let mut one = Bits::new(limit);
        one.insert(class);
        Self { by: [one.clone(), one.clone(), one], once_each: true }
    }

    /// These classes, by how they are entered.
    pub(crate) const fn new(by: [Bits; 3], once_each: bool) -> Self {
        Self { by, once_each }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by.iter().all(Bits::is_empty)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, Communication)> + '_ {
        KINDS.into_iter().flat_map(|how| self.of(how).iter().map(move |class| (class, how)))
    }

    fn of(&self, how: Communication) -> &Bits {
        &self.by[usize::from(number(how))]
    }

    fn remove(&mut self, class: usize, how: Communication) {
        if self.once_each {
            self.by.iter_mut().for_each(|bits| bits.remove(class));
        } else {
            self.by[usize::from(number(how))].remove(class);
        }
    }
}

/// A class that a cycle enters, how, and what it has visited.
#[derive(Clone, Copy)]
pub(crate) struct Entered {
    pub(crate) class: usize,
    pub(crate) how: Communication,
    mask: Visited,
    /// What was entered before, by its number.
    pub(crate) before: Option<usize>,
}

/// A class that a cycle comes back to.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    pub(crate) class: usize,
    pub(crate) how: Communication,
    /// What was entered before, by its number.
    pub(crate) before: usize,
}

/// What was confirmed.
#[derive(Default)]
pub(crate) struct Confirmed {
    pub(crate) entered: Vec<Entered>,
    pub(crate) found: Vec<Found>,
    /// Whether nothing else is on a cycle.
    pub(crate) is_complete: bool,
}

/// Classes that may be entered, and the first of each that differ in what follows.
struct Ways {
    all: Bits,
    first: Vec<usize>,
}

/// What classes agree in from which a cycle goes on alike: where it may leave the thread after them, what they
/// communicate with, whether they read or write, and the thread, if its visits are counted.
type Alike = (usize, usize, Direction, Option<ClassId>);

pub(crate) struct Search<'c> {
    classes: &'c Classes,
    threads: Threads,
    /// For each class, its address as a set, or no address.
    addresses: Vec<Visited>,
    /// Where pairs of accesses lead to, by how, for each of [`Classes::onwards`].
    onward: Vec<[Ways; 3]>,
    /// What classes communicate with, by how, for each of [`Classes::exits`].
    exits: Vec<[Ways; 3]>,
    /// For each class, what those have in common from which a cycle goes on alike.
    alike: Vec<usize>,
    /// Whether all threads and addresses have a place in sets.
    pub(crate) tells_all_apart: bool,
}

impl<'c> Search<'c> {
    pub(crate) fn new(classes: &'c Classes, machine: &Machine<'_>) -> Self {
        let count = classes.all.len();
        let mut numbers = BTreeMap::new();
        let mut addresses = Vec::new();
        let mut tells_all_apart = true;
        for class in &classes.all {
            let event = &machine.events[class.events[0]];
            if !event.must {
                addresses.push(0);
                continue;
            }
            let next = u32::try_from(numbers.len()).unwrap_or(MOST_ADDRESSES);
            let number = *numbers.entry(&event.locations).or_insert(next);
            let is_told = number < MOST_ADDRESSES;
            tells_all_apart &= is_told;
            addresses.push(if is_told { 1 << (MOST_THREADS + number) } else { 0 });
        }
        let threads = Threads::new(machine);
        tells_all_apart &= threads.is_complete;
        let mut groups: FxHashMap<Alike, usize> = FxHashMap::default();
        let mut alike = Vec::new();
        for (class, data) in classes.all.iter().enumerate() {
            let is_told = threads.bits[data.thread.index()].is_some();
            let (onward, exit) = (classes.onward_of[class], classes.exit_of[class]);
            let key = (onward, exit, data.direction, is_told.then_some(data.thread));
            let next = groups.len();
            alike.push(*groups.entry(key).or_insert(next));
        }
        let ways = |all: Bits| {
            let mut seen = FxHashSet::default();
            let first = all.iter().filter(|class| seen.insert((alike[*class], addresses[*class])));
            Ways { first: first.collect(), all }
        };
        let union = |exits: &[usize]| {
            KINDS.map(|how| {
                let mut all = Bits::new(count);
                for entered in exits.iter().filter_map(|exit| classes.exits[*exit].by(how)) {
                    all.add(entered);
                }
                ways(all)
            })
        };
        let onward = classes.onwards.iter().map(|exits| union(exits)).collect();
        let exits = (0..classes.exits.len()).map(|exit| union(&[exit])).collect();
        Self { classes, threads, addresses, onward, exits, alike, tells_all_apart }
    }

    /// How many steps may be taken from each class.
    pub(crate) fn budget(&self) -> u64 {
        let classes = u64::try_from(self.classes.all.len()).unwrap_or(u64::MAX).max(1);
        (MOST_STEPS / (2 * classes)).max(STEPS_OF_EACH)
    }

    /// Where a pair of accesses that begins at a class leads to, by how.
    fn onward(&self, class: usize, how: Communication) -> &Ways {
        &self.onward[self.classes.onward_of[class]][usize::from(number(how))]
    }

    /// Who reads from a write that is alone in its thread.
    fn readers(&self, class: usize) -> &Ways {
        self.left_by(class, ReadFrom)
    }

    /// What a class communicates with in one way.
    fn left_by(&self, class: usize, out: Communication) -> &Ways {
        &self.exits[self.classes.exit_of[class]][usize::from(number(out))]
    }

    /// Classes, those together from which cycles that leave like this go on alike.
    pub(crate) fn alike_from(
        &self,
        classes: impl Iterator<Item = usize>,
        out: Communication,
    ) -> Vec<Vec<usize>> {
        let mut numbers: FxHashMap<_, usize> = FxHashMap::default();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for class in classes.filter(|class| !self.left_by(*class, out).all.is_empty()) {
            let thread = self.classes.all[class].thread;
            let is_told = self.threads.bits[thread.index()].is_some();
            let key =
                (self.classes.exit_of[class], self.addresses[class], is_told.then_some(thread));
            let number = *numbers.entry(key).or_insert(groups.len());
            if number == groups.len() {
                groups.push(Vec::new());
            }
            groups[number].push(class);
        }
        groups
    }

    /// Confirms targets by cycles that visit each thread and each address once, those through few threads
    /// first. What is confirmed is no target any more.
    pub(crate) fn confirm(
        &self,
        start: usize,
        out: Communication,
        targets: &mut Targets,
        budget: u64,
    ) -> Confirmed {
        let mut confirmed = Confirmed { is_complete: true, ..Confirmed::default() };
        // The sets with which classes that are alike were entered, the minimal ones.
        let mut seen: FxHashMap<(usize, u16), Vec<Visited>> = FxHashMap::default();
        let home = self.classes.all[start].thread;
        let leaves = self.classes.all[start].direction;
        let Some(mask) = self.threads.with(0, home, leaves) else { return confirmed };
        // Nearly always the first few that are entered lead back to all targets.
        for class in self.left_by(start, out).first.iter().copied() {
            let mask = mask | self.addresses[class] | self.addresses[start];
            let entered = Entered { class, how: out, mask, before: None };
            if self.enter(entered, &mut seen, &mut confirmed.entered) {
                self.come_back(start, confirmed.entered.len() - 1, targets, &mut confirmed);
                if targets.is_empty() {
                    return confirmed;
                }
            }
        }
        let mut steps = 0;
        let mut level = 0..confirmed.entered.len();
        while !level.is_empty() {
            let end = level.end;
            for at in level {
                let entered = confirmed.entered[at];
                if !seen[&(self.alike[entered.class], number(entered.how))].contains(&entered.mask)
                {
                    continue;
                }
                for (class, how, mask) in self.next(&entered) {
                    let mask = mask | self.addresses[class];
                    let next = Entered { class, how, mask, before: Some(at) };
                    self.enter(next, &mut seen, &mut confirmed.entered);
                    steps += 1;
                }
                if steps > budget {
                    confirmed.is_complete = false;
                    return confirmed;
                }
            }
            level = end..confirmed.entered.len();
            for number in level.clone() {
                self.come_back(start, number, targets, &mut confirmed);
                if targets.is_empty() {
                    return confirmed;
                }
            }
        }
        confirmed
    }

    /// The targets that what was entered leads back to.
    fn come_back(
        &self,
        start: usize,
        number: usize,
        targets: &mut Targets,
        confirmed: &mut Confirmed,
    ) {
        let entered = confirmed.entered[number];
        let home = &self.classes.all[start];
        let mut found = Vec::new();
        for how in KINDS {
            let Some(mask) = self.left(&entered, how) else { continue };
            let to = self.onward(entered.class, how).all.both(targets.of(how));
            let is_new = |class: &usize| {
                let visit = (home.direction, self.classes.all[*class].direction);
                self.addresses[*class] & entered.mask == 0
                    && self.threads.also(mask, home.thread, visit).is_some()
            };
            found.extend(to.filter(is_new).map(|class| (class, how)));
        }
        let to = self.readers(entered.class).all.both(targets.of(entered.how));
        let is_new = |class: &usize| {
            let visit = (home.direction, self.classes.all[*class].direction);
            self.threads.also(entered.mask, home.thread, visit).is_some()
        };
        found.extend(to.filter(is_new).map(|class| (class, entered.how)));
        for (class, how) in found {
            targets.remove(class, how);
            confirmed.found.push(Found { class, how, before: number });
        }
    }

    /// Enters a class, unless that was done with fewer threads and addresses; whether it was entered now.
    fn enter(
        &self,
        entered: Entered,
        seen: &mut FxHashMap<(usize, u16), Vec<Visited>>,
        all: &mut Vec<Entered>,
    ) -> bool {
        let class = &self.classes.all[entered.class];
        let Some(mask) = self.threads.with(entered.mask, class.thread, class.direction) else {
            return false;
        };
        let masks = seen.entry((self.alike[entered.class], number(entered.how))).or_default();
        if masks.iter().any(|other| other & mask == *other) {
            return false;
        }
        masks.retain(|other| other & mask != mask);
        masks.push(mask);
        all.push(Entered { mask, ..entered });
        true
    }

    /// What has been visited when the thread of what was entered is left like this, by another access.
    fn left(&self, entered: &Entered, how: Communication) -> Option<Visited> {
        let class = &self.classes.all[entered.class];
        let leaves = match how {
            ReadFrom | Coherence => Direction::Write,
            FromRead => Direction::Read,
        };
        self.threads.also(entered.mask, class.thread, (class.direction, leaves))
    }

    /// What may be entered next, how, and what has been visited then.
    fn next(&self, entered: &Entered) -> Vec<(usize, Communication, Visited)> {
        let mut next = Vec::new();
        for how in KINDS {
            let Some(mask) = self.left(entered, how) else { continue };
            let is_new = |class: &usize| self.addresses[*class] & entered.mask == 0;
            let onward = self.onward(entered.class, how).first.iter().copied();
            next.extend(onward.filter(is_new).map(|class| (class, how, mask)));
        }
        let readers = self.readers(entered.class).first.iter();
        next.extend(readers.map(|class| (*class, entered.how, entered.mask)));
        next
    }
}
