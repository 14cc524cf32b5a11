//! All critical cycles, one by one: the method of CAV'14, for small graphs.
//!
//! The number of cycles grows with the fourth power of the number of accesses between two threads, and
//! faster between more, so this is for looking at cycles and for checking [`crate::critical`], which finds
//! the same pairs without them. Conditions (1) to (3) of §4 are those of the paper; where addresses are not
//! known, accesses are taken to be different or equal as it suits the cycle.

use std::collections::BTreeMap;

use events::{ClassId, LocationSet};

use crate::architecture::Direction;
use crate::critical::Communication::{self, Coherence, FromRead, ReadFrom};
use crate::critical::communication;
use crate::delays::Analysis;
use crate::machine::EventId;
use crate::order::{Nothing, Walker, ways};
use crate::search::Threads;

/// What a cycle does in one thread: two accesses, or a write alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Visit {
    /// The class of the thread.
    pub thread: ClassId,
    /// The access that the cycle enters.
    pub first: EventId,
    /// The access that it leaves.
    pub second: EventId,
}

/// A critical cycle: threads in the order in which it visits them.
pub type Cycle = Vec<Visit>;

/// Cycles, and whether they are all.
#[derive(Clone, Debug)]
pub struct Cycles {
    /// The cycles.
    pub cycles: Vec<Cycle>,
    /// Whether there are no others.
    pub is_complete: bool,
}

/// The critical cycles of a graph, at most so many.
pub fn critical_cycles(analysis: &Analysis<'_>, most: usize) -> Cycles {
    let mut search = Search::new(analysis, most);
    search.all();
    Cycles { cycles: search.found, is_complete: search.is_complete }
}

struct Search<'a, 'g> {
    analysis: &'a Analysis<'g>,
    threads: Threads,
    /// For each class of threads and each of its events, the events after it at other addresses.
    after: BTreeMap<(ClassId, EventId), Vec<EventId>>,
    most: usize,
    found: Vec<Cycle>,
    is_complete: bool,
    path: Cycle,
}

impl<'a, 'g> Search<'a, 'g> {
    fn new(analysis: &'a Analysis<'g>, most: usize) -> Self {
        let machine = &analysis.machine;
        let ways = ways(machine, &Nothing);
        let mut walker = Walker::new(machine);
        let mut after = BTreeMap::new();
        for thread in machine.graph.threads.indices() {
            for first in machine.events_of(thread) {
                let reached = walker.after(thread, first, &Nothing, &ways);
                let mut seconds: Vec<EventId> = reached
                    .into_iter()
                    .filter(|second| !machine.surely_same(first, *second))
                    .filter(|second| is_kept(analysis, thread, first, *second))
                    .collect();
                seconds.sort();
                seconds.dedup();
                after.insert((thread, first), seconds);
            }
        }
        let threads = Threads::new(machine);
        let (found, path) = (Vec::new(), Vec::new());
        Self { analysis, threads, after, most, found, is_complete: true, path }
    }

    fn all(&mut self) {
        let starts: Vec<Visit> = self
            .after
            .iter()
            .flat_map(|((thread, first), seconds)| {
                seconds.iter().map(|second| Visit {
                    thread: *thread,
                    first: *first,
                    second: *second,
                })
            })
            .collect();
        for start in starts {
            let directions = (self.direction(start.second), self.direction(start.first));
            let Some(mask) = self.threads.visited(0, start.thread, directions) else { continue };
            self.path.push(start);
            self.extend(mask);
            self.path.pop();
        }
    }

    /// Goes on from the last thread of the path.
    fn extend(&mut self, mask: u128) {
        let Some(last) = self.path.last().copied() else { return };
        let analysis = self.analysis;
        let class = analysis.classes.of_event[last.thread][&last.second];
        for next in analysis.classes.communicates(class).iter() {
            let data = &analysis.classes.all[next];
            let Some(how) =
                communication(analysis.machine.events[last.second].direction, data.direction)
            else {
                continue;
            };
            // A write alone in its thread is left by `rfe` only.
            if last.first == last.second && how != ReadFrom {
                continue;
            }
            for first in data.events.clone() {
                self.close(first, data.thread);
                self.enter(first, data.thread, mask);
            }
        }
    }

