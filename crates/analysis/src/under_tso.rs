//! What can be reached under TSO.
//!
//! [`reach_under`] knows the ways to an answer, the cheap ones first:
//!
//! 1. *SC.* What SC reaches TSO reaches ([`crate::reach::known_under_tso`]), so a violation under SC
//!    is one, and what is not known under SC is not known under TSO. (Deadlocks with the memory lock are looked at
//!    again.)
//! 2. *A glance at buffers.* A few states with buffers are explored: where a store that waits does harm, it
//!    often does so soon, and asking how TSO differs from SC would take longer.
//! 3. *Implication.* Where a criterion implies that TSO has the plain states of SC
//!    ([`same_states_as_sc`]), what SC does not reach TSO does not either, however long buffers become; but for
//!    deadlocks where a locked section may never be left ([`crate::kept_locks`]).
//! 4. *Buffers.* All states are explored with their buffers ([`reach_with_buffers`]), which is exact where
//!    buffers stay short.
//! 5. *Load buffers.* Where a buffer can grow for ever, and data is finite, [`crate::duality`] decides.
//!
//! Beyond that the answer is *undecided* ([`crate::Reason::BufferGrows`]). Goals and final
//! states are asked of states with empty buffers, as [`crate::reach::known_under_tso`] says. In a deadlock
//! stores may wait in buffers, if the memory lock is never given back.

use std::ops::ControlFlow;

use automata::Answer;
use explore::Progress;
use program::{Parameterised, Program};
use semantics::{Machine, Model};

use crate::buffers::growth::{Asked, STILL, explore};
use crate::buffers::{Condition, Goal};
use crate::duality::{Answered, Looking, Reached, Targets, any_length};
use crate::execution::{BUG, Execution, RunBuilder};
use crate::kept_locks::lock_may_be_kept;
use crate::portfolio::{has_pivots, same_states_as_sc};
use crate::reach::{
    Query, Report, Wanted, ending, known_under_tso, reach, too_many_choices, watched,
};
use crate::verdict::{Options, Reason, Statistics, Verdict, Watch};

/// So many states with buffers are glanced at.
const GLANCE_STATES: u64 = 1 << 11;
/// So many states with longer buffers are looked at before load buffers are.
const PROBE_STATES: u64 = 1 << 15;

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
    let Report { verdict, statistics } = reach(program, query, options, &mut *watch)?;
    let mut all = statistics;
    let verdict = known_under_tso(program, verdict);
    if !matches!(verdict, Verdict::Undecided(Reason::OnlyUnderSc)) {
        return Ok((Report { verdict, statistics }, all));
    }
    if has_pivots(program) {
        let (found, did) = glance(program, query, options, watch)?;
        all.include(&did);
        if let Some(run) = found {
            let verdict = Verdict::Violated(shown(program, query, run));
            return Ok((Report { verdict, statistics: did }, all));
        }
    }
    if !(query.deadlocks && lock_may_be_kept(program)) {
        let (implied, did) = same_states_as_sc(program, options, watch)?;
        all.include(&did);
        if let Some(proof) = implied {
            return Ok((Report { verdict: Verdict::Holds(proof), statistics }, all));
        }
    }
    let report = reach_with_buffers(program, query, options, watch)?;
    all.include(&report.statistics);
    Ok((report, all))
}

