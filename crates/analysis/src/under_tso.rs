//! What can be reached under TSO.
//!
//! [`reach_under`] knows the ways to an answer, the cheap ones first:
//!
//! 1. *SC.* What SC reaches TSO reaches ([`crate::reach::known_under_tso`]), so a violation under SC
//!    is one, and what is not known under SC is not known under TSO.
//! 2. *Implication.* Where a criterion implies that TSO has the plain states of SC
//!    ([`same_states_as_sc`]), what SC does not reach TSO does not either, however long buffers become.
//! 3. *Buffers.* All states are explored with their buffers ([`reach_with_buffers`]).
//!
//! The last is exact for programs whose buffers stay short; where one can grow for ever the answer is
//! *undecided* ([`Reason::BufferGrows`]), unless what is looked for is found first. Goals and final
//! states are asked of states with empty buffers, as [`crate::reach::known_under_tso`] says. In a deadlock
//! stores may wait in buffers, if the memory lock is never given back.
//!
//! Programs that access something across several cells are explored like that under SC too.

use std::ops::ControlFlow;

use explore::Progress;
use program::{LabelId, Observable, Parameterised, Program, TemplateId, Thread, ThreadId, Value};
use semantics::{Model, Move};

use crate::execution::{BUG, Execution, Growing};
use crate::outcomes::machine::{Machine, Next, Purpose};
use crate::outcomes::search::{Ended, Parents, Search, moves_to};
use crate::outcomes::states::{Local, View};
use crate::portfolio::same_states_as_sc;
use crate::reach::{Query, Report, ending, is_ruled_out, reach, takes_the_lock, too_many_choices};
use crate::verdict::{Options, Reason, Statistics, Verdict, Watch};

