//! Which pairs of accesses lie on a critical cycle, and how strongly each must be ordered.
//!
//! # Critical cycles
//!
//! Shasha and Snir (TOPLAS 1988); CAV'14 §4. An execution that is not SC has a cycle of program order and
//! communication between threads (`rfe`, `coe`, `fre`), and a shortest one visits each thread once, with
//! one access or with two to different addresses. One access alone is a write that comes after another
//! write or a read in `co` or `fr` and is read from (`coe; rfe`, `fre; rfe`): everything else has a
//! shorter way. A pair of accesses that the machine may reorder and that lies on such a cycle is a
//! *delay*.
//!
//! The paper enumerates cycles. There are too many, and nobody needs them: it matters only *whether* a
//! pair lies on one, and how the cycle enters and leaves it. Whether a path leads from the second access
//! of a pair through other threads back to the first is decided by a search over classes of events and
//! sets of visited threads and addresses, of which only minimal ones are kept. An address occurs at most
//! three times on a cycle, which is to say that the cycle goes from thread to thread at each address once.
//! Where there are too many threads and addresses for sets, an address and then a thread may be visited
//! twice: then more pairs may be found, never fewer ([`Critical::is_exact`]).
//!
//! # How strongly a pair must be ordered
//!
//! Multi-copy atomic machines have one axiom: what is ordered within threads, `rfe`, `coe` and `fre` have
//! no cycle. So each pair must be ordered, and nothing else matters.
//!
//! Power and `ARMv7` have three (Herding cats, Fig. 5), and CAV'14's Figs. 4 and 8 are not enough for
//! them: they let IRIW pass with two `lwsync`. We derive what is enough. Cut a critical cycle at its `coe`
//! and `fre` edges into *stretches*: pairs of accesses joined by `rfe`. The first pair of a stretch begins
//! with the write that the `coe` or `fre` edge leads to, or with a read of that write if the write is
//! alone in its thread. With `hb = ppo ∪ fences ∪ rfe`, `base = (fences ∪ rfe; fences); hb*` and
//! `prop = (base ∩ W×W) ∪ (com*; base*; ffence; hb*)`:
//!
//! - No `coe` and no `fre`: the cycle is in `hb` if every pair is *preserved*; *no thin air* forbids it.
//! - One `fre` and no `coe`: `fre; prop; hb*` if the first pair has a *light* fence, which then is `base`
//!   from a write to a write, and the others are preserved; *observation* forbids it. (Its first pair
//!   ends in a write: a read there would be of the same address.)
//! - Otherwise *propagation*, `acyclic(co ∪ prop)`, must forbid it, stretch by stretch. Between two `coe`
//!   edges a stretch leads from a write to a write, and is `base` if its first pair has a light fence and
//!   the others are preserved. A `fre` edge occurs in `prop` only within `com*`, which must be followed by
//!   `base*; ffence; hb*`; and a stretch that ends in a read is in `prop` only that way. So a stretch that
//!   begins or ends with `fre` needs a *full* fence in one of its pairs, a light one in the first, and the
//!   others preserved.
//!
//! Hence what a pair needs depends on how cycles enter and leave it, and that is what is computed here.
//! A stretch of one pair that needs a full fence needs it there; longer ones are the subject of
//! [`crate::stretch`]. `axiomatic` checks the derivation in the tests.

use std::collections::BTreeMap;

use events::ClassId;
use program::index::Idx;
use rustc_hash::FxHashMap;

use crate::architecture::{Direction, Strength};
use crate::bits::Bits;
use crate::classes::Classes;
use crate::machine::Machine;

/// How a cycle enters or leaves a pair of accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Communication {
    /// A write is read from.
    ReadFrom,
    /// A write comes before another in `co`; where a pair is entered, perhaps by way of `coe; rfe`.
    Coherence,
    /// A read comes before a write in `fr`; where a pair is entered, perhaps by way of `fre; rfe`.
    FromRead,
}

use Communication::{Coherence, FromRead, ReadFrom};

pub(crate) const KINDS: [Communication; 3] = [ReadFrom, Coherence, FromRead];

/// The ways in which cycles enter and leave a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Context(u16);

impl Context {
    fn add(&mut self, into: Communication, out: Communication) {
        self.0 |= 1 << (number(into) * 3 + number(out));
    }

    /// Whether a cycle enters and leaves like this.
    pub fn has(self, into: Communication, out: Communication) -> bool {
        self.0 >> (number(into) * 3 + number(out)) & 1 == 1
    }

    /// Whether there is a cycle.
    pub fn is_critical(self) -> bool {
        self.0 != 0
    }

    /// Whether a cycle enters like this.
    pub fn enters(self, into: Communication) -> bool {
        KINDS.iter().any(|out| self.has(into, *out))
    }

