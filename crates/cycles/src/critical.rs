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
//! sets of visited threads and addresses ([`crate::search`]).
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

use crate::architecture::{Direction, Strength};
use crate::bits::Bits;
use crate::classes::Classes;
use crate::machine::Machine;
use crate::relaxed::Relaxed;
use crate::search::Search;

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

pub(crate) const fn number(kind: Communication) -> u16 {
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
    /// For each class that begins a critical pair, the contexts of its pairs, by the number of the second
    /// class within the thread.
    contexts: Vec<Option<Vec<Context>>>,
    /// For each class, the first of its thread.
    home: Vec<usize>,
    /// Whether every pair is on a cycle that visits each thread and each address once.
    pub(crate) is_exact: bool,
}

impl Critical {
    pub(crate) fn new(classes: &Classes, machine: &Machine<'_>) -> Self {
        let search = Search::new(classes, machine);
        let count = classes.all.len();
        // Which classes come before each, and are not always in order with it.
        let mut left: Vec<Vec<usize>> = vec![Vec::new(); count];
        for first in 0..count {
            let from = classes.all[first].direction;
            for second in classes.after(first) {
                let to = classes.all[second].direction;
                if machine.arch.by_itself(from, to) < Strength::Full {
                    left[second].push(first);
                }
            }
        }
        let relaxed = Relaxed::new(classes);
        let home: Vec<usize> = (0..count).map(|class| classes.home(class)).collect();
        let mut contexts: Vec<Option<Vec<Context>>> = vec![None; count];
        let mut is_exact = search.tells_all_apart;
        // How cycles enter and leave matters on Power and ARMv7 alone.
        let once_each = machine.arch.is_multi_copy_atomic();
        for out in KINDS {
            let is_left = |class: &usize| !left[*class].is_empty();
            for seconds in search.alike_from((0..count).filter(is_left), out) {
                let mut among = Bits::new(count);
                for first in seconds.iter().flat_map(|second| &left[*second]) {
                    among.insert(*first);
                }
                let mut targets = relaxed.from(seconds[0], out, &among);
                if targets.is_empty() {
                    continue;
                }
                targets.once_each = once_each;
                let budget = search.budget().saturating_mul(seconds.len() as u64);
                let confirmed = search.confirm(seconds[0], out, &mut targets, budget);
                is_exact &= confirmed.is_complete;
                let mut entered = [0, 1, 2].map(|_| Bits::new(count));
                for found in &confirmed.found {
                    entered[usize::from(number(found.how))].insert(found.class);
                }
                if !confirmed.is_complete {
                    targets.iter().for_each(|(class, how)| {
                        entered[usize::from(number(how))].insert(class);
                    });
                }
                for second in seconds {
                    for into in KINDS {
                        let entered = &entered[usize::from(number(into))];
                        for first in left[second].iter().filter(|first| entered.contains(**first)) {
                            let of_first = contexts[*first].get_or_insert_with(|| {
                                let thread = classes.of_thread(classes.all[*first].thread);
                                vec![Context::default(); thread.len()]
                            });
                            of_first[second - home[second]].add(into, out);
                        }
                    }
                    if once_each {
                        left[second]
                            .retain(|first| entered.iter().all(|all| !all.contains(*first)));
                    }
                }
            }
        }
        Self { contexts, home, is_exact }
    }

    /// Whether a class begins a critical pair.
    pub(crate) fn begins(&self, first: usize) -> bool {
        self.contexts[first].is_some()
    }

    pub(crate) fn context(&self, first: usize, second: usize) -> Context {
        let of_first =
            self.contexts[first].as_ref().filter(|_| self.home[first] == self.home[second]);
        of_first.map_or_else(Context::default, |all| all[second - self.home[second]])
    }
}
