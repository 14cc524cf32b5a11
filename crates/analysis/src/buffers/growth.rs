//! Searches with buffers of any length.
//!
//! Buffers are bounded, and the bound is raised as long as a store goes beyond it: a program whose buffers
//! stay short has finitely many states, and then the answer is exact. Before that a run to such a store is
//! looked for, and looked at. If a thread comes, without a commit, to a state that differs in nothing but stores
//! that wait in addition, and the same steps lead once more to such a state, then so they do for ever: from
//! the second time on loads find the same newest stores in the buffer. Then nothing is known of what lies
//! beyond; but what is looked for may be reached with buffers that are a little longer, so some more states
//! are looked at.

use automata::{Answer, Snapshot};
use program::index::Idx;
use program::{IndexVec, LabelId, Parameterised, Program, Template, ThreadId};
use semantics::Model;
use web_time::Instant;

use super::{Act, Buffered, Condition, Goal, Local, Unpacked, is_buffered};
use crate::sc::{Look, Refuted};
use crate::verdict::{Options, Reason, Statistics, Watch};

/// The first bound for threads whose buffers may grow for ever.
const FIRST: usize = 4;
/// So many states are looked at for a buffer that grows before all are.
const QUICK: u64 = 1 << 14;
/// Once a buffer is known to grow, so many states with longer ones are still looked at.
pub(crate) const STILL: u64 = 1 << 20;
/// Buffers multiply local states, and what they can hold at all is far more than what they do hold: automata
/// that are not known as a whole after so many entries will hardly be soon.
const MOST_PRECOMPILED: usize = 1 << 14;

/// A question about the states of a program.
pub(crate) struct Asked<'a, 'p> {
    pub(crate) program: &'p Program,
    pub(crate) model: Model,
    pub(crate) options: &'a Options,
    /// How to search.
    pub(crate) automata: automata::Options,
    /// What is looked for and at.
    pub(crate) looks: &'a dyn Fn() -> (Look<'p>, Goal<'p>),
    /// Whether all of it is wanted.
    pub(crate) all: bool,
    /// How many states with longer buffers are still looked at once one is known to grow.
    pub(crate) still: u64,
}

/// What a search came to.
pub(crate) struct Explored<'p> {
    pub(crate) threads: Buffered<'p>,
    pub(crate) answer: Answer<Local, Act>,
    /// The states that were found, if all are wanted.
    pub(crate) found: Vec<Snapshot<Buffered<'p>>>,
    /// Whose buffer can grow for ever.
    pub(crate) grows: Option<ThreadId>,
    /// How it was searched.
    options: Options,
    pub(crate) statistics: Statistics,
}

impl Explored<'_> {
    /// Why there may be more than was found.
    pub(crate) fn doubt(&self) -> Option<Reason> {
        if let Some(thread) = self.grows {
            let thread = self.threads.sc().threads()[thread].name.clone();
            return Some(Reason::BufferGrows { thread });
        }
        match &self.answer {
            // Beyond a limit nothing was explored.
            Answer::Exhausted(noted) => {
                let (class, local) = noted.first()?;
                Some(self.threads.sc().stopped_by(*class, &local.thread))
            }
            Answer::Found(_) => None,
            Answer::Stopped(limit) => Some(Reason::Limit(*limit)),
            Answer::TooWide { bits } => Some(Reason::TooWide { bits: *bits }),
            Answer::Unsuitable { why } => Some(self.options.unsuitable(why.clone())),
        }
    }
}

/// Explores the states of a program, with buffers of any length.
pub(crate) fn explore<'p>(
    asked: &Asked<'_, 'p>,
    watch: &mut Watch<'_>,
) -> Result<Explored<'p>, Parameterised> {
    let mut statistics = Statistics::default();
    let may_grow = may_grow(asked.program, asked.model);
    let mut bound = if may_grow { FIRST } else { usize::MAX };
    let mut most = QUICK;
    loop {
        // First with few states: who grows mostly does so soon, and then not all states are needed.
        if bound < usize::MAX
            && let Some(thread) = asked.grows((bound, most), &mut statistics, watch)?
        {
            let mut further = asked.automata;
            let most = further.limits.states.unwrap_or(asked.still).min(asked.still);
            further.limits.states = Some(most);
            let further = asked.with_bound(2 * bound, further, &mut statistics, watch)?;
            let grows = match further.answer {
                Answer::Found(_) => None,
                Answer::Exhausted(_)
                | Answer::Stopped(_)
                | Answer::TooWide { .. }
                | Answer::Unsuitable { .. } => Some(thread),
            };
            return Ok(Explored { grows, statistics, ..further });
        }
        if most == QUICK || bound == usize::MAX {
            let explored = asked.with_bound(bound, asked.automata, &mut statistics, watch)?;
            let is_exact = match &explored.answer {
                Answer::Exhausted(noted) => !noted.iter().any(|(_, local)| local.is_beyond),
                Answer::Found(_)
                | Answer::Stopped(_)
                | Answer::TooWide { .. }
                | Answer::Unsuitable { .. } => true,
            };
            if is_exact {
                return Ok(Explored { statistics, ..explored });
            }
            most = u64::MAX;
        } else {
            bound = bound.saturating_mul(4);
            most = QUICK;
        }
    }
}