    /// How strongly the pair must be ordered, whatever the other pairs of its cycles are.
    pub fn needs(self, is_multi_copy_atomic: bool) -> Strength {
        let is_alone = |into: Communication, out: Communication| self.has(into, out);
        if !self.is_critical() {
            Strength::None
        } else if is_multi_copy_atomic
            || is_alone(Coherence, FromRead)
            || is_alone(FromRead, Coherence)
            || is_alone(FromRead, FromRead)
        {
            Strength::Full
        } else if self.enters(Coherence) || self.enters(FromRead) {
            Strength::Light
        } else {
            Strength::Preserved
        }
    }
}

const fn number(kind: Communication) -> u16 {
    match kind {
        ReadFrom => 0,
        Coherence => 1,
        FromRead => 2,
    }
}

/// The edge from an event to one of another thread.
pub(crate) const fn communication(from: Direction, to: Direction) -> Option<Communication> {
    match (from, to) {
        (Direction::Write, Direction::Read) => Some(ReadFrom),
        (Direction::Write, Direction::Write) => Some(Coherence),
        (Direction::Read, Direction::Write) => Some(FromRead),
        (Direction::Read, Direction::Read) => None,
    }
}

/// The pairs of classes that lie on critical cycles.
#[derive(Clone, Debug)]
pub(crate) struct Critical {
    contexts: FxHashMap<(usize, usize), Context>,
    /// Whether every thread and every address was visited at most once.
    pub(crate) is_exact: bool,
}

/// How many steps are taken before addresses may be visited twice; and as many more before threads may.
const MOST_STEPS: u64 = 20_000_000;

/// The greatest number of threads that are told apart.
const MOST_THREADS: u32 = 64;

/// The greatest number of addresses that are told apart.
const MOST_ADDRESSES: u32 = 64;

/// A set of threads, in the lower half, and of addresses, in the upper half.
type Visited = u128;

impl Critical {
    pub(crate) fn new(classes: &Classes, machine: &Machine<'_>) -> Self {
        Search::new(classes, machine).all()
    }

    pub(crate) fn context(&self, first: usize, second: usize) -> Context {
        self.contexts.get(&(first, second)).copied().unwrap_or_default()
    }
}

/// The threads that are told apart, as bits.
pub(crate) struct Threads {
    /// For each class of threads, its first bit and how many it has; nothing if it has no limit.
    bits: Vec<Option<(u32, u32)>>,
    is_complete: bool,
}

impl Threads {
    pub(crate) fn new(machine: &Machine<'_>) -> Self {
        let mut next = 0;
        let mut is_complete = true;
        let mut bits = Vec::new();
        for thread in machine.graph.threads.indices() {
            let most = Classes::most_threads(machine, thread);
            bits.push(match most {
                Some(count) if next + count <= MOST_THREADS => {
                    next += count;
                    Some((next - count, count))
                }
                Some(_) => {
                    is_complete = false;
                    None
                }
                None => None,
            });
        }
        Self { bits, is_complete }
    }

    /// The set with one more thread of a class, if there is one more.
    pub(crate) fn with(&self, mask: Visited, class: ClassId) -> Option<Visited> {
        let Some((first, count)) = self.bits[class.index()] else { return Some(mask) };
        let free = (first..first + count).find(|bit| mask >> bit & 1 == 0)?;
        Some(mask | 1 << free)
    }
}

pub(crate) struct Search<'c> {
    classes: &'c Classes,
    threads: Threads,
    /// For each class, its address as a set, or no address.
    addresses: Vec<Visited>,
    /// For each class, the classes that a pair of accesses beginning there leads to, if it ends in a
    /// write and if it ends in a read.
    by_write: Vec<Bits>,
    by_read: Vec<Bits>,
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

/// Where a cycle may come back to, and on which way.
#[derive(Default)]
pub(crate) struct Back {
    pub(crate) entered: Vec<Entered>,
    /// The classes of the first thread that are entered, how, and the last class before.
    pub(crate) to: BTreeMap<(usize, Communication), usize>,
}

impl<'c> Search<'c> {
    pub(crate) fn new(classes: &'c Classes, machine: &Machine<'_>) -> Self {
        let count = classes.classes.len();
        let mut by_write: Vec<Bits> = (0..count).map(|_| Bits::new(count)).collect();
        let mut by_read = by_write.clone();
        for first in 0..count {
            for second in classes.after[first].iter() {
                let to = match classes.classes[second].direction {
                    Direction::Write => &mut by_write,
                    Direction::Read => &mut by_read,
                };
                to[first].add(&classes.communicates[second]);
            }
        }
        let mut numbers = BTreeMap::new();
        let addresses = classes.classes.iter().map(|class| {
            let event = &machine.events[class.events[0]];
            let next = u32::try_from(numbers.len()).unwrap_or(MOST_ADDRESSES);
            let number = *numbers.entry(&event.locations).or_insert(next);
            if event.must && number < MOST_ADDRESSES { 1 << (MOST_THREADS + number) } else { 0 }
        });
        let addresses = addresses.collect();
        let is_complete = numbers.len() <= MOST_ADDRESSES as usize;
        let mut threads = Threads::new(machine);
        threads.is_complete &= is_complete;
        Self { classes, threads, addresses, by_write, by_read }
    }

