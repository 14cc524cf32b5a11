//! Steps that touch no cell, taken at once.
//!
//! A step that touches no cell neither sees nor changes what other threads see and change, so it
//! commutes with every step of theirs. If all that a thread can do in a local state is of this
//! kind, it may do it before anybody else moves: whatever the system can reach with the step
//! delayed it also reaches with the step taken at once (a persistent set of one thread, Godefroid
//! 1996). So such local states are never stored: the thread runs on until it must touch a cell,
//! until it can do nothing, or until somebody looks (a goal, or a local state that the condition
//! looks at; leaving one is seen as well, so nothing is taken at once there).
//!
//! *Queries.* Marked local states, states without steps, threads that wait for ever, and conditions
//! on visible local states and cells.
//!
//! *Nobody is ignored.* A loop of local steps alone is broken where it closes, and a run that does not
//! seem to end is interrupted; the thread then stands in a stored state where everybody else can move.
//! Each interruption makes the next runs longer ([`Patience`]): a loop that only takes time is then
//! passed in few stored states, and a counter without end does not keep others from moving. Where many
//! ways lead on it is the other way round, until each step is taken once. Automata are asked in an order
//! that does not depend on who searches, so neither do the interruptions.
//!
//! What the steps of a run are called is not remembered, since nearly all runs are never told: one that is
//! told is made once more, with the same patience. Only a fingerprint is kept, for
//! [`crate::symmetry`], which exchanges threads whose steps have the same names.

use std::hash::{Hash, Hasher};

use explore::{Limit, Limits, Lookout};
use rustc_hash::FxHasher;

use crate::build::IndexSet;
use crate::{Effect, LocalStep, Step, Threads};

/// Where a thread comes to rest.
pub(crate) struct Rest<T: Threads> {
    pub(crate) local: T::Local,
    /// Whether a step closed a loop.
    pub(crate) closes_loop: bool,
    pub(crate) names: Names<T::Name>,
}

impl<T: Threads> Rest<T> {
    /// A thread that has come here, and has done nothing yet.
    pub(crate) const fn at(local: T::Local) -> Self {
        Self { local, closes_loop: false, names: Names::untold() }
    }
}

/// What the steps of a run are called.
pub(crate) struct Names<Name> {
    pub(crate) fingerprint: u64,
    /// All of them, if the run is told.
    pub(crate) told: Option<Vec<Name>>,
}

impl<Name: Clone + Hash> Names<Name> {
    fn push(&mut self, name: Name) {
        self.fingerprint = longer(self.fingerprint, &name);
        if let Some(told) = &mut self.told {
            told.push(name);
        }
    }
}

impl<Name> Names<Name> {
    const fn untold() -> Self {
        Self { fingerprint: 0, told: None }
    }
}

/// The fingerprint of names, and one more.
fn longer(fingerprint: u64, name: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    fingerprint.hash(&mut hasher);
    name.hash(&mut hasher);
    hasher.finish()
}

/// All places where it comes to rest: mostly one.
pub(crate) struct Rests<T: Threads> {
    first: Rest<T>,
    others: Vec<Rest<T>>,
}

impl<T: Threads> Rests<T> {
    pub(crate) const fn only(first: Rest<T>) -> Self {
        Self { first, others: Vec::new() }
    }
}

impl<T: Threads> IntoIterator for Rests<T> {
    type Item = Rest<T>;
    type IntoIter = std::iter::Chain<std::iter::Once<Rest<T>>, std::vec::IntoIter<Rest<T>>>;

    fn into_iter(self) -> Self::IntoIter {
        std::iter::once(self.first).chain(self.others)
    }
}

/// How many local steps are taken in one go: how often that was doubled, and where there are several
/// ways, how often it was halved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    doubled: u8,
    halved: u8,
}

impl Patience {
    /// Steps that are taken in one go at first.
    const FIRST: usize = 1024;
    const MOST_DOUBLED: u8 = 6;
    const MOST_HALVED: u8 = 10;

    pub(crate) const fn new() -> Self {
        Self { doubled: 0, halved: 0 }
    }

    /// A run was interrupted: the next ones may last longer.
    fn grow(&mut self) {
        self.doubled = Self::MOST_DOUBLED.min(self.doubled + 1);
    }

    /// A run was interrupted that can go many ways: the ways of the next ones, which begin in the midst
    /// of these, are not all gone again.
    fn shrink(&mut self) {
        self.halved = Self::MOST_HALVED.min(self.halved + 1);
    }

    fn steps(self) -> usize {
        Self::FIRST << self.doubled
    }

    /// Whether a run that has lasted long enough is interrupted here: rarely, and wherever it came from.
    /// So runs through a loop that is longer than any of them come together.
    fn is_milestone(self, local: &impl Hash) -> bool {
        let mut hasher = FxHasher::default();
        local.hash(&mut hasher);
        hasher.finish().is_multiple_of(self.steps() as u64 / 16)
    }