/// Whether some loop stores something and does not wait for the buffer.
pub(crate) fn may_grow(program: &Program, model: Model) -> bool {
    let grows = |template: &Template| {
        let edges = template.edges().iter();
        let mut stores = edges.filter(|edge| is_buffered(model, &edge.instruction));
        stores.any(|store| leads_without_draining(template, store.to, store.from))
    };
    program.templates().iter().any(grows)
}

/// Whether a way leads from a label to another on which nothing waits for the buffer.
fn leads_without_draining(template: &Template, from: LabelId, to: LabelId) -> bool {
    let mut seen: IndexVec<LabelId, bool> = template.labels().iter().map(|_| false).collect();
    seen[from] = true;
    let mut open = vec![from];
    while let Some(label) = open.pop() {
        for edge in template.outgoing(label).map(|edge| template.edge(edge)) {
            if !edge.instruction.drains_buffer() && !seen[edge.to] {
                seen[edge.to] = true;
                open.push(edge.to);
            }
        }
    }
    seen[to]
}

impl<'p> Asked<'_, 'p> {
    fn with_bound(
        &self,
        bound: usize,
        automata: automata::Options,
        statistics: &mut Statistics,
        watch: &mut Watch<'_>,
    ) -> Result<Explored<'p>, Parameterised> {
        let started = Instant::now();
        let precompile_budget = automata.precompile_budget.min(MOST_PRECOMPILED);
        let automata = automata::Options { precompile_budget, ..automata };
        let bounds = (self.options.reductions.local_steps, bound);
        let mut refuted = Refuted::default();
        loop {
            let (look, goal) = (self.looks)();
            // Another engine makes no use of it, and who looks at states with empty buffers sees whether a store
            // has reached memory.
            let may_own = automata.reductions.persistent
                && automata.engine.is_none()
                && (goal.condition.is_none() || goal.is_of_ends);
            let look = Look { ownership: refuted.ownership().filter(|_| may_own), ..look };
            let threads = Buffered::new(self.program, self.model, (look, goal), bounds)?;
            let ((answer, found), did) = if self.all {
                automata::search_all(&threads, &automata, &mut *watch)
            } else {
                let (answer, did) = automata::search(&threads, &automata, &mut *watch);
                ((answer, Vec::new()), did)
            };
            statistics.add(&did, started.elapsed(), self.options.searched_by(&did));
            let noted = match &answer {
                Answer::Exhausted(noted) => noted.as_slice(),
                Answer::Found(_)
                | Answer::Stopped(_)
                | Answer::TooWide { .. }
                | Answer::Unsuitable { .. } => &[],
            };
            if !refuted.learn(noted.iter().map(|(_, local)| &local.thread)) {
                let (statistics, options) = (*statistics, *self.options);
                return Ok(Explored { threads, answer, found, grows: None, options, statistics });
            }
        }
    }

    /// The thread whose buffer is seen to grow for ever on a run to one that is longer than the bound.
    fn grows(
        &self,
        (bound, most): (usize, u64),
        statistics: &mut Statistics,
        watch: &mut Watch<'_>,
    ) -> Result<Option<ThreadId>, Parameterised> {
        let long_buffers = || {
            let (look, _) = (self.looks)();
            // What is not to be explored is not, and nothing else is looked for.
            let never =
                self.automata.ends.then(|| -> Box<Condition<'p>> { Box::new(|_, _| false) });
            let is_of_ends = self.automata.ends;
            (look, Goal { condition: never, is_of_ends, long_buffers: true, ..Goal::default() })
        };
        let asked = Asked { looks: &long_buffers, all: false, ..*self };
        let mut automata = automata::Options { stuck: false, runs: 1, ..self.automata };
        let states = automata.limits.states.unwrap_or(u64::MAX).min(most);
        automata.limits.states = Some(states).filter(|states| *states < u64::MAX);
        let Answer::Found(runs) = asked.with_bound(bound, automata, statistics, watch)?.answer
        else {
            return Ok(None);
        };
        let (look, goal) = long_buffers();
        let unbounded = (false, usize::MAX);
        let threads = Buffered::new(self.program, self.model, (look, goal), unbounded)?;
        Ok(runs.first().and_then(|run| repeated(&threads, &run.steps)))
    }
}

/// The thread whose buffer grows on a run by steps that can be repeated.
fn repeated(threads: &Buffered<'_>, steps: &[(usize, Act)]) -> Option<ThreadId> {
    let mut states = vec![Unpacked::initial(threads)];
    for step in steps {
        let next = states.last()?.after(threads, *step)?;
        states.push(next);
    }
    // The one that became too long.
    let (thread, _) = *steps.last()?;
    for (end, later) in states.iter().enumerate() {
        for (begin, earlier) in states[..end].iter().enumerate().rev() {
            let Some(more) = earlier.grown(later, thread) else { continue };
            let mut once_more = steps[begin..end].iter();
            let again =
                once_more.try_fold(later.clone(), |state, step| state.after(threads, *step));
            if again.is_some_and(|again| later.grown(&again, thread) == Some(more)) {
                return Some(ThreadId::new(thread));
            }
        }
    }
    None
}
