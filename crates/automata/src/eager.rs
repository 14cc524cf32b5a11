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

use std::collections::BTreeSet;

use crate::{Effect, Threads};

/// Local steps that are taken in one go.
const LONGEST: usize = 1000;

/// Where a thread comes to rest.
pub(crate) struct Rest<T: Threads> {
    pub(crate) local: T::Local,
    pub(crate) names: Vec<T::Name>,
    /// Whether a step closed a loop.
    pub(crate) closes_loop: bool,
}

/// Where a thread that has come to `local` by a step of this name comes to rest, once for each way
/// it can go. If nothing is taken at once that is `local` itself.
pub(crate) fn run_on<T: Threads>(threads: &T, class: usize, from: Rest<T>) -> Vec<Rest<T>> {
    let mut seen = BTreeSet::from([from.local.clone()]);
    let mut open = vec![from];
    let mut resting: Vec<Rest<T>> = Vec::new();
    while let Some(here) = open.pop() {
        let mut onwards: Vec<Rest<T>> = Vec::new();
        if seen.len() < LONGEST && may_run_on(threads, class, &here.local) {
            for step in threads.steps(class, &here.local) {
                let Effect::Done(local, _) = threads.effect(class, &here.local, &step, &[]) else {
                    continue;
                };
                let mut names = here.names.clone();
                names.push(step.name);
                onwards.push(Rest {
                    local,
                    names,
                    closes_loop: here.closes_loop || step.closes_loop,
                });
            }
        }
        if onwards.is_empty() {
            resting.push(here);
            continue;
        }
        for next in onwards.into_iter().rev() {
            if seen.insert(next.local.clone()) {
                open.push(next);
            } else if !resting.iter().any(|rest| rest.local == next.local)
                && !open.iter().any(|rest| rest.local == next.local)
            {
                // A loop of local steps: the thread rests where it closes.
                resting.push(Rest { closes_loop: true, ..next });
            }
        }
    }
    resting
}

fn may_run_on<T: Threads>(threads: &T, class: usize, local: &T::Local) -> bool {
    let mark = threads.mark(class, local);
    !mark.goal
        && !mark.visible
        && threads.steps(class, local).iter().all(|step| step.cells.is_empty())
}
