//! Stretches of several pairs that need a full fence in one of them (Power and `ARMv7`).
//!
//! See [`crate::critical`]: between two `coe` or `fre` edges of a cycle, unless both are `coe` or there is
//! only one, which is `fre`. Which of the pairs gets the fence is for the optimum to decide. Stretches are
//! looked for between classes, through pairs that no full fence stops yet; a thread may be visited twice
//! on the way, so that more stretches may be found than there are, never fewer.

use events::{ClassId, PlaceId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::architecture::{Direction, Strength};
use crate::critical::Communication::{self, Coherence, FromRead, ReadFrom};
use crate::delays::{Analysis, Put, Unstopped};
use crate::machine::EventId;

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
    /// For each pair of classes that no full fence stops, a path.
    links: FxHashMap<Pair, Link>,
    /// For each class, the second classes of its pairs.
    seconds: Vec<Vec<usize>>,
}

/// The stretches of more than one pair without the full fence that they need.
pub(crate) fn stretches(analysis: &Analysis<'_>, put: &Put) -> Vec<Stretch> {
    if analysis.machine.arch.is_multi_copy_atomic() {
        return Vec::new();
    }
    let links = unstopped_pairs(analysis, put);
    let mut seconds: Vec<Vec<usize>> = vec![Vec::new(); analysis.classes.all.len()];
    let mut pairs: Vec<Pair> = links.keys().copied().collect();
    pairs.sort_unstable();
    for (first, second) in &pairs {
        seconds[*first].push(*second);
    }
    let search = Search { analysis, links, seconds };
    let mut found = Vec::new();
    for pair in pairs {
        for into in [Coherence, FromRead] {
            found.extend(search.from(pair, into));
        }
    }
    found
}

fn unstopped_pairs(analysis: &Analysis<'_>, put: &Put) -> FxHashMap<Pair, Link> {
    let mut links = FxHashMap::default();
    let mut unstopped = Unstopped::new(analysis, put);
    for thread in analysis.machine.graph.threads.indices() {
        let of_event = &analysis.classes.of_event[thread];
        for first in analysis.machine.events_of(thread) {
            for direction in [Direction::Read, Direction::Write] {
                for reached in unstopped.after(thread, first, (direction, Strength::Full)) {
                    let second = reached.event;
                    let (Some(one), Some(other)) = (of_event.get(&first), of_event.get(&second))
                    else {
                        continue;
                    };
                    let is_critical = analysis.critical.context(*one, *other).is_critical();
                    if !is_critical || analysis.machine.surely_same(first, second) {
                        continue;
                    }
                    links.entry((*one, *other)).or_insert_with(|| {
                        let places = unstopped.places(first, reached);
                        Link { thread, first, second, places }
                    });
                }
            }
        }
    }
    links
}

impl Search<'_, '_> {
    /// A stretch that begins with a pair that is entered like this.
    fn from(&self, start: Pair, into: Communication) -> Option<Stretch> {
        let critical = &self.analysis.critical;
        let classes = &self.analysis.classes;
        if !critical.context(start.0, start.1).has(into, ReadFrom) {
            return None;
        }
        let mut parents: FxHashMap<Pair, Pair> = FxHashMap::default();
        let mut seen: FxHashSet<Pair> = FxHashSet::from_iter([start]);
        let mut open = vec![start];
        while let Some(pair) = open.pop() {
            for read in classes.communicates[pair.1].iter() {
                if classes.all[read].direction == Direction::Write {
                    continue;
                }
                for second in &self.seconds[read] {
                    let next = (read, *second);
                    let context = critical.context(read, *second);
                    if !context.enters(ReadFrom) || !seen.insert(next) {
                        continue;
                    }
                    parents.insert(next, pair);
                    let ends = match into {
                        Coherence => context.has(ReadFrom, FromRead),
                        FromRead => {
                            context.has(ReadFrom, Coherence)
                                || (context.has(ReadFrom, FromRead)
                                    && self.leads_elsewhere(*second, start.0))
                        }
                        ReadFrom => false,
                    };
                    if ends {
                        return Some(self.stretch(start, next, &parents));
                    }
                    if context.has(ReadFrom, ReadFrom) {
                        open.push(next);
                    }
                }
            }
        }
        None
    }

    /// Whether the `fre` edge at the end need not be the one at the beginning.
    fn leads_elsewhere(&self, end: usize, start: usize) -> bool {
        let classes = &self.analysis.classes;
        let parallel = &self.analysis.machine.graph.parallel;
        let home = classes.all[start].thread;
        classes.communicates[end].iter().any(|write| {
            let write = &classes.all[write];
            write.direction == Direction::Write && (write.thread != home || parallel[home][home])
        })
    }

    fn stretch(&self, start: Pair, end: Pair, parents: &FxHashMap<Pair, Pair>) -> Stretch {
        let mut links = vec![self.links[&end].clone()];
        let mut at = end;
        while at != start {
            at = parents[&at];
            links.push(self.links[&at].clone());
        }
        links.reverse();
        Stretch { links }
    }
}
