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
//! *Nobody is ignored.* A loop of local steps alone is broken where it closes, and a run without
//! end ([`LONGEST`]) is interrupted; the thread then stands in a stored state where everybody else
//! can move. Both depend only on where the run began, never on the order of the search.

use crate::build::IndexSet;
use crate::outcomes::Names;
use crate::{Effect, Passage, Step, Threads};

/// Local steps that are taken in one go.
const LONGEST: usize = 1000;

/// Where a thread comes to rest.
pub(crate) struct Rest<T: Threads> {
    pub(crate) local: T::Local,
    /// The steps that led there.
    pub(crate) names: Names,
    /// Whether a step closed a loop.
    pub(crate) closes_loop: bool,
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

/// A local step on the way: what it is called and the one before. Ways share their beginnings, so
/// that a long one costs no more than its length.
struct Passed<Name> {
    name: Name,
    before: Option<usize>,
}

/// A local state that is passed, by number, with the steps that leave it.
struct Open<T: Threads> {
    local: usize,
    last: Option<usize>,
    closes_loop: bool,
    steps: Vec<Step<T::Cell, T::Name>>,
}

/// Where a thread that has come to `from` comes to rest, once for each way it can go. If nothing is
/// taken at once that is `from` itself. The names of its steps are the last on the `list` so far.
/// `touches` says of local states that are known to have a step that touches a cell that they do; it
/// need not know.
pub(crate) fn run_on<T: Threads>(
    threads: &T,
    class: usize,
    from: Rest<T>,
    list: &mut Vec<T::Name>,
    touches: impl Fn(&T::Local) -> bool,
) -> Rests<T> {
    let mut here = from;
    // Where steps led that close a loop: who is in a loop of local steps takes such a step in every
    // round ([`Step::closes_loop`]) and comes there again.
    let mut begun: Vec<T::Local> = Vec::new();
    for _ in 0..LONGEST {
        let (name, closes_loop) = match threads.pass(class, &mut here.local) {
            Passage::Rests => break,
            Passage::Passed { name, closes_loop } => (name, closes_loop),
            Passage::Unsaid => {
                if touches(&here.local) {
                    break;
                }
                let Some(steps) = steps_at_once(threads, class, &here.local) else { break };
                let mut possible = steps.iter().filter_map(|step| {
                    match threads.effect(class, &here.local, step, &[]) {
                        Effect::Done(local, _) => Some((step, local)),
                        Effect::Blocked => None,
                    }
                });
                let Some((step, local)) = possible.next() else { break };
                if possible.next().is_some() {
                    return run_on_many_ways(threads, class, here, list, steps);
                }
                here.local = local;
                (step.name.clone(), step.closes_loop)
            }
        };
        here.names.push(name, list);
        here.closes_loop |= closes_loop;
        if closes_loop {
            if begun.contains(&here.local) {
                break;
            }
            begun.push(here.local.clone());
        }
    }
    Rests::only(here)
}

/// The same where a thread can take one of several local steps.
fn run_on_many_ways<T: Threads>(
    threads: &T,
    class: usize,
    from: Rest<T>,
    list: &mut Vec<T::Name>,
    steps: Vec<Step<T::Cell, T::Name>>,
) -> Rests<T> {
    let Rest { local, names: begin, closes_loop } = from;
    let begin = begin.of(list).to_vec();
    let mut seen = IndexSet::from_iter([local]);
    let mut passed: Vec<Passed<T::Name>> = Vec::new();
    let mut open: Vec<Open<T>> = vec![Open { local: 0, last: None, closes_loop, steps }];
    // Those where it comes to rest: the local state, the last step, and whether that closes a loop.
    let mut resting: Vec<(usize, Option<usize>, bool)> = Vec::new();
    while let Some(here) = open.pop() {
        let mut is_over = true;
        for step in here.steps.into_iter().rev() {
            let Effect::Done(local, _) = threads.effect(class, &seen[here.local], &step, &[])
            else {
                continue;
            };
            is_over = false;
            passed.push(Passed { name: step.name, before: here.last });
            let last = Some(passed.len() - 1);
            let closes_loop = here.closes_loop || step.closes_loop;
            let (local, is_new) = seen.insert_full(local);
            if !is_new {
                if !resting.iter().any(|(rest, ..)| *rest == local)
                    && !open.iter().any(|passed| passed.local == local)
                {
                    // A loop of local steps: the thread rests where it closes.
                    resting.push((local, last, true));
                }
                continue;
            }
            match steps_at_once(threads, class, &seen[local]) {
                Some(steps) if seen.len() < LONGEST => {
                    open.push(Open { local, last, closes_loop, steps });
                }
                Some(_) | None => resting.push((local, last, closes_loop)),
            }
        }
        if is_over {
            resting.push((here.local, here.last, here.closes_loop));
        }
    }
    let rest = |(local, last, closes_loop): (usize, Option<usize>, bool)| {
        let back = std::iter::successors(last, |at| passed[*at].before);
        let before = list.len();
        list.extend(back.map(|at| passed[at].name.clone()));
        list.extend(begin.iter().rev().cloned());
        list[before..].reverse();
        Rest { local: seen[local].clone(), names: Names::since(before, list), closes_loop }
    };
    let mut rests = resting.into_iter().map(rest);
    let first = rests.next().expect("whoever does not go on rests");
    Rests { first, others: rests.collect() }
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
