//! Threads that wait for ever.
//!
//! A state is *stuck* if no thread can ever get any further although one waits: every thread has
//! no step, or only steps that are not possible now, or is in a loop of waiting that it cannot
//! leave as long as nobody changes a cell, and changes none itself, nor gets further in itself
//! ([`Threads::gets_further`]). Then nobody ever will, so the
//! state stays stuck, whatever is done there. One *waits* who is in a loop of waiting, or whom only the
//! exclusive section of another thread keeps from a step, which may depend on what the cells hold
//! ([`Threads::is_kept_out`]). A thread in a local state that is noted counts as one that may go on.
//! A state in which nobody waits any more ([`Threads::is_over`]) is never stuck; nor is what follows.

use std::collections::BTreeSet;

use crate::build::View;
use crate::{Effect, PerCell, Step, Threads};

/// Whether a state is stuck. The threads themselves are asked, step by step, and not the tables:
/// these may not know everything yet.
pub(crate) fn is_stuck<T: Threads>(view: &View<'_, T>) -> bool {
    let threads = view.family();
    if threads.is_over(view) {
        return false;
    }
    let mut waits = false;
    for thread in 0..view.threads() {
        let class = view.class(thread);
        let local = view.local(thread);
        if !never_leaves(view, class, local) {
            return false;
        }
        let mark = threads.mark(class, local);
        if mark.noted {
            return false;
        }
        let steps = threads.steps(class, local);
        let is_kept_out = |step: &Step<T::Cell, T::Name>| {
            let contents = contents(view, step);
            threads.is_kept_out(class, local, step, &contents.iter().collect::<Vec<_>>())
        };
        waits |= mark.waiting && !steps.is_empty() || steps.iter().any(is_kept_out);
    }
    waits
}

/// What the cells of a step hold.
fn contents<T: Threads>(view: &View<'_, T>, step: &Step<T::Cell, T::Name>) -> PerCell<T::Content> {
    let held = |cell: T::Cell| match view.content(cell) {
        Some(content) => content.clone(),
        None => view.family().initial_content(cell),
    };
    step.cells.iter().map(|(cell, _)| held(*cell)).collect()
}

/// Whether a thread that moves alone never gets out of waiting and changes nothing.
fn never_leaves<T: Threads>(view: &View<'_, T>, class: usize, from: &T::Local) -> bool {
    let threads = view.family();
    let mut seen = BTreeSet::from([from.clone()]);
    let mut open = vec![from.clone()];
    while let Some(local) = open.pop() {
        for step in threads.steps(class, &local) {
            let contents = contents(view, &step);
            let held: Vec<&T::Content> = contents.iter().collect();
            let Effect::Done(next, after) = threads.effect(class, &local, &step, &held) else {
                continue;
            };
            let mut written = step.cells.iter().zip(contents.iter().zip(&after));
            let changes_nothing =
                written.all(|((_, mode), (before, after))| !mode.writes() || before == after);
            let waits = threads.mark(class, &local).waiting && threads.mark(class, &next).waiting;
            if !waits || !changes_nothing || threads.gets_further(&local, &next) {
                return false;
            }
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    true
}
