//! What a search is asked and what it answers.

use std::ops::ControlFlow;

use crate::levels::{End, Run};
use crate::limits::{Limit, Limits, Progress};
use crate::monitor::Monitor;
use crate::{State, System, path};

/// What a search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<const W: usize> {
    /// All reachable states were found; none is a goal, unless all goals were asked for.
    Exhausted,
    /// A shortest path from an initial state to a goal.
    Found(Vec<State<W>>),
    /// A limit was reached first; nothing is known.
    Stopped(Limit),
    /// The system said that its packing no longer fits; nothing is known.
    Outgrown,
}

/// What a search did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// Different states found.
    pub states: u64,
    /// Successors computed, repetitions included, those for the path not.
    pub transitions: u64,
    /// Steps to the farthest state found.
    pub depth: u64,
    /// The most bytes that were reserved for states at any time.
    pub peak_bytes: usize,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Search<const W: usize> {
    /// What it came to.
    pub outcome: Outcome<W>,
    /// Shortest paths to further goals that are as near, as many as were asked for.
    pub others: Vec<Vec<State<W>>>,
    /// What it did.
    pub statistics: Statistics,
}

/// The result of a search for all goals.
#[derive(Clone, Debug)]
pub struct Goals<const W: usize> {
    /// The goals found, in ascending order: all of them if the states were exhausted.
    pub goals: Vec<State<W>>,
    /// What the search came to, never [`Outcome::Found`], and what it did.
    pub search: Search<W>,
}

/// Searches `system` for a nearest goal, with this many threads. `watch` is told of the progress
/// about twenty times a second and can end the search.
pub fn search<const W: usize, S: System<W>>(
    system: &mut S,
    threads: usize,
    limits: &Limits,
    watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Search<W> {
    search_nearest(system, threads, limits, 1, watch)
}

/// Searches as [`search`] does for up to `most` goals, all as near as the nearest.
pub fn search_nearest<const W: usize, S: System<W>>(
    system: &mut S,
    threads: usize,
    limits: &Limits,
    most: usize,
    watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Search<W> {
    let mut others = Vec::new();
    let mut monitor = Monitor::new(limits, watch);
    let mut run = Run::new(system, threads, limits, false);
    let end = run.levels(&mut monitor);
    let mut statistics = run.statistics();
    let outcome = match end {
        Ok(()) if run.goal_seen() => {
            let (system, set, account) = run.into_parts();
            // The level of the nearest goals is the last one that was searched.
            let goals = usize::try_from(statistics.states).map(|states| (most.max(1), states));
            let goals = goals.unwrap_or((1, usize::MAX));
            let paths = path::to_first_goals(system, set, goals, &account, &mut monitor);
            statistics.peak_bytes = account.peak();
            match paths {
                Ok(paths) => {
                    let mut paths = paths.into_iter();
                    let first = paths.next().expect("the first search found a goal");
                    others.extend(paths);
                    Outcome::Found(first)
                }
                Err(limit) => Outcome::Stopped(limit),
            }
        }
        Ok(()) => Outcome::Exhausted,
        Err(End::Limit(limit)) => Outcome::Stopped(limit),
        Err(End::Outgrown) => Outcome::Outgrown,
    };
    Search { outcome, others, statistics }
}

/// Searches all of `system` as [`search`] does, and goes on when it finds a goal.
/// [`paths`](crate::paths) gives shortest paths to them.
pub fn search_all<const W: usize, S: System<W>>(
    system: &mut S,
    threads: usize,
    limits: &Limits,
    watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Goals<W> {
    let mut monitor = Monitor::new(limits, watch);
    let mut run = Run::new(system, threads, limits, true);
    let outcome = match run.levels(&mut monitor) {
        Ok(()) => Outcome::Exhausted,
        Err(End::Limit(limit)) => Outcome::Stopped(limit),
        Err(End::Outgrown) => Outcome::Outgrown,
    };
    let statistics = run.statistics();
    let mut goals = run.into_goals();
    goals.sort_unstable();
    Goals { goals, search: Search { outcome, others: Vec::new(), statistics } }
}
