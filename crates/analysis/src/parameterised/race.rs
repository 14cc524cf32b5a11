//! The search for an instance that shows the contrary, and the proof that there is none, side by side.
//!
//! Most violations are found in instances with two or three copies, and most proofs are quick; but where one
//! of the two is slow the other must not wait for it. With two threads or more one proves, the others search
//! instances of growing size, and whoever knows first ends the other. With one thread they take turns: a quick
//! look at small instances, the proof, instances again with all that is left. What was found is the same
//! either way, since *holds* and *violated* are never both true, and instances are searched from the smallest
//! on.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use explore::{Limit, Limits, Progress};
use program::Program;
use web_time::Instant;

use super::Instance;
use super::instances::Instances;
use crate::execution::BUG;
use crate::portfolio::Remark;
use crate::proof::Proof;
use crate::verdict::{Options, Reason, Statistics, Verdict, Watch};

/// While nothing is proved, each instance is searched up to so many states,
const STATES: u64 = 1 << 17;
/// or so many before the proof if they take turns,
const STATES_IN_TURN: u64 = 1 << 13;
/// with so many copies more than the smallest then,
const COPIES_IN_TURN: u32 = 3;
/// and so many if nothing can be proved.
const COPIES: u32 = 4;
/// How often somebody who waits for the proof looks whether it is still wanted.
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// What was found out about all instances.
#[derive(Debug)]
pub(super) enum Proved {
    Holds(Proof),
    /// An instance with so many copies shows the contrary.
    Coverable(u32),
    Unknown(Reason),
}

/// What came out.
#[derive(Debug)]
pub(super) struct Decided<E> {
    pub(super) verdict: Verdict<E>,
    pub(super) instance: Option<Box<Instance>>,
    pub(super) statistics: Statistics,
    pub(super) remark: Option<Remark>,
}

impl<E> Decided<E> {
    pub(super) fn of(verdict: Verdict<E>) -> Self {
        Self { verdict, instance: None, statistics: Statistics::default(), remark: None }
    }
}