    fn all(mut self) -> Critical {
        let count = self.classes.classes.len();
        let mut contexts = FxHashMap::default();
        let mut is_exact = self.threads.is_complete;
        // Which classes come before each.
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
        for first in 0..count {
            for second in self.classes.after[first].iter() {
                before[second].push(first);
            }
        }
        let mut steps = 0;
        for second in 0..count {
            if before[second].is_empty() {
                continue;
            }
            for out in KINDS {
                let entered = self.from(second, out, &mut steps);
                for first in &before[second] {
                    for into in KINDS {
                        if entered.to.contains_key(&(*first, into)) {
                            let context: &mut Context =
                                contexts.entry((*first, second)).or_default();
                            context.add(into, out);
                        }
                    }
                }
                if steps > MOST_STEPS && self.addresses.iter().any(|address| *address != 0) {
                    self.addresses.iter_mut().for_each(|address| *address = 0);
                    is_exact = false;
                } else if steps > 2 * MOST_STEPS {
                    self.threads.bits.iter_mut().for_each(|bits| *bits = None);
                    is_exact = false;
                }
            }
        }
        Critical { contexts, is_exact }
    }

    /// The classes of the same thread at which a cycle that leaves a class like this may come back.
    pub(crate) fn from(&self, start: usize, out: Communication, steps: &mut u64) -> Back {
        let classes = &self.classes.classes;
        let home = classes[start].thread;
        let mut back = Back::default();
        // The sets with which each class was entered, the minimal ones.
        let mut seen: FxHashMap<(usize, u16), Vec<Visited>> = FxHashMap::default();
        let Some(mask) = self.threads.with(0, home) else { return back };
        for class in self.classes.communicates[start].iter() {
            if communication(classes[start].direction, classes[class].direction) == Some(out) {
                let mask = mask | self.addresses[class] | self.addresses[start];
                self.enter(Entered { class, how: out, mask, before: None }, &mut seen, &mut back);
            }
        }
        let mut at = 0;
        while let Some(entered) = back.entered.get(at).copied() {
            at += 1;
            if !seen[&(entered.class, number(entered.how))].contains(&entered.mask) {
                continue;
            }
            for (class, how) in self.next(&entered) {
                *steps += 1;
                if classes[class].thread == home {
                    back.to.entry((class, how)).or_insert(at - 1);
                }
                let mask = entered.mask | self.addresses[class];
                self.enter(
                    Entered { class, how, mask, before: Some(at - 1) },
                    &mut seen,
                    &mut back,
                );
            }
        }
        back
    }

    /// Enters a class, unless that was done with fewer threads and addresses.
    fn enter(
        &self,
        entered: Entered,
        seen: &mut FxHashMap<(usize, u16), Vec<Visited>>,
        back: &mut Back,
    ) {
        let thread = self.classes.classes[entered.class].thread;
        let Some(mask) = self.threads.with(entered.mask, thread) else { return };
        let masks = seen.entry((entered.class, number(entered.how))).or_default();
        if masks.iter().any(|other| other & mask == *other) {
            return;
        }
        masks.retain(|other| other & mask != mask);
        masks.push(mask);
        back.entered.push(Entered { mask, ..entered });
    }

    /// What may be entered next, and how.
    fn next(&self, entered: &Entered) -> Vec<(usize, Communication)> {
        let classes = &self.classes.classes;
        let is_new = |class: &usize| self.addresses[*class] & entered.mask == 0;
        let is_write = |class: &usize| classes[*class].direction == Direction::Write;
        let after_write = self.by_write[entered.class].iter().filter(is_new);
        let after_read = self.by_read[entered.class].iter().filter(is_new).filter(is_write);
        let mut next: Vec<(usize, Communication)> = after_write
            .map(|class| (class, if is_write(&class) { Coherence } else { ReadFrom }))
            .chain(after_read.map(|class| (class, FromRead)))
            .collect();
        // A write alone in its thread, which is read from.
        if is_write(&entered.class) {
            let readers = self.classes.communicates[entered.class].iter();
            next.extend(readers.filter(|class| !is_write(class)).map(|class| (class, entered.how)));
        }
        next
    }
}
