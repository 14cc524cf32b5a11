//! Coverability: can a net reach a marking that has at least the tokens of a target?
//!
//! A [`Net`] has places that hold tokens, and transitions that take and put some. In the beginning a
//! place may hold any number of tokens from a least one on, so that one question is about a whole family
//! of nets. A thread-transition system (a shared state, and threads that are counted in their local
//! states) is a net with one token for the shared state ([`tts`]).
//!
//! Two searches race: [`mod@backward`] from the targets over minimal markings, which always decides, given
//! time and memory, and [`mod@forward`] over instances of growing size, which is quick where a small
//! one is enough. What they claim as a run is replayed before it is told. Limits end in
//! [`Answer::Stopped`], never in a guess.
//!
//! This crate knows nothing of programs, threads' code or memory models.

mod antichain;
mod backward;
mod forward;
mod net;
mod pairs;
mod prepare;
pub mod spec;
mod text;
pub mod tts;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Builder;

use explore::{Limit, Limits, Lookout};

pub use net::{Initial, Marking, Net, Place, Run, Transition};
pub use pairs::Pairs;
pub use text::ReadError;

/// Whether a target can be covered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// No marking that covers a target can be reached, whatever the net begins with.
    NotCoverable,
    /// This run covers one.
    Coverable(Run),
    /// Nothing is known.
    Stopped(Limit),
}

/// What the searches did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Transitions that the backward search had use for.
    pub transitions_needed: usize,
    /// Markings that the backward search looked at.
    pub tested: u64,
    /// Minimal markings when it ended.
    pub minimal: usize,
    /// Markings that the forward search reached, in all instances.
    pub markings: u64,
    /// The size of the largest instance that it began with.
    pub instance: u64,
}

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Both, side by side: the first that knows decides.
    Both,
    /// Backward alone.
    Backward,
    /// Forward alone: decides only if there is a run, or no place may hold any number of tokens.
    Forward,
}

/// Who can end a search, and is told how far it has come.
pub type Watch<'a> = dyn FnMut(&Statistics) -> std::ops::ControlFlow<()> + 'a;

/// What ends a search besides time and the memory of the process.
pub(crate) struct Stop<'a> {
    /// Somebody else knows the answer.
    settled: &'a AtomicBool,
    most_bytes: Option<usize>,
    watch: Option<&'a mut Watch<'a>>,
    looks: u32,
}

/// Looks between two calls of the watcher.
const BETWEEN_CALLS: u32 = 256;

impl Stop<'_> {
    fn look(&mut self, statistics: &Statistics, bytes: usize) -> Result<(), Limit> {
        if self.settled.load(Ordering::Relaxed) {
            return Err(Limit::Cancelled);
        }
        if self.most_bytes.is_some_and(|most| bytes > most) {
            return Err(Limit::Memory);
        }
        self.looks += 1;
        if self.looks.is_multiple_of(BETWEEN_CALLS)
            && let Some(watch) = &mut self.watch
            && watch(statistics).is_break()
        {
            return Err(Limit::Cancelled);
        }
        Ok(())
    }
}

/// Whether a net can cover one of its targets.
pub fn cover<'a>(
    net: &Net,
    direction: Direction,
    limits: &Limits,
    watch: &'a mut Watch<'a>,
) -> (Answer, Statistics) {
    let settled = AtomicBool::new(false);
    let most_bytes = limits.memory;
    let mut did = Statistics::default();
    let mut also_did = Statistics::default();
    let answer = match direction {
        Direction::Backward => {
            let mut stop = Stop { settled: &settled, most_bytes, watch: Some(watch), looks: 0 };
            let answer = backward::backward(net, &mut Lookout::new(limits), &mut stop, &mut did);
            answer.unwrap_or_else(Answer::Stopped)
        }
        Direction::Forward => {
            let mut stop = Stop { settled: &settled, most_bytes, watch: Some(watch), looks: 0 };
            let lookout = &mut Lookout::new(limits);
            forward_answer(forward::forward(net, None, lookout, &mut stop, &mut did))
        }
        Direction::Both => std::thread::scope(|scope| {
            let most_bytes = most_bytes.map(|most| most / 2);
            let (settled, also) = (&settled, &mut also_did);
            // Where a system has no threads to start, backward decides alone.
            let other = Builder::new().spawn_scoped(scope, move || {
                let mut stop = Stop { settled, most_bytes, watch: None, looks: 0 };
                let lookout = &mut Lookout::new(limits);
                let answer = forward_answer(forward::forward(net, None, lookout, &mut stop, also));
                if !matches!(answer, Answer::Stopped(_)) {
                    settled.store(true, Ordering::Relaxed);
                }
                answer
            });
            let mut stop = Stop { settled, most_bytes, watch: Some(watch), looks: 0 };
            let answer = backward::backward(net, &mut Lookout::new(limits), &mut stop, &mut did);
            let answer = answer.unwrap_or_else(Answer::Stopped);
            match answer {
                Answer::NotCoverable | Answer::Coverable(_) | Answer::Stopped(Limit::Cancelled) => {
                    settled.store(true, Ordering::Relaxed);
                }
                // The other may still find a run.
                Answer::Stopped(_) => {}
            }
            let Ok(other) = other else { return answer };
            let other = other.join().expect("a search does not fail");
            match (answer, other) {
                // Of two runs that of the smaller instance.
                (Answer::Coverable(one), Answer::Coverable(other)) => {
                    let is_smaller = one.size(net) <= other.size(net);
                    Answer::Coverable(if is_smaller { one } else { other })
                }
                (Answer::Stopped(_), decided) if !matches!(decided, Answer::Stopped(_)) => decided,
                (answer, _) => answer,
            }
        }),
    };
    if let Answer::Coverable(run) = &answer {
        assert!(
            run.replay(net).is_some(),
            "a run does not cover its target; this is a bug in Fencewright, please report it with the net"
        );
    }
    did.markings += also_did.markings;
    did.instance = did.instance.max(also_did.instance);
    (answer, did)
}

fn forward_answer(answer: Result<Option<Answer>, Limit>) -> Answer {
    match answer {
        Ok(Some(answer)) => answer,
        // There is no largest instance.
        Ok(None) => Answer::Stopped(Limit::States),
        Err(limit) => Answer::Stopped(limit),
    }
}

/// A run of a smallest instance, given that there is a run: the fewest tokens beyond the least in places
/// that may hold any number. Nothing if a limit is reached before it is known.
pub fn smallest(net: &Net, run: &Run, limits: &Limits) -> Option<Run> {
    let settled = AtomicBool::new(false);
    let mut stop = Stop { settled: &settled, most_bytes: limits.memory, watch: None, looks: 0 };
    let lookout = &mut Lookout::new(limits);
    let most = Some(run.size(net));
    match forward::forward(net, most, lookout, &mut stop, &mut Statistics::default()) {
        Ok(Some(Answer::Coverable(run))) => run.replay(net).is_some().then_some(run),
        Ok(_) | Err(_) => None,
    }
}
