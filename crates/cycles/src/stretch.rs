//! Stretches of several pairs that need a full fence in one of them (Power and `ARMv7`).
//!
//! See [`crate::critical`]: between two `coe` or `fre` edges of a cycle, unless both are `coe` or there is
//! only one, which is `fre`. Which of the pairs gets the fence is for the optimum to decide. Stretches are
//! looked for between classes, through pairs that no full fence stops yet; a thread may be visited twice
//! on the way, so that more stretches may be found than there are, never fewer.

use std::collections::BTreeMap;

use events::ClassId;
use program::index::Idx;
use rustc_hash::FxHashSet;

use crate::architecture::{Direction, Strength};
use crate::bits::Bits;
use crate::critical::Communication::{self, Coherence, FromRead, ReadFrom};
use crate::delays::{Analysis, Paths, Put};
use crate::machine::EventId;
use crate::order::{Kinds, Passed};
use crate::reach::{Beyond, Reach};
use crate::reference::Reference;
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
    /// What a path between them passes.
    pub passed: Passed,
}

/// Pairs joined by `rfe`, one of which needs a full fence.
#[derive(Clone, Debug)]
pub struct Stretch {
    /// The pairs.
    pub links: Vec<Link>,
    /// Their classes.
    pub(crate) classes: Vec<Pair>,
}

/// The classes of a pair of accesses.
pub(crate) type Pair = (usize, usize);

struct Search<'a, 'g> {
    analysis: &'a Analysis<'g>,
    /// Pairs that no fence can stop: a stretch of these alone is not looked for.
    hopeless: &'a FxHashSet<Pair>,
    /// For each class, the second classes of the pairs that it begins and that no full fence stops.
    seconds: Vec<Vec<usize>>,
}

/// The stretches of more than one pair without the full fence that they need, and with a pair that is not
/// hopeless: some, if there are any.
pub(crate) fn stretches(
    analysis: &Analysis<'_>,
    put: &Put,
    hopeless: &FxHashSet<Pair>,
) -> Vec<Stretch> {
    if analysis.machine.arch.is_multi_copy_atomic() {
        return Vec::new();
    }
    let search = Search { analysis, hopeless, seconds: unstopped_pairs(analysis, put) };
    let mut paths = Paths::new(analysis, put);
    let mut found = Vec::new();
    for home in analysis.machine.graph.threads.indices() {
        for into in [Coherence, FromRead] {
            for classes in search.from(home, into) {
                let links = classes.iter().map(|pair| link(analysis, &mut paths, *pair));
                let links: Option<Vec<Link>> = links.collect();
                found.extend(links.map(|links| Stretch { links, classes }));
            }
        }
    }
    found
}

