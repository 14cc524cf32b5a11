//! The search: breadth first, level by level, each level in chunks.
//!
//! A chunk is expanded in two phases. First its states are divided among the threads, and each
//! sorts the successors it finds by the shards they belong to. Then the shards are divided among
//! the threads, and each adds to its shards what all threads found for them. No two threads touch
//! one shard, so nothing is locked. Small chunks are done by one thread.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use crate::limits::{Limit, Limits, Progress};
use crate::set::{OutOfMemory, SHARDS, Shard, hash, shard_of};
use crate::{State, System, path};

/// States that are expanded between two looks at the limits: enough for each shard to receive many
/// states at a time.
const CHUNK: usize = 1 << 18;
/// Chunks smaller than this are not worth a second thread.
const WORTH_SHARING: usize = 1 << 11;

/// What a search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<const W: usize> {
    /// All reachable states were found; none is a goal.
    Exhausted,
    /// A shortest path from an initial state to a goal.
    Found(Vec<State<W>>),
    /// A limit was reached first; nothing is known.
    Stopped(Limit),
}

/// What a search did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// Different states found.
    pub states: u64,
    /// Successors computed, repetitions included.
    pub transitions: u64,
    /// Steps to the farthest state found.
    pub depth: u64,
    /// The most bytes in use for states at any look at the limits, of which there is one for each
    /// chunk; what a shard needs twice while it grows is not in it.
    pub peak_bytes: usize,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Search<const W: usize> {
    /// What it came to.
    pub outcome: Outcome<W>,
    /// What it did.
    pub statistics: Statistics,
}

/// Searches `system` with this many threads. `watch` is told of the progress every few ten thousand
/// states and can end the search.
pub fn search<const W: usize, S: System<W>>(
    system: &S,
    threads: usize,
    limits: &Limits,
    watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Search<W> {
    let mut run = Run {
        system,
        threads: threads.clamp(1, SHARDS),
        limits,
        watch,
        started: Instant::now(),
        shards: (0..SHARDS).map(|_| Shard::new()).collect(),
        table_bytes: AtomicUsize::new(0),
        statistics: Statistics { states: 0, transitions: 0, depth: 0, peak_bytes: 0 },
    };
    let outcome = run.outcome();
    Search { outcome, statistics: run.statistics }
}

struct Run<'a, const W: usize, S, F> {
    system: &'a S,
    threads: usize,
    limits: &'a Limits,
    watch: F,
    started: Instant,
    shards: Vec<Shard<W>>,
    /// Bytes reserved by all shards, growth included.
    table_bytes: AtomicUsize,
    statistics: Statistics,
}

/// What the shards of one thread received.
struct Received<const W: usize> {
    new: Vec<State<W>>,
    goal: Option<State<W>>,
    out_of_memory: bool,
}