    fn local_states(self) -> usize {
        Self::FIRST >> self.halved
    }
}

/// Finds out that a run is in a loop, with few local states in memory: who is in a loop of local steps
/// takes a step that closes one in every round ([`Step::closes_loop`]), and comes to the same local
/// states again. The thread rests at the least of those where such steps lead, wherever it came from.
enum Circle<Local> {
    /// That is not known: whether a local state is seen again, after twice as many steps each time
    /// (Brent 1980).
    Unknown { seen: Option<Local>, since: usize, until: usize },
    /// It is, and goes round once more from here to find the least.
    Round { from: Local, least: Local },
    /// It goes there.
    To(Local),
}

impl<Local: Clone + Ord> Circle<Local> {
    const fn new() -> Self {
        Self::Unknown { seen: None, since: 0, until: 1 }
    }

    /// Whether to rest here, where a step that closes a loop has led.
    fn is_closed_by(&mut self, local: &Local) -> bool {
        match self {
            Self::Unknown { seen: Some(seen), .. } if seen == local => {
                *self = Self::Round { from: local.clone(), least: local.clone() };
            }
            Self::Unknown { seen, since, until } => {
                *since += 1;
                if since == until {
                    (*since, *until) = (0, *until * 2);
                    *seen = Some(local.clone());
                }
            }
            Self::Round { from, least } => {
                if local < least {
                    least.clone_from(local);
                }
                if from == local {
                    *self = Self::To(least.clone());
                }
            }
            Self::To(_) => {}
        }
        matches!(self, Self::To(least) if least == local)
    }
}

/// What a thread that has come to a local state does at once.
enum Next<T: Threads> {
    /// It rests there.
    Rests,
    /// It has taken its only step.
    Passed { name: T::Name, closes_loop: bool },
    /// It can take one of several.
    ManyWays(Vec<Step<T::Cell, T::Name>>),
}

/// Takes a thread on by its only step, if there is one.
fn take_local_step<T: Threads>(
    threads: &T,
    class: usize,
    local: &mut T::Local,
    touches: impl Fn(&T::Local) -> bool,
) -> Next<T> {
    match threads.take_local_step(class, local) {
        LocalStep::Rests => return Next::Rests,
        LocalStep::Passed { name, closes_loop } => return Next::Passed { name, closes_loop },
        LocalStep::Unsaid => {}
    }
    if touches(local) {
        return Next::Rests;
    }
    let Some(steps) = steps_at_once(threads, class, local) else { return Next::Rests };
    let mut possible =
        steps.iter().filter_map(|step| match threads.effect(class, local, step, &[]) {
            Effect::Done(next, _) => Some((step, next)),
            Effect::Blocked => None,
        });
    let Some((step, next)) = possible.next() else { return Next::Rests };
    if possible.next().is_some() {
        drop(possible);
        return Next::ManyWays(steps);
    }
    let passed = Next::Passed { name: step.name.clone(), closes_loop: step.closes_loop };
    *local = next;
    passed
}

/// Where a thread that has come to `from` comes to rest, once for each way it can go. If nothing is
/// taken at once that is `from` itself. `touches` says of local states that are known to have a step
/// that touches a cell that they do; it need not know.
pub(crate) fn run_on<T: Threads>(
    threads: &T,
    class: usize,
    from: Rest<T>,
    touches: impl Fn(&T::Local) -> bool,
    (patience, lookout): (&mut Patience, &mut Lookout),
) -> Result<Rests<T>, Limit> {
    let mut here = from;
    let mut circle = Circle::new();
    for taken in 0..2 * patience.steps() {
        lookout.step()?;
        match take_local_step(threads, class, &mut here.local, &touches) {
            Next::Rests => return Ok(Rests::only(here)),
            Next::Passed { name, closes_loop } => {
                here.names.push(name);
                here.closes_loop |= closes_loop;
                if closes_loop && circle.is_closed_by(&here.local) {
                    return Ok(Rests::only(here));
                }
                if closes_loop && taken >= patience.steps() && patience.is_milestone(&here.local) {
                    break;
                }
            }
            Next::ManyWays(steps) => {
                return run_on_many_ways(threads, class, here, steps, (patience, lookout));
            }
        }
    }
    patience.grow();
    Ok(Rests::only(here))
}

/// What has become of a local state on one of many ways.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    /// Its steps are yet to be taken.
    Open,
    Passed,
    Resting,
}

/// A local step on the way: what it is called, if the run is told, and the one before. Ways share their
/// beginnings, so that a long one costs no more than its length.
struct Passed<Name> {
    name: Option<Name>,
    before: Option<usize>,
    /// That of the names up to this one.
    fingerprint: u64,
}

