//! Histories of operations: whether some sequential order explains what concurrent operations return.
//!
//! Threads call operations of an object they share ([`program::Boundary`]). The calls and returns of a run,
//! in the order in which they happen, with their arguments and results, are its *history*. The
//! *specification* is a program with the same threads and operations; its sequential histories are those
//! of its SC runs in which every operation runs alone from its call to its return. By default it is the
//! program itself, so that what is asked is whether operations behave as if they were atomic.
//!
//! - A history is **linearizable** (Herlihy and Wing, TOPLAS 1990) if the operations that are still
//!   running can be completed or left out such that some sequential history of the specification has the same
//!   operations of every thread in the same order with the same results, and keeps the order of any two of
//!   which one returned before the other was called.
//! - It is **sequentially consistent** if that is true without the last condition: only the order within
//!   each thread is kept. Of runs that end, their complete histories are asked about.
//!
//! These are the two specifications that `DFence` (Liu, Nedev, Prisadnikov, Vechev, Yahav: PLDI 2012) checks on
//! sampled runs; here all runs are explored. Under TSO the call and the return are steps of the thread, and an
//! operation may return while its stores wait in the buffer. So robustness does not imply that histories stay
//! linearizable: a store that one thread has made and another does not see yet is no cycle of
//! happens-before, but an operation that has returned without effect. It does imply that histories which are
//! sequentially consistent under SC are so under TSO, since traces determine results.
//!
//! # How it is decided
//!
//! Linearizability is a safety property of finite state if the specification is: along a run one remembers the set
//! of all states of the specification that explain the history so far, operations that have been called being
//! executed at any time between their call and their return ([`specification`]; the subset construction behind
//! all such monitors, as in Wing and Gong 1993 or Burckhardt et al., PLDI 2010). A return whose result none of
//! these states allows refutes the history, and every later one. The set is the content of one more cell, which
//! calls and returns touch; all else is [`crate::buffers`]. So clients need not end.
//!
//! Sequential consistency keeps no order between threads, so nothing can be refuted before the end: threads
//! remember what they called and what came back, and at the end that is compared with what is possible
//! in the specification. Clients that go on for ever are then explored until a limit ends it.

mod history;
mod specification;
mod threads;

use std::ops::ControlFlow;

use automata::Answer;
use explore::Progress;
use program::index::Idx;
use program::{Parameterised, Program, ThreadId};
use semantics::{Machine, Model};
use web_time::Instant;

use crate::buffers::Act;
use crate::buffers::growth::{STILL, may_grow};
use crate::execution::{BUG, Ending, Execution, RunBuilder};
use crate::reach::{Report, too_many_choices};
use crate::verdict::{Options, Reason, Statistics, Verdict, Watch};

pub use history::{Event, History, Occurrence};
use specification::Specification;
use threads::{Fate, Observed};

/// Buffers that may grow for ever are explored up to these lengths.
const BOUNDS: [usize; 4] = [4, 8, 16, 32];

/// In which sense a sequential order must explain a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Histories {
    /// Operations that do not overlap keep their order.
    Linearizable,
    /// Operations of one thread keep their order.
    SequentiallyConsistent,
}

impl Histories {
    /// Its name on the command line and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linearizable => "linearizability",
            Self::SequentiallyConsistent => "operations",
        }
    }
}

/// What is wrong with a question about histories, if something is: a sentence.
pub fn unanswerable(program: &Program, specification: &Program) -> Option<String> {
    let calls = |program: &Program| {
        program.templates().iter().any(|template| !template.boundaries().is_empty())
    };
    if !calls(program) {
        return Some("this program calls no operation".to_owned());
    }
    let (Ok(threads), Ok(others)) = (program.threads(), specification.threads()) else {
        return None;
    };
    let missing = threads.iter().find(|thread| others.iter().all(|one| one.name != thread.name));
    if let Some(thread) = missing {
        return Some(format!("the sequential program has no thread `{}`", thread.name));
    }
    let more = others.iter().find(|one| threads.iter().all(|thread| one.name != thread.name));
    more.map(|thread| format!("only the sequential program has a thread `{}`", thread.name))
}