/// Asks one instance.
pub(super) trait Ask<E>:
    Fn(&Program, &Options, &mut Watch<'_>) -> (Verdict<E>, Statistics)
{
}
impl<E, F: Fn(&Program, &Options, &mut Watch<'_>) -> (Verdict<E>, Statistics)> Ask<E> for F {}

/// Proves something of all instances with these options.
pub(super) trait Prove:
    FnOnce(&Options, &mut Watch<'_>, &mut Option<Remark>) -> Proved + Send
{
}
impl<F: FnOnce(&Options, &mut Watch<'_>, &mut Option<Remark>) -> Proved + Send> Prove for F {}

/// Decides a question: by an instance that shows the contrary, or by a proof for all.
pub(super) fn decide<E>(
    instances: &Instances<'_>,
    options: &Options,
    watch: &mut Watch<'_>,
    ask: impl Ask<E>,
    prove: impl Prove,
) -> Decided<E> {
    let started = Instant::now();
    let mut search = Search {
        instances,
        ask,
        next: instances.smallest(),
        open: Ok(()),
        most_states: Some(0),
        decided: Decided::of(Verdict::Undecided(Reason::NoMethod)),
    };
    let proved = if options.threads > 1 {
        side_by_side(&mut search, options, watch, prove)
    } else {
        in_turn(&mut search, options, watch, prove)
    };
    if search.decided.instance.is_none() {
        search.conclude(proved, options, watch);
    }
    search.decided.statistics.elapsed = started.elapsed();
    search.decided
}

fn with_states(options: &Options, most: u64) -> Options {
    let states = options.limits.states.map_or(most, |states| states.min(most));
    Options { limits: Limits { states: Some(states), ..options.limits }, ..*options }
}

fn in_turn<E, A: Ask<E>>(
    search: &mut Search<'_, A, E>,
    options: &Options,
    watch: &mut Watch<'_>,
    prove: impl Prove,
) -> Proved {
    let quick = with_states(options, STATES_IN_TURN);
    let last = search.next + COPIES_IN_TURN;
    while search.next <= last && search.decided.instance.is_none() {
        search.one_size(&quick, watch);
    }
    if search.decided.instance.is_some() {
        return Proved::Unknown(Reason::NoMethod);
    }
    prove(options, watch, &mut search.decided.remark)
}

fn side_by_side<E, A: Ask<E>>(
    search: &mut Search<'_, A, E>,
    options: &Options,
    watch: &mut Watch<'_>,
    prove: impl Prove,
) -> Proved {
    let is_settled = &AtomicBool::new(false);
    // Each of the two gets half of the memory.
    let limits = Limits { memory: options.limits.memory.map(|most| most / 2), ..options.limits };
    let of_proof = Options { limits, threads: 1, ..*options };
    let of_search = with_states(&Options { threads: options.threads - 1, ..of_proof }, STATES);
    let started = Instant::now();
    std::thread::scope(|scope| {
        let (tell, told) = channel();
        scope.spawn(move || {
            let mut quiet = |_: &Progress| {
                if is_settled.load(Ordering::Relaxed) {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            };
            let mut remark = None;
            let proved = prove(&of_proof, &mut quiet, &mut remark);
            // Nobody listens once an instance is found.
            drop(tell.send((proved, remark)));
        });
        let mut proved = None;
        let mut is_cancelled = false;
        while proved.is_none() && !is_cancelled && search.decided.instance.is_none() {
            let mut look = |progress: &Progress| {
                if proved.is_none() {
                    proved = told.try_recv().ok();
                }
                let is_over = matches!(proved, Some((Proved::Holds(_), _)));
                is_cancelled |= watch(progress).is_break();
                if is_over || is_cancelled {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            };
            if search.next <= search.instances.smallest() + COPIES {
                search.one_size(&of_search, &mut look);
                // Small searches look at nothing.
                proved = proved.or_else(|| told.try_recv().ok());
                continue;
            }
            // There is nothing to tell of; somebody may want to end it.
            let _ = look(&Progress {
                tracing: false,
                states: search.decided.statistics.states,
                depth: 0,
                frontier: 0,
                bytes: 0,
                elapsed: started.elapsed(),
            });
            if proved.is_none() && !is_cancelled {
                match told.recv_timeout(BETWEEN_LOOKS) {
                    Ok(answer) => proved = Some(answer),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => panic!("a proof has no end; {BUG}"),
                }
            }
        }
        is_settled.store(true, Ordering::Relaxed);
        match proved {
            Some((proved, remark)) => {
                search.decided.remark = remark;
                proved
            }
            None => Proved::Unknown(Reason::Limit(Limit::Cancelled)),
        }
    })
}

/// A search through instances.
struct Search<'a, A, E> {
    instances: &'a Instances<'a>,
    ask: A,
    /// The size that is searched next: of all smaller ones nothing is left to ask,
    next: u32,
    /// or a limit kept something from being known of one of them.
    open: Result<(), Reason>,
    /// The limit on states with which it was searched last.
    most_states: Option<u64>,
    decided: Decided<E>,
}

impl<E, A: Ask<E>> Search<'_, A, E> {
    /// Searches the instances of the next size, until one shows the contrary.
    fn one_size(&mut self, options: &Options, watch: &mut Watch<'_>) {
        let is_smallest = self.open.is_ok();
        self.most_states = options.limits.states;
        for counts in self.instances.of_size(self.next) {
            let instance = self.instances.program(&counts);
            let (verdict, statistics) = (self.ask)(&instance, options, watch);
            self.decided.statistics.include(&statistics);
            match verdict {
                Verdict::Violated(evidence) => {
                    self.decided.verdict = Verdict::Violated(evidence);
                    let found = self.instances.found(&counts, is_smallest);
                    self.decided.instance = Some(Box::new(found));
                    return;
                }
                Verdict::Undecided(reason) => self.open = Err(reason),
                Verdict::Holds(_) => {}
            }
        }
        self.next += 1;
    }

    /// Begins again with the smallest instances if a limit on states kept something from being known of
    /// them, and there is a higher one now.
    fn reopen(&mut self, options: &Options) {
        let is_higher = match (options.limits.states, self.most_states) {
            (None, before) => before.is_some(),
            (Some(now), before) => before.is_some_and(|before| before < now),
        };
        if self.open.is_err() && is_higher {
            (self.next, self.open) = (self.instances.smallest(), Ok(()));
        }
    }

    /// What follows from the proof, or from having none.
    fn conclude(&mut self, proved: Proved, options: &Options, watch: &mut Watch<'_>) {
        let reason = match proved {
            Proved::Holds(proof) => {
                self.decided.verdict = Verdict::Holds(proof);
                return;
            }
            Proved::Coverable(size) => {
                self.reopen(options);
                // Some copies may have to be there beside those of the run.
                let size = size.saturating_add(self.instances.smallest());
                while self.next <= size && self.decided.instance.is_none() {
                    self.one_size(options, watch);
                }
                match &self.open {
                    Ok(()) if self.decided.instance.is_none() => {
                        panic!("what is coverable is in no instance; {BUG}")
                    }
                    Ok(()) => return,
                    Err(reason) => reason.clone(),
                }
            }
            Proved::Unknown(reason) => {
                let bounded = with_states(options, STATES);
                let is_wanted = reason != Reason::Limit(Limit::Cancelled);
                if is_wanted {
                    self.reopen(&bounded);
                }
                let last = self.instances.smallest() + COPIES;
                while is_wanted && self.next <= last && self.decided.instance.is_none() {
                    self.one_size(&bounded, watch);
                }
                reason
            }
        };
        if self.decided.instance.is_none() {
            self.decided.verdict = Verdict::Undecided(reason);
        }
    }
}