    fn direction(&self, event: EventId) -> Direction {
        self.analysis.machine.events[event].direction
    }

    fn enter(&mut self, first: EventId, thread: ClassId, mask: u128) {
        let mut visits: Vec<Visit> = self.after[&(thread, first)]
            .iter()
            .map(|second| Visit { thread, first, second: *second })
            .collect();
        if self.analysis.machine.events[first].direction == Direction::Write {
            visits.push(Visit { thread, first, second: first });
        }
        // Where threads have no limit, cycles are as long as addresses allow.
        let most = self.analysis.machine.graph.locations.len().max(2) * 3;
        for visit in visits {
            if self.path.len() > most {
                return;
            }
            let directions = (self.direction(visit.first), self.direction(visit.second));
            let Some(mask) = self.threads.visited(mask, thread, directions) else { continue };
            self.path.push(visit);
            if self.has_few_of_each_address() {
                self.extend(mask);
            }
            self.path.pop();
        }
    }

    /// The path comes back to where it began.
    fn close(&mut self, first: EventId, thread: ClassId) {
        let start = self.path[0];
        if first != start.first || thread != start.thread || self.path.len() < 2 {
            return;
        }
        // Each cycle is found from each of its pairs; it counts once, from the least.
        let pairs = self.path.iter().filter(|visit| visit.first != visit.second);
        if pairs.clone().min() != Some(&start) {
            return;
        }
        if self.found.len() >= self.most {
            self.is_complete = false;
            return;
        }
        self.found.push(self.path.clone());
    }

    /// Condition (3): at most three accesses to an address.
    fn has_few_of_each_address(&self) -> bool {
        let mut counts: BTreeMap<&LocationSet, usize> = BTreeMap::new();
        for visit in &self.path {
            let events = if visit.first == visit.second {
                vec![visit.first]
            } else {
                vec![visit.first, visit.second]
            };
            for event in events {
                let data = &self.analysis.machine.events[event];
                if data.must {
                    *counts.entry(&data.locations).or_default() += 1;
                }
            }
        }
        counts.values().all(|count| *count <= 3)
    }
}

/// Whether two events of a thread are kept in order, as far as their classes tell.
fn is_kept(analysis: &Analysis<'_>, thread: ClassId, first: EventId, second: EventId) -> bool {
    let of_event = &analysis.classes.of_event[thread];
    match (of_event.get(&first), of_event.get(&second)) {
        (Some(first), Some(second)) => analysis.classes.is_after(*first, *second),
        (_, _) => false,
    }
}

/// How a cycle enters each of its pairs, and leaves it.
pub fn contexts(
    analysis: &Analysis<'_>,
    cycle: &[Visit],
) -> Vec<(Visit, Communication, Communication)> {
    let direction = |event: EventId| analysis.machine.events[event].direction;
    let between = |from: &Visit, to: &Visit| {
        communication(direction(from.second), direction(to.first)).unwrap_or(ReadFrom)
    };
    let at = |number: usize| &cycle[number % cycle.len()];
    let count = cycle.len();
    let mut all = Vec::new();
    for number in 0..count {
        let visit = at(number);
        if visit.first == visit.second {
            continue;
        }
        let before = at(number + count - 1);
        // By way of a write alone in its thread.
        let into = if before.first == before.second {
            between(at(number + count - 2), before)
        } else {
            between(before, visit)
        };
        let out = between(visit, at(number + 1));
        all.push((*visit, into, out));
    }
    debug_assert!(all.iter().all(|(_, into, _)| matches!(into, ReadFrom | Coherence | FromRead)));
    all
}