/// Whether every history under a model is explained by a sequential one of the specification. A violating
/// run ends with [`Ending::History`]. Ask [`unanswerable`] first.
pub fn histories(
    program: &Program,
    specification: &Program,
    (asked, model): (Histories, Model),
    options: &Options,
    mut watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Report, Parameterised> {
    let mut statistics = Statistics::default();
    let watch: &mut Watch<'_> = &mut watch;
    if let Some(reason) = too_many_choices(program).or_else(|| too_many_choices(specification)) {
        return Ok(Report { verdict: Verdict::Undecided(reason), statistics });
    }
    let grows = may_grow(program, model);
    let bounds: &[usize] = if grows { &BOUNDS } else { &[usize::MAX] };
    let mut verdict = Verdict::Undecided(Reason::NoMethod);
    for (round, bound) in bounds.iter().enumerate() {
        let specification = Specification::new(program, specification, options)?;
        let threads = match Observed::new(program, (model, asked), specification, options, *bound)?
        {
            Ok(threads) => threads,
            Err(reason) => {
                return Ok(Report { verdict: Verdict::Undecided(reason), statistics });
            }
        };
        let mut automata = options.of_automata(options.reductions, false);
        automata.reductions.symmetry = false;
        automata.ends = asked == Histories::SequentiallyConsistent;
        if round > 0 {
            let most = automata.limits.states.unwrap_or(STILL);
            automata.limits.states = Some(most.min(STILL));
        }
        let started = Instant::now();
        let (answer, did) = automata::search(&threads, &automata, &mut *watch);
        statistics.add(&did, started.elapsed(), options.searched_by(&did));
        let doubt = match answer {
            Answer::Found(runs) => {
                let steps = runs.into_iter().next().map(|run| run.steps).unwrap_or_default();
                let execution = evidence(program, model, &threads, &steps)?;
                return Ok(Report { verdict: Verdict::Violated(execution), statistics });
            }
            Answer::Exhausted(noted) => noted.first().map(|(class, local)| match local.fate {
                Fate::Unknown => threads.doubt().unwrap_or(Reason::NoMethod),
                Fate::Open | Fate::Refuted if local.inner.is_beyond => Reason::BufferGrows {
                    thread: threads.inner().sc().threads()[ThreadId::new(*class)].name.clone(),
                },
                Fate::Open | Fate::Refuted => {
                    threads.inner().sc().stopped_by(*class, &local.inner.thread)
                }
            }),
            Answer::Stopped(limit) => Some(Reason::Limit(limit)),
            Answer::TooWide { bits } => Some(Reason::TooWide { bits }),
            Answer::Unsuitable { why } => Some(options.unsuitable(why)),
        };
        // Longer buffers are worth a look only if it was their length that was in the way.
        let is_length = matches!(doubt, Some(Reason::BufferGrows { .. }));
        let earlier = match verdict {
            Verdict::Undecided(reason @ Reason::BufferGrows { .. }) => Some(reason),
            Verdict::Undecided(_) | Verdict::Holds(_) | Verdict::Violated(_) => None,
        };
        // That the next look was given up after so many states says less than the length.
        let doubt = if round > 0 && doubt == Some(Reason::Limit(explore::Limit::States)) {
            earlier.or(doubt)
        } else {
            doubt
        };
        verdict = Verdict::of_exploration(doubt, options.searched_by(&did));
        if !is_length {
            break;
        }
    }
    Ok(Report { verdict, statistics })
}

/// The run that these steps are, replayed, with its history.
fn evidence(
    program: &Program,
    model: Model,
    threads: &Observed<'_>,
    steps: &[(usize, Act)],
) -> Result<Execution, Parameterised> {
    let machine = Machine::new(program, model)?;
    let mut run = RunBuilder::new(&machine);
    for (thread, act) in steps {
        run.make(act.by(ThreadId::new(*thread)));
    }
    let (computation, last) = run.finish();
    let history = History::of(&machine, &computation, threads.asked());
    assert!(threads.refutes(&history), "a history that is refuted is explained; {BUG}");
    Ok(Execution::replayed(program, computation, last, Ending::History(history)))
}
