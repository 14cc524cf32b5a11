//! Shortest paths, found by a second search.
//!
//! The first search keeps no trace of how it found a state: that would cost as much memory as the
//! states, and what several threads find first is a matter of luck. When a path is wanted, one thread
//! searches again, logs how it finds each state ([`crate::log`]), and stops where it finds what is
//! wanted. It is breadth first, so the path is shortest; and it is the same whatever the number of
//! threads of the first search.
//!
//! If there is no memory for the whole log, it tells the last steps only; the search is then repeated
//! up to the state where they begin, and so on.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use crate::account::Account;
use crate::limits::{Limit, Limits, Progress};
use crate::log::Step;
use crate::monitor::Monitor;
use crate::retrace::Retrace;
use crate::set::Set;
use crate::{State, System};

/// A path: the states from an initial one to the last.
type Path<const W: usize> = Vec<State<W>>;

/// A shortest path to each of some states, in their order; nothing for one that cannot be reached.
///
/// The system has learned what it needs: where successors are unknown, it is taken to have none.
pub fn paths<const W: usize, S: System<W>>(
    system: &S,
    targets: &[State<W>],
    limits: &Limits,
    watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Vec<Option<Path<W>>>, Limit> {
    let account = Account::new(limits);
    let mut monitor = Monitor::new(limits, watch);
    let different: BTreeSet<State<W>> = targets.iter().copied().collect();
    let retrace = Retrace::new(system, Set::new(system.widths()), &account, &mut monitor);
    let most = (different.len(), usize::MAX);
    let found = find(retrace, |state| different.contains(state), most)?;
    let by_target: BTreeMap<State<W>, Path<W>> = found
        .into_iter()
        .filter_map(|path| path.last().copied().map(|last| (last, path)))
        .collect();
    Ok(targets.iter().map(|target| by_target.get(target).cloned()).collect())
}

/// Shortest paths to the first goals, up to so many among the first so many states; there is one. The
/// set is empty.
pub(crate) fn to_first_goals<const W: usize, S: System<W>>(
    system: &S,
    set: Set<W>,
    most: (usize, usize),
    account: &Account,
    monitor: &mut Monitor<impl FnMut(&Progress) -> ControlFlow<()>>,
) -> Result<Vec<Path<W>>, Limit> {
    let retrace = Retrace::new(system, set, account, monitor);
    find(retrace, |state| system.is_goal(state), most)
}

/// Shortest paths to the first states that are wanted: at most so many, among the first so many.
fn find<const W: usize, S: System<W>, F: FnMut(&Progress) -> ControlFlow<()>>(
    mut retrace: Retrace<'_, W, S, F>,
    wanted: impl Fn(&State<W>) -> bool,
    most: (usize, usize),
) -> Result<Vec<Path<W>>, Limit> {
    let targets = retrace.run(|_, state| wanted(state), most)?;
    let mut steps = BTreeMap::new();
    let mut open: BTreeSet<usize> = targets.iter().copied().collect();
    loop {
        let before = open.last().copied();
        retrace.read_log(&mut open, &mut steps);
        if open.is_empty() {
            break;
        }
        if open.last().copied() == before {
            return Err(Limit::Memory);
        }
        retrace.run(|number, _| open.contains(&number), (open.len(), usize::MAX))?;
    }
    let states = replay(retrace.system, &retrace.initial, &steps);
    let path = |target: &usize| {
        let numbers = std::iter::successors(Some(*target), |at| Some(steps.get(at)?.from));
        let mut path: Path<W> = numbers.map(|number| states[&number]).collect();
        path.reverse();
        path
    };
    Ok(targets.iter().map(path).collect())
}

/// The states with numbers that are initial or have a step.
fn replay<const W: usize, S: System<W>>(
    system: &S,
    initial: &[State<W>],
    steps: &BTreeMap<usize, Step>,
) -> BTreeMap<usize, State<W>> {
    let mut states: BTreeMap<usize, State<W>> = initial.iter().copied().enumerate().collect();
    // A state is found by one with a smaller number.
    for (number, step) in steps {
        let mut place = 0;
        let mut found = None;
        let known = system.successors(&states[&step.from], |state| {
            if place == step.place {
                found = Some(state);
            }
            place += 1;
        });
        debug_assert!(known.is_ok(), "what was known stays known");
        states.insert(*number, found.expect("successors come in the same order every time"));
    }
    states
}
