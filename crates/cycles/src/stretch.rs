//! Stretches of several pairs that need a full fence in one of them (Power and `ARMv7`).
//!
//! See [`crate::critical`]: between two `coe` or `fre` edges of a cycle, unless both are `coe` or there is
//! only one, which is `fre`. Which of the pairs gets the fence is for the optimum to decide. Stretches are
//! looked for between classes, through pairs that no full fence stops yet; a thread may be visited twice
//! on the way, so that more stretches may be found than there are, never fewer.

use std::collections::BTreeMap;

use events::{ClassId, PlaceId};
use program::index::Idx;
use rustc_hash::FxHashSet;

use crate::architecture::{Direction, Strength};
use crate::bits::Bits;
use crate::critical::Communication::{self, Coherence, FromRead, ReadFrom};
use crate::delays::{Analysis, Paths, Put};
use crate::machine::EventId;
use crate::order::Kinds;
use crate::reach::{Beyond, Reach};
use crate::unordered::events_after;

/// A pair of accesses that no full fence stops.
#[derive(Clone, Debug)]
pub struct Link {
    /// The thread.
    pub thread: ClassId,
    /// The access that comes first in program order.
    pub first: EventId,
    /// The other.
    pub second: EventId,
    /// The places on a path between them.
    pub places: Vec<PlaceId>,
}

/// Pairs joined by `rfe`, one of which needs a full fence.
#[derive(Clone, Debug)]
pub struct Stretch {
    /// The pairs.
    pub links: Vec<Link>,
}

type Pair = (usize, usize);

struct Search<'a, 'g> {
    analysis: &'a Analysis<'g>,
    /// For each class, the second classes of the pairs that it begins and that no full fence stops.
    seconds: Vec<Vec<usize>>,
}

/// The stretches of more than one pair without the full fence that they need: some, if there are any.
pub(crate) fn stretches(analysis: &Analysis<'_>, put: &Put) -> Vec<Stretch> {
    if analysis.machine.arch.is_multi_copy_atomic() {
        return Vec::new();
    }
    let search = Search { analysis, seconds: unstopped_pairs(analysis, put) };
    let mut paths = Paths::new(analysis, put);
    let mut found = Vec::new();
    for home in analysis.machine.graph.threads.indices() {
        for into in [Coherence, FromRead] {
            for pairs in search.from(home, into) {
                let links = pairs.into_iter().map(|pair| link(analysis, &mut paths, pair));
                found.extend(links.collect::<Option<_>>().map(|links| Stretch { links }));
            }
        }
    }
    found
}

/// For each class, the classes of critical pairs that it begins and that no full fence stops.
fn unstopped_pairs(analysis: &Analysis<'_>, put: &Put) -> Vec<Vec<usize>> {
    let machine = &analysis.machine;
    let classes = &analysis.classes;
    let mut reach: BTreeMap<Kinds, Reach<'_, '_>> = BTreeMap::new();
    let mut pairs = vec![Vec::new(); classes.all.len()];
    for thread in machine.graph.threads.indices() {
        let mut beyond: BTreeMap<Kinds, Beyond> = BTreeMap::new();
        let range = classes.of_thread(thread);
        let mut events: Vec<Bits> = Vec::new();
        for class in range.clone() {
            let mut all = Bits::new(machine.events.len());
            for event in &classes.all[class].events {
                all.insert(event.index());
            }
            events.push(all);
        }
        for first in range.clone() {
            for direction in [Direction::Read, Direction::Write] {
                let mut after = Bits::new(machine.events.len());
                for event in &classes.all[first].events {
                    let kinds = Kinds::between(machine, *event, direction, Strength::Full);
                    let reach =
                        reach.entry(kinds).or_insert_with(|| events_after(machine, kinds, put));
                    let beyond = beyond.entry(kinds).or_insert_with(|| reach.beyond(thread));
                    reach.after(machine.events[*event].step, beyond, &mut after);
                }
                for second in range.clone() {
                    let other = &classes.all[second];
                    if other.direction == direction
                        && analysis.critical.context(first, second).is_critical()
                        && !machine.surely_same(classes.all[first].events[0], other.events[0])
                        && after.meets(&events[second - range.start])
                    {
                        pairs[first].push(second);
                    }
                }
            }
        }
    }
    pairs
}

/// Accesses of two classes that no full fence is between.
fn link(analysis: &Analysis<'_>, paths: &mut Paths<'_, '_>, (first, second): Pair) -> Option<Link> {
    let class = &analysis.classes.all[first];
    let thread = class.thread;
    class.events.iter().find_map(|event| {
        let (end, places) = paths.until_class((thread, *event), second, Strength::Full)?;
        Some(Link { thread, first: *event, second: end, places })
    })
}

impl Search<'_, '_> {
    /// Stretches that begin in a thread and are entered like this: one for each class in which a stretch
    /// ends. Where they go on depends on the second class of a pair alone, so each class is visited once.
    fn from(&self, home: ClassId, into: Communication) -> Vec<Vec<Pair>> {
        let critical = &self.analysis.critical;
        let classes = &self.analysis.classes;
        let count = classes.all.len();
        // For each class that a stretch has reached by `rfe`, the pair before it; for each pair's second
        // class, the pair.
        let mut before: Vec<Option<Pair>> = vec![None; count];
        let mut reached_by: Vec<Option<Pair>> = vec![None; count];
        let mut open: Vec<usize> = Vec::new();
        let mut starts: FxHashSet<Pair> = FxHashSet::default();
        for first in classes.of_thread(home) {
            for second in &self.seconds[first] {
                if critical.context(first, *second).has(into, ReadFrom)
                    && reached_by[*second].is_none()
                {
                    reached_by[*second] = Some((first, *second));
                    starts.insert((first, *second));
                    open.push(*second);
                }
            }
        }
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(end) = open.get(at).copied() {
            at += 1;
            let Some(pair) = reached_by[end] else { continue };
            for read in classes.communicates[end].iter() {
                if classes.all[read].direction == Direction::Write || before[read].is_some() {
                    continue;
                }
                before[read] = Some(pair);
                let mut is_end = None;
                for second in &self.seconds[read] {
                    let context = critical.context(read, *second);
                    let ends = match into {
                        Coherence => context.has(ReadFrom, FromRead),
                        FromRead => {
                            context.has(ReadFrom, Coherence)
                                || (context.has(ReadFrom, FromRead)
                                    && self.leads_elsewhere(*second, home))
                        }
                        ReadFrom => false,
                    };
                    if ends && is_end.is_none() {
                        is_end = Some((read, *second));
                    }
                    if context.has(ReadFrom, ReadFrom) && reached_by[*second].is_none() {
                        reached_by[*second] = Some((read, *second));
                        open.push(*second);
                    }
                }
                if let Some(last) = is_end {
                    let mut pairs = vec![last];
                    let mut now = pair;
                    pairs.push(now);
                    while !starts.contains(&now) {
                        let Some(earlier) = before[now.0] else { break };
                        now = earlier;
                        pairs.push(now);
                    }
                    pairs.reverse();
                    found.push(pairs);
                }
            }
        }
        found
    }

    /// Whether the `fre` edge at the end need not be the one at the beginning.
    fn leads_elsewhere(&self, end: usize, home: ClassId) -> bool {
        let classes = &self.analysis.classes;
        let parallel = &self.analysis.machine.graph.parallel;
        classes.communicates[end].iter().any(|write| {
            let write = &classes.all[write];
            write.direction == Direction::Write && (write.thread != home || parallel[home][home])
        })
    }
}
