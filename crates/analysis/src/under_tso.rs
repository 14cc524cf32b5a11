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
//! *undecided* ([`crate::Reason::BufferGrows`]), unless what is looked for is found first. Goals and final
//! states are asked of states with empty buffers, as [`crate::reach::known_under_tso`] says. In a deadlock
//! stores may wait in buffers, if the memory lock is never given back.

use std::ops::ControlFlow;

use automata::Answer;
use explore::Progress;
use program::index::Idx;
use program::{Parameterised, Program, ThreadId};
use semantics::{Machine, Model};

use crate::buffers::growth::{Asked, explore};
use crate::buffers::{Condition, Goal};
use crate::execution::{BUG, Execution, Growing};
use crate::portfolio::same_states_as_sc;
use crate::reach::{Query, Report, Wanted, ending, reach, too_many_choices, watched};
use crate::verdict::{Options, Statistics, Verdict, Watch};

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
pub fn reach_with_buffers(
    program: &Program,
    query: &Query,
    options: &Options,
    mut watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Report, Parameterised> {
    let machine = Machine::new(program, Model::Tso)?;
    if let Some(reason) = too_many_choices(program) {
        let statistics = Statistics::default();
        return Ok(Report { verdict: Verdict::Undecided(reason), statistics });
    }
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
    let asked = Asked { program, model, options, automata, looks: &looks, all: false };
    let explored = explore(&asked, &mut watch)?;
    let statistics = explored.statistics;
    let verdict = match &explored.answer {
        Answer::Found(runs) => {
            let mut run = Growing::new(&machine);
            for (thread, act) in runs.iter().take(1).flat_map(|run| &run.steps) {
                run.make(act.by(ThreadId::new(*thread)));
            }
            let (computation, last) = run.finish();
            let ending = ending(&machine, &last, query)
                .unwrap_or_else(|| panic!("what was found is not what was looked for; {BUG}"));
            Verdict::Violated(Execution::replayed(program, computation, last, ending))
        }
        Answer::Exhausted(_) | Answer::Stopped(_) | Answer::TooWide { .. } => {
            Verdict::of_exploration(explored.doubt())
        }
    };
    Ok(Report { verdict, statistics })
}