impl<const W: usize, S, F> Run<'_, W, S, F>
where
    S: System<W>,
    F: FnMut(&Progress) -> ControlFlow<()>,
{
    fn outcome(&mut self) -> Outcome<W> {
        let mut frontier = Vec::new();
        let initial = [by_shard(self.system.initial())];
        let mut goal = match self.add(&initial, 0, &mut frontier) {
            Ok(goal) => goal,
            Err(limit) => return Outcome::Stopped(limit),
        };
        let mut depth = 0;
        while goal.is_none() && !frontier.is_empty() {
            let mut next = Vec::new();
            for chunk in frontier.chunks(CHUNK) {
                let Ok(found) = self.expand(chunk) else {
                    return Outcome::Stopped(Limit::Memory);
                };
                let result = self.add(&found, depth + 1, &mut next);
                let waiting = frontier.len() + next.len();
                let underway: usize = found.iter().flatten().map(Vec::len).sum();
                let bytes = (waiting + underway) * size_of::<State<W>>();
                let limit = self.limit_reached(depth, waiting, bytes);
                match (result, limit) {
                    (Ok(found), None) => goal = least(goal, found),
                    (Err(limit), _) | (Ok(_), Some(limit)) => return Outcome::Stopped(limit),
                }
            }
            if !next.is_empty() {
                depth += 1;
                self.statistics.depth = depth;
            }
            frontier = next;
        }
        match goal {
            None => Outcome::Exhausted,
            Some(goal) => Outcome::Found(path::to(self.system, &self.shards, goal, depth)),
        }
    }

    /// The successors of a chunk of states, sorted by their shards, once for each thread.
    fn expand(&mut self, chunk: &[State<W>]) -> Result<Vec<Vec<Vec<State<W>>>>, OutOfMemory> {
        let system = self.system;
        let expand = |states: &[State<W>]| {
            let mut sorted: Vec<Vec<State<W>>> = vec![Vec::new(); SHARDS];
            let mut transitions = 0_u64;
            let mut all_stored = true;
            for state in states {
                system.successors(state, |successor| {
                    transitions += 1;
                    all_stored &= store(&mut sorted[shard_of(hash(&successor))], successor);
                });
            }
            if all_stored { Ok((sorted, transitions)) } else { Err(OutOfMemory) }
        };
        let results: Result<Vec<_>, OutOfMemory> = if self.threads == 1
            || chunk.len() < WORTH_SHARING
        {
            expand(chunk).map(|result| vec![result])
        } else {
            std::thread::scope(|scope| {
                let parts = chunk.chunks(chunk.len().div_ceil(self.threads));
                let workers: Vec<_> = parts.map(|part| scope.spawn(move || expand(part))).collect();
                workers.into_iter().map(|worker| worker.join().expect("no thread fails")).collect()
            })
        };
        let results = results?;
        self.statistics.transitions += results.iter().map(|(_, count)| count).sum::<u64>();
        Ok(results.into_iter().map(|(sorted, _)| sorted).collect())
    }

    /// Adds states, sorted by their shards, to the set, and the new ones to `next`. Returns the
    /// least goal among the new ones.
    fn add(
        &mut self,
        found: &[Vec<Vec<State<W>>>],
        depth: u64,
        next: &mut Vec<State<W>>,
    ) -> Result<Option<State<W>>, Limit> {
        let system = self.system;
        let (bytes, limit) = (&self.table_bytes, self.limits.memory.unwrap_or(usize::MAX));
        let receive = |first: usize, shards: &mut [Shard<W>]| {
            let mut received = Received { new: Vec::new(), goal: None, out_of_memory: false };
            for (number, shard) in shards.iter_mut().enumerate() {
                for sorted in found {
                    let before = shard.bytes();
                    let may_reserve = |more: usize| bytes.load(Ordering::Relaxed) + more <= limit;
                    let result = shard.insert_all(
                        &sorted[first + number],
                        depth.to_le_bytes()[0],
                        &may_reserve,
                        |state| {
                            if system.is_goal(&state) {
                                received.goal = least(received.goal, Some(state));
                            }
                            received.out_of_memory |= !store(&mut received.new, state);
                        },
                    );
                    bytes.fetch_add(shard.bytes() - before, Ordering::Relaxed);
                    received.out_of_memory |= matches!(result, Err(OutOfMemory));
                }
            }
            received
        };
        let total: usize = found.iter().flatten().map(Vec::len).sum();
        let all: Vec<Received<W>> = if self.threads == 1 || total < WORTH_SHARING {
            vec![receive(0, &mut self.shards)]
        } else {
            let part = SHARDS.div_ceil(self.threads);
            let receive = &receive;
            std::thread::scope(|scope| {
                let parts = self.shards.chunks_mut(part).enumerate();
                let workers: Vec<_> = parts
                    .map(|(number, shards)| scope.spawn(move || receive(number * part, shards)))
                    .collect();
                workers.into_iter().map(|worker| worker.join().expect("no thread fails")).collect()
            })
        };
        let mut goal = None;
        let mut out_of_memory = false;
        for received in all {
            self.statistics.states += received.new.len() as u64;
            goal = least(goal, received.goal);
            out_of_memory |= received.out_of_memory;
            out_of_memory |= next.try_reserve(received.new.len()).is_err();
            if !out_of_memory {
                next.extend(received.new);
            }
        }
        if out_of_memory { Err(Limit::Memory) } else { Ok(goal) }
    }

    /// The limit that has been reached, if any has.
    fn limit_reached(
        &mut self,
        depth: u64,
        frontier: usize,
        outside_the_set: usize,
    ) -> Option<Limit> {
        let bytes = self.table_bytes.load(Ordering::Relaxed) + outside_the_set;
        self.statistics.peak_bytes = self.statistics.peak_bytes.max(bytes);
        let elapsed = self.started.elapsed();
        let progress = Progress {
            states: self.statistics.states,
            depth,
            frontier: frontier as u64,
            bytes,
            elapsed,
        };
        if self.limits.memory.is_some_and(|memory| bytes > memory) {
            Some(Limit::Memory)
        } else if self.limits.states.is_some_and(|states| self.statistics.states > states) {
            Some(Limit::States)
        } else if self.limits.time.is_some_and(|time| elapsed > time) {
            Some(Limit::Time)
        } else if (self.watch)(&progress).is_break() {
            Some(Limit::Cancelled)
        } else {
            None
        }
    }
}

/// Appends a state; says whether there was memory for it.
fn store<const W: usize>(states: &mut Vec<State<W>>, state: State<W>) -> bool {
    let room = states.try_reserve(1).is_ok();
    if room {
        states.push(state);
    }
    room
}

/// States sorted by their shards.
fn by_shard<const W: usize>(states: Vec<State<W>>) -> Vec<Vec<State<W>>> {
    let mut sorted = vec![Vec::new(); SHARDS];
    for state in states {
        sorted[shard_of(hash(&state))].push(state);
    }
    sorted
}

/// The lesser of two, if there is one.
fn least<T: Ord>(left: Option<T>, right: Option<T>) -> Option<T> {
    match (left, right) {
        (Some(left), Some(right)) => Some(left.min(right)),
        (one, other) => one.or(other),
    }
}