/// A local state whose steps are yet to be taken, by number.
struct Open<T: Threads> {
    local: usize,
    last: Option<usize>,
    closes_loop: bool,
    steps: Vec<Step<T::Cell, T::Name>>,
}

/// The same where a thread can take one of several local steps.
fn run_on_many_ways<T: Threads>(
    threads: &T,
    class: usize,
    from: Rest<T>,
    steps: Vec<Step<T::Cell, T::Name>>,
    (patience, lookout): (&mut Patience, &mut Lookout),
) -> Result<Rests<T>, Limit> {
    let Rest { local, names: begin, closes_loop } = from;
    let most = patience.local_states();
    let mut seen = IndexSet::from_iter([local]);
    let mut standings = vec![Visit::Open];
    let mut passed: Vec<Passed<T::Name>> = Vec::new();
    let mut open: Vec<Open<T>> = vec![Open { local: 0, last: None, closes_loop, steps }];
    // Those where it comes to rest: the local state, the last step, and whether one closed a loop.
    let mut resting: Vec<(usize, Option<usize>, bool)> = Vec::new();
    let mut is_interrupted = false;
    while let Some(here) = open.pop() {
        standings[here.local] = Visit::Passed;
        let mut is_over = true;
        let fingerprint = here.last.map_or(begin.fingerprint, |last| passed[last].fingerprint);
        for step in here.steps.into_iter().rev() {
            lookout.step()?;
            let Effect::Done(local, _) = threads.effect(class, &seen[here.local], &step, &[])
            else {
                continue;
            };
            is_over = false;
            let closes_loop = here.closes_loop || step.closes_loop;
            let fingerprint = longer(fingerprint, &step.name);
            let name = begin.told.is_some().then_some(step.name);
            passed.push(Passed { name, before: here.last, fingerprint });
            let last = Some(passed.len() - 1);
            let (local, is_new) = seen.insert_full(local);
            if !is_new {
                if standings[local] == Visit::Passed {
                    // A loop of local steps: the thread rests where it closes.
                    standings[local] = Visit::Resting;
                    resting.push((local, last, true));
                }
                continue;
            }
            match steps_at_once(threads, class, &seen[local]) {
                Some(steps) if seen.len() < most => {
                    standings.push(Visit::Open);
                    open.push(Open { local, last, closes_loop, steps });
                }
                further => {
                    is_interrupted |= further.is_some();
                    standings.push(Visit::Resting);
                    resting.push((local, last, closes_loop));
                }
            }
        }
        if is_over {
            standings[here.local] = Visit::Resting;
            resting.push((here.local, here.last, here.closes_loop));
        }
    }
    if is_interrupted {
        patience.shrink();
    }
    let rest = |(local, last, closes_loop): (usize, Option<usize>, bool)| {
        let told = begin.told.as_ref().map(|begin| {
            let back = std::iter::successors(last, |at| passed[*at].before);
            let mut names: Vec<T::Name> = back.filter_map(|at| passed[at].name.clone()).collect();
            names.extend(begin.iter().rev().cloned());
            names.reverse();
            names
        });
        let fingerprint = last.map_or(begin.fingerprint, |last| passed[last].fingerprint);
        Rest { local: seen[local].clone(), closes_loop, names: Names { fingerprint, told } }
    };
    let mut rests = resting.into_iter().map(rest);
    let first = rests.next().expect("whoever does not go on rests");
    Ok(Rests { first, others: rests.collect() })
}

/// What the steps of a run are called that a thread makes by itself from a local state on with this
/// patience, of several the one with this number.
pub(crate) fn told<T: Threads>(
    threads: &T,
    class: usize,
    from: T::Local,
    mut patience: Patience,
    number: usize,
) -> Vec<T::Name> {
    let names = Names { told: Some(Vec::new()), ..Names::untold() };
    let from = Rest { names, ..Rest::at(from) };
    // The run was made before, within the limits.
    let mut lookout = Lookout::new(&Limits::default());
    let rests = run_on(threads, class, from, |_| false, (&mut patience, &mut lookout));
    let rest = rests.ok().and_then(|rests| rests.into_iter().nth(number));
    rest.and_then(|rest| rest.names.told).expect("a run can be made once more")
}

/// The steps of a local state if they may be taken at once.
fn steps_at_once<T: Threads>(
    threads: &T,
    class: usize,
    local: &T::Local,
) -> Option<Vec<Step<T::Cell, T::Name>>> {
    let mark = threads.mark(class, local);
    if mark.goal || mark.visible {
        return None;
    }
    let steps = threads.steps(class, local);
    steps.iter().all(|step| step.cells.is_empty()).then_some(steps)
}