/// Whether what the query looks for can be reached under a model. What the statistics tell of is the search
/// that decided.
pub fn reach_under(
    program: &Program,
    query: &Query,
    model: Model,
    options: &Options,
    mut watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Report, Parameterised> {
    match model {
        Model::Sc => reach(program, query, options, watch),
        Model::Tso => Ok(reach_under_tso(program, query, options, &mut watch)?.0),
    }
}

/// The same under TSO, and what all searches did.
pub(crate) fn reach_under_tso(
    program: &Program,
    query: &Query,
    options: &Options,
    watch: &mut Watch<'_>,
) -> Result<(Report, Statistics), Parameterised> {
    let under_sc = reach(program, query, options, &mut *watch)?;
    let mut all = under_sc.statistics;
    match &under_sc.verdict {
        Verdict::Holds(_) => {}
        Verdict::Violated(_) | Verdict::Undecided(_) => return Ok((under_sc, all)),
    }
    let (implied, did) = same_states_as_sc(program, options, watch)?;
    all.include(&did);
    if let Some(proof) = implied {
        let statistics = under_sc.statistics;
        return Ok((Report { verdict: Verdict::Holds(proof), statistics }, all));
    }
    let report = reach_with_buffers(program, query, options, watch)?;
    all.include(&report.statistics);
    Ok((report, all))
}

/// Whether what the query looks for can be reached under TSO, by exploring all states with their buffers.
/// Of the options only the limits matter.
pub fn reach_with_buffers(
    program: &Program,
    query: &Query,
    options: &Options,
    watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Report, Parameterised> {
    reach_state_by_state(program, Model::Tso, query, options, watch)
}

/// Whether what the query looks for can be reached under a model, in states that are looked at one by one.
pub(crate) fn reach_state_by_state(
    program: &Program,
    model: Model,
    query: &Query,
    options: &Options,
    watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Report, Parameterised> {
    let looking = Looking {
        machine: Machine::new(program, model, Purpose::AllStates)?,
        rules: semantics::Machine::new(program, model)?,
        query,
    };
    let mut search = Search::new(&looking.machine);
    if let Some(reason) = too_many_choices(program) {
        let statistics = search.statistics;
        return Ok(Report { verdict: Verdict::Undecided(reason), statistics });
    }
    let mut is_found = |view: &View<'_>, next: &Next, (parents, number): (&Parents, u32)| {
        looking.is_found(view)
            || looking.may_be_stuck(view, next) && looking.run_to(parents, number).is_some()
    };
    let ended = search.run(&options.limits, &mut is_found, watch);
    let verdict = match ended {
        Some(Ended::Found(number)) => Verdict::Violated(
            looking
                .run_to(&search.parents, number)
                .unwrap_or_else(|| panic!("what was found is not what was looked for; {BUG}")),
        ),
        Some(Ended::Limit(limit)) => Verdict::Undecided(Reason::Limit(limit)),
        Some(Ended::Grows(thread)) => Verdict::Undecided(Reason::BufferGrows {
            thread: looking.machine.threads[thread].name.clone(),
        }),
        None => Verdict::of_exploration(search.stopped.clone()),
    };
    Ok(Report { verdict, statistics: search.statistics })
}

struct Looking<'p> {
    machine: Machine<'p>,
    rules: semantics::Machine<'p>,
    query: &'p Query,
}

impl Looking<'_> {
    /// Whether a state shows an error, a goal, or what the program rules out.
    fn is_found(&self, view: &View<'_>) -> bool {
        if self.query.faults && view.locals.iter().any(|local| local.stopped.is_some()) {
            return true;
        }
        if !view.locals.iter().all(|local| local.buffer.is_empty()) {
            return false;
        }
        let seen = |observable| self.see(view, observable);
        let at = |template, copy, label| self.is_at(view, (template, copy), label);
        self.query.goal.as_ref().is_some_and(|goal| goal.holds(&at, &seen))
            || self.query.question
                && self.machine.is_final(view)
                && is_ruled_out(self.machine.program.question(), &seen)
    }

    /// Whether a state may be a deadlock: whatever happens next changes no memory, and everybody who
    /// has not ended waits, is kept from memory or cannot move.
    fn may_be_stuck(&self, view: &View<'_>, next: &Next) -> bool {
        let changes = |thread: ThreadId, local: &Local| {
            let template = self.rules.template(thread);
            local.stopped.is_none()
                && !self.machine.has_ended(thread, local)
                && !template.labels()[local.label].waiting
                && !takes_the_lock(template, local.label)
                && next.changes.iter().any(|change| change.taken.thread() == thread)
        };
        self.query.deadlocks
            && next.changes.iter().all(|change| {
                change.written.is_none()
                    && change.lock == view.lock
                    && change.local.buffer == view.locals[change.taken.thread()].buffer
            })
            && !view.locals.enumerate().any(|(thread, local)| changes(thread, local))
    }

    /// The run to a state, if it ends in what is looked for.
    fn run_to(&self, parents: &Parents, number: u32) -> Option<Execution> {
        let moves: Vec<Move> = moves_to(&self.machine, parents, number);
        let mut run = Growing::new(&self.rules);
        for taken in moves {
            run.make(taken);
        }
        let (computation, last) = run.finish();
        let ending = ending(&self.rules, &last, self.query)?;
        Some(Execution::replayed(self.machine.program, computation, last, ending))
    }

    fn thread(&self, template: TemplateId, copy: u32) -> Option<ThreadId> {
        let is_it = |thread: &Thread| (thread.template, thread.copy) == (template, copy);
        self.machine.threads.enumerate().find(|(_, thread)| is_it(thread)).map(|(id, _)| id)
    }

    fn is_at(&self, view: &View<'_>, (template, copy): (TemplateId, u32), label: LabelId) -> bool {
        self.thread(template, copy).is_some_and(|thread| {
            let local = view.locals[thread];
            local.stopped.is_none() && local.label == label
        })
    }

    fn see(&self, view: &View<'_>, observable: Observable) -> Value {
        match observable {
            Observable::Cell(_) | Observable::Across(..) => {
                let held = |address: Value| {
                    let initial = || self.machine.initial_value(address);
                    view.memory.get(&address).copied().unwrap_or_else(initial)
                };
                observable.in_memory(self.machine.program.memory(), held).unwrap_or_default()
            }
            Observable::Register { template, copy, register } => {
                let thread = self.thread(template, copy);
                thread.map_or(0, |thread| view.locals[thread].registers[register])
            }
        }
    }
}