/// For each class, the classes of critical pairs that it begins and that no full fence stops.
pub(crate) fn unstopped_pairs(analysis: &Analysis<'_>, put: &Put) -> Vec<Vec<usize>> {
    let machine = &analysis.machine;
    let classes = &analysis.classes;
    let mut reach: BTreeMap<Kinds, Reach<'_, '_>> = BTreeMap::new();
    let mut pairs = vec![Vec::new(); classes.all.len()];
    for thread in machine.graph.threads.indices() {
        let mut beyond: BTreeMap<Kinds, Beyond> = BTreeMap::new();
        let range = classes.of_thread(thread);
        let mut events: Vec<Bits> = Vec::new();
        for class in range.clone() {
            let mut all = Bits::new(machine.columns());
            for event in &classes.all[class].events {
                all.insert(event.index());
            }
            events.push(all);
        }
        for first in range.clone() {
            for direction in [Direction::Read, Direction::Write] {
                let mut after = Bits::new(machine.columns());
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
        let (end, passed) = paths.until_class((thread, *event), second, Strength::Full)?;
        Some(Link { thread, first: *event, second: end, passed })
    })
}

/// A class that a stretch has come to, and whether one of its pairs so far is not hopeless.
type Slot = usize;

fn slot(class: usize, has_hope: bool) -> Slot {
    2 * class + usize::from(has_hope)
}

/// A pair on the way.
#[derive(Clone, Copy)]
struct Step {
    pair: Pair,
    /// Where its first class was reached by `rfe`, unless the stretch begins here.
    reached: Option<Slot>,
}

/// The pairs on the way to the end of one.
fn way(steps: &[Option<Step>], before: &[Option<Slot>], last: Step) -> Vec<Pair> {
    let mut pairs = vec![last.pair];
    let mut now = last;
    while let Some(end) = now.reached.and_then(|reached| before[reached]) {
        let Some(earlier) = steps[end] else { break };
        now = earlier;
        pairs.push(now.pair);
    }
    pairs.reverse();
    pairs
}

impl Search<'_, '_> {
    /// Stretches that begin in a thread and are entered like this: one for each class in which a stretch
    /// ends. Where they go on depends on the second class of a pair alone, so each class is visited once,
    /// or twice if there are hopeless pairs.
    fn from(&self, home: ClassId, into: Communication) -> Vec<Vec<Pair>> {
        let critical = &self.analysis.critical;
        let classes = &self.analysis.classes;
        let slots = 2 * classes.all.len();
        // For each class that a stretch has reached by `rfe`, where the pair before it ended; for each
        // pair's second class, the pair.
        let mut before: Vec<Option<Slot>> = vec![None; slots];
        let mut steps: Vec<Option<Step>> = vec![None; slots];
        let mut open: Vec<Slot> = Vec::new();
        let has_hope = |pair: Pair| !self.hopeless.contains(&pair);
        for first in classes.of_thread(home) {
            for second in &self.seconds[first] {
                let pair = (first, *second);
                let end = slot(*second, has_hope(pair));
                if critical.context(first, *second).has(into, ReadFrom) && steps[end].is_none() {
                    steps[end] = Some(Step { pair, reached: None });
                    open.push(end);
                }
            }
        }
        // Under TSO a thread that a stretch begins in with a read may be visited again, among its writes.
        let is_visited_again = self.analysis.machine.reference != Reference::Sc
            && steps
                .iter()
                .flatten()
                .any(|step| classes.all[step.pair.0].direction == Direction::Read);
        let mut found = Vec::new();
        let mut at = 0;
        // Classes that communicate alike are read by the same.
        let mut is_read = vec![[false; 2]; classes.exits.len()];
        while let Some(end) = open.get(at).copied() {
            at += 1;
            let is_hoped = end % 2 == 1;
            let is_read = &mut is_read[classes.exit_of[end / 2]][end % 2];
            if std::mem::replace(is_read, true) {
                continue;
            }
            for read in classes.communicates(end / 2).iter() {
                let reached = slot(read, is_hoped);
                if classes.all[read].direction == Direction::Write || before[reached].is_some() {
                    continue;
                }
                before[reached] = Some(end);
                let mut last = None;
                for second in &self.seconds[read] {
                    let context = critical.context(read, *second);
                    let pair = (read, *second);
                    let step = Step { pair, reached: Some(reached) };
                    let is_hoped = is_hoped || has_hope(pair);
                    let ends = match into {
                        Coherence => context.has(ReadFrom, FromRead),
                        FromRead => {
                            context.has(ReadFrom, Coherence)
                                || (context.has(ReadFrom, FromRead)
                                    && (is_visited_again || self.leads_elsewhere(*second, home)))
                        }
                        ReadFrom => false,
                    };
                    if ends && is_hoped && last.is_none() {
                        last = Some(step);
                    }
                    let end = slot(*second, is_hoped);
                    if context.has(ReadFrom, ReadFrom) && steps[end].is_none() {
                        steps[end] = Some(step);
                        open.push(end);
                    }
                }
                found.extend(last.map(|last| way(&steps, &before, last)));
            }
        }
        found
    }

    /// Whether the `fre` edge at the end need not be the one at the beginning.
    fn leads_elsewhere(&self, end: usize, home: ClassId) -> bool {
        let classes = &self.analysis.classes;
        let parallel = &self.analysis.machine.graph.parallel;
        classes.communicates(end).iter().any(|write| {
            let write = &classes.all[write];
            write.direction == Direction::Write && (write.thread != home || parallel[home][home])
        })
    }
}