/// Whether what the query looks for can be reached under TSO, by exploring all states with their buffers; and
/// if there are infinitely many, by load buffers of any length ([`crate::duality`]).
pub fn reach_with_buffers(
    program: &Program,
    query: &Query,
    options: &Options,
    mut watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Report, Parameterised> {
    let watch: &mut Watch<'_> = &mut watch;
    if let Some(reason) = too_many_choices(program) {
        let statistics = Statistics::default();
        return Ok(Report { verdict: Verdict::Undecided(reason), statistics });
    }
    let (explored, mut all) = forward(program, query, options, (PROBE_STATES, &mut *watch))?;
    let verdict = match explored {
        Verdict::Undecided(grows @ Reason::BufferGrows { .. }) => {
            let (mut verdict, did) = backward(program, query, options, watch)?;
            all.include(&did);
            if verdict.is_none() && query.deadlocks {
                // They may be what is not known: then all else is looked for.
                let others = Query { deadlocks: false, ..query.clone() };
                let (without, did) = backward(program, &others, options, watch)?;
                all.include(&did);
                verdict = without.filter(|verdict| !verdict.holds());
            }
            verdict.unwrap_or(Verdict::Undecided(grows))
        }
        decided @ (Verdict::Holds(_) | Verdict::Violated(_) | Verdict::Undecided(_)) => decided,
    };
    Ok(Report { verdict: verdict.map(|run| shown(program, query, run)), statistics: all })
}

/// Whether what the query looks for can be reached under TSO, whatever the length of buffers, by load
/// buffers ([`crate::duality`]) and by nothing else; nothing if the query or the program is not one that they can
/// be asked about.
pub fn reach_with_load_buffers(
    program: &Program,
    query: &Query,
    options: &Options,
    mut watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Option<Report>, Parameterised> {
    if too_many_choices(program).is_some() {
        return Ok(None);
    }
    let look = watched(program, query, options.reductions.dead_registers);
    let nobody = &mut |_: &mut Watch<'_>| Ok(None);
    let of_query = |looking: &Looking<'_, '_, '_>| looking.of(query);
    let targets = Targets { of: &of_query, deadlocks: query.deadlocks };
    let (verdict, statistics) = any_length(program, look, &targets, options, (&mut watch, nobody))?;
    let shown = |verdict: Verdict<Reached>| verdict.map(|run| shown(program, query, run));
    Ok(verdict.map(|verdict| Report { verdict: shown(verdict), statistics }))
}

/// Backward with load buffers, and forward again with more states if that takes long.
fn backward(
    program: &Program,
    query: &Query,
    options: &Options,
    watch: &mut Watch<'_>,
) -> Result<Answered, Parameterised> {
    let look = watched(program, query, options.reductions.dead_registers);
    let mut did = Statistics::default();
    let mut more = |watch: &mut Watch<'_>| -> Result<Option<Reached>, Parameterised> {
        let (explored, statistics) = forward(program, query, options, (STILL, watch))?;
        did.include(&statistics);
        Ok(match explored {
            Verdict::Violated(run) => Some(run),
            Verdict::Holds(_) | Verdict::Undecided(_) => None,
        })
    };
    let of_query = |looking: &Looking<'_, '_, '_>| looking.of(query);
    let targets = Targets { of: &of_query, deadlocks: query.deadlocks };
    let (mut verdict, mut statistics) =
        any_length(program, look, &targets, options, (&mut *watch, &mut more))?;
    if verdict.is_none() {
        verdict = more(watch)?.map(Verdict::Violated);
    }
    statistics.include(&did);
    Ok((verdict, statistics))
}

/// A run to what the query looks for that is found among few states with buffers.
fn glance(
    program: &Program,
    query: &Query,
    options: &Options,
    watch: &mut Watch<'_>,
) -> Result<(Option<Reached>, Statistics), Parameterised> {
    let mut few = *options;
    let states = options.limits.states.unwrap_or(GLANCE_STATES);
    few.limits.states = Some(states.min(GLANCE_STATES));
    let (explored, did) = forward(program, query, &few, (GLANCE_STATES, watch))?;
    let found = match explored {
        Verdict::Violated(run) => Some(run),
        Verdict::Holds(_) | Verdict::Undecided(_) => None,
    };
    Ok((found, did))
}

/// All states with their buffers, and so many with longer ones where one grows.
fn forward(
    program: &Program,
    query: &Query,
    options: &Options,
    (still, watch): (u64, &mut Watch<'_>),
) -> Result<(Verdict<Reached>, Statistics), Parameterised> {
    let machine = Machine::new(program, Model::Tso)?;
    let looks = || {
        let look = watched(program, query, options.reductions.dead_registers);
        let wanted = Wanted::of(program, query);
        let is_of_ends = wanted.is_of_ends();
        let condition = wanted.is_anything().then(|| -> Box<Condition<'_>> {
            Box::new(move |threads, view| wanted.is_met(threads.sc(), view))
        });
        (look, Goal { condition, is_of_ends, ..Goal::default() })
    };
    let automata = options.of_automata(options.reductions, query.deadlocks);
    let model = Model::Tso;
    let asked = Asked { program, model, options, automata, looks: &looks, all: false, still };
    let explored = explore(&asked, watch)?;
    let verdict = match &explored.answer {
        Answer::Found(runs) => {
            let mut run = RunBuilder::new(&machine);
            let steps = runs.first().map_or(&[][..], |run| &run.steps);
            for taken in explored.threads.moves(steps) {
                run.make(taken);
            }
            Verdict::Violated(run.finish())
        }
        Answer::Exhausted(_)
        | Answer::Stopped(_)
        | Answer::TooWide { .. }
        | Answer::Unsuitable { .. } => {
            Verdict::of_exploration(explored.doubt(), explored.statistics.engine)
        }
    };
    Ok((verdict, explored.statistics))
}

/// A run that was found, with what it ends in.
fn shown(program: &Program, query: &Query, (computation, last): Reached) -> Execution {
    let machine = Machine::new(program, Model::Tso).expect("a run has definite threads");
    let ending = ending(&machine, &last, query)
        .unwrap_or_else(|| panic!("what was found is not what was looked for; {BUG}"));
    Execution::replayed(program, computation, last, ending)
}
