//! Data races and overtaking, looked for in the states of one SC exploration ([`crate::race`],
//! [`crate::overtaking`]); what several criteria look for is looked for at once.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU8, Ordering};

use automata::{Answer, View};
use explore::Progress;
use program::{Parameterised, Program, ThreadId};
use semantics::Control;
use web_time::Instant;

use crate::criterion::Criterion;
use crate::evidence::{Evidence, evidence, lost};
use crate::execution::BUG;
use crate::overtaking::{Clash, pattern};
use crate::portfolio::has_pivots;
use crate::proof::Proof;
use crate::race::race;
use crate::reach::not_searched;
use crate::sc::{Local, Look, Name, Sc, StateCondition, StatePredicate, StateView};
use crate::verdict::{Options, Reason, Reductions, Statistics, Verdict};
use crate::whole::explored;

/// Which criteria are looked for in SC states, as bits.
pub(crate) struct CriterionSet;

impl CriterionSet {
    pub(crate) const fn of(criterion: Criterion) -> u8 {
        match criterion {
            Criterion::Drf => 1,
            Criterion::Trf => 2,
            Criterion::Persistence => 4,
            Criterion::Robustness | Criterion::States => 0,
        }
    }
}

/// What a search through SC states says about several criteria at once.
#[derive(Debug)]
pub(crate) struct Races {
    /// The criteria that were looked for.
    wanted: u8,
    /// The criteria that are violated in some state.
    violated: u8,
    /// What the search for the others came to; nothing if all were found to be violated.
    explored: Option<Result<Proof, Reason>>,
    /// What the common search did; it is told once.
    statistics: Statistics,
}

impl Races {
    /// Looks at all SC states for violations of one criterion, and at once of those others that have not
    /// been settled by control flow.
    pub(crate) fn look(
        program: &Program,
        (criterion, others): (Criterion, &[Criterion]),
        options: &Options,
        watch: &mut impl FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<Self, Parameterised> {
        let mut wanted =
            others.iter().fold(0, |bits, criterion| bits | CriterionSet::of(*criterion));
        if !has_pivots(program) {
            wanted &= CriterionSet::of(Criterion::Drf);
        }
        wanted |= CriterionSet::of(criterion);
        let mut races =
            Self { wanted, violated: 0, explored: None, statistics: Statistics::default() };
        if let Some(reason) = not_searched(program) {
            races.explored = Some(Err(reason));
            return Ok(races);
        }
        let seen = AtomicU8::new(0);
        let (answer, did) = search(program, (options, 1), watch, |sc, view| {
            let missing = wanted & !seen.load(Ordering::Relaxed);
            let new = shown(sc, view, missing);
            // There may be others to find.
            (seen.fetch_or(new, Ordering::Relaxed) | new) & wanted == wanted
        })?;
        races.statistics = did;
        races.violated = seen.into_inner();
        races.explored = match answer {
            Searched::Exhausted(proof) => Some(Ok(proof)),
            Searched::Undecided(reason) => Some(Err(reason)),
            // Everything that was wanted.
            Searched::Found(_) => None,
        };
        Ok(races)
    }

    /// Whether a criterion was looked for.
    pub(crate) const fn is_about(&self, criterion: Criterion) -> bool {
        self.wanted & CriterionSet::of(criterion) != 0
    }

    /// The verdict on one criterion; if it is violated a shortest run is searched for.
    pub(crate) fn verdict(
        &mut self,
        criterion: Criterion,
        (program, options): (&Program, &Options),
        watch: &mut impl FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<(Verdict<Evidence>, Statistics), Parameterised> {
        let mut statistics = std::mem::take(&mut self.statistics);
        let bit = CriterionSet::of(criterion);
        if self.violated & bit == 0 {
            let known = self.explored.clone().unwrap_or_else(|| lost());
            return Ok((known.map_or_else(Verdict::Undecided, Verdict::Holds), statistics));
        }
        let (answer, did) =
            search(program, (options, 1), watch, |sc, view| shown(sc, view, bit) != 0)?;
        statistics.include(&did);
        let verdict = match answer {
            Searched::Found(runs) => {
                Verdict::Violated(evidence(program, options, criterion, &runs[0])?)
            }
            Searched::Undecided(reason) => Verdict::Undecided(reason),
            Searched::Exhausted(_) => panic!("a violation cannot be found again; {BUG}"),
        };
        Ok((verdict, statistics))
    }
}

/// Which of these criteria a state shows to be violated.
pub(crate) fn shown(sc: &Sc<'_>, state: &impl StateView, wanted: u8) -> u8 {
    let mut found = 0;
    if wanted & CriterionSet::of(Criterion::Drf) != 0 && race(sc, state).is_some() {
        found |= CriterionSet::of(Criterion::Drf);
    }
    for (criterion, clash) in
        [(Criterion::Trf, Clash::SameCell), (Criterion::Persistence, Clash::OtherValue)]
    {
        let bit = CriterionSet::of(criterion);
        let can_pivot = |thread, local: &Local| can_pivot(sc, thread, local);
        if wanted & bit != 0 && pattern(sc, state, clash, can_pivot).is_some() {
            found |= bit;
        }
    }
    found
}

/// Whether a thread's next step may be a store that a load can overtake.
pub(crate) fn can_pivot(sc: &Sc<'_>, thread: ThreadId, local: &Local) -> bool {
    match local.control {
        Control::At(label) => sc.can_pivot(sc.threads()[thread].template, label),
        Control::Stopped { .. } => false,
    }
}

/// How a search for a state ended.
pub(crate) enum Searched {
    /// There is no such state.
    Exhausted(Proof),
    /// At least one run.
    Found(Vec<Vec<(usize, Name)>>),
    Undecided(Reason),
}

/// Searches the SC states for those that satisfy a condition: one, or several that are equally near.
pub(crate) fn search(
    program: &Program,
    (options, runs): (&Options, usize),
    watch: &mut impl FnMut(&Progress) -> ControlFlow<()>,
    condition: impl Fn(&Sc<'_>, &View<'_, Sc<'_>>) -> bool + Sync,
) -> Result<(Searched, Statistics), Parameterised> {
    let all_orders = Options {
        reductions: Reductions { partial_order: false, ..options.reductions },
        ..*options
    };
    search_for_races(program, (&all_orders, runs), watch, condition)
}

/// The same for conditions on the next steps of two threads that are in conflict, which persistent sets keep
/// ([`crate::race`]).
pub(crate) fn search_for_races(
    program: &Program,
    (options, runs): (&Options, usize),
    watch: &mut impl FnMut(&Progress) -> ControlFlow<()>,
    condition: impl Fn(&Sc<'_>, &View<'_, Sc<'_>>) -> bool + Sync,
) -> Result<(Searched, Statistics), Parameterised> {
    let started = Instant::now();
    let mut statistics = Statistics::default();
    let sc = Sc::new(program, look(options, Some(Box::new(condition))))?;
    let reductions = Reductions { locked_sections: false, ..options.reductions };
    let automata_options = automata::Options { runs, ..options.of_automata(reductions, false) };
    let (answer, did) = sc.search(&automata_options, watch);
    statistics.add(&did, started.elapsed(), options.searched_by(&did));
    let searched = match answer {
        Answer::Exhausted(noted) => {
            let stopped = noted.first().map(|(class, local)| sc.stopped_by(*class, local));
            explored(stopped, options.searched_by(&did))
                .map_or_else(Searched::Undecided, Searched::Exhausted)
        }
        Answer::Found(found) => Searched::Found(found.into_iter().map(|run| run.steps).collect()),
        Answer::Stopped(limit) => Searched::Undecided(Reason::Limit(limit)),
        Answer::TooWide { bits } => Searched::Undecided(Reason::TooWide { bits }),
        Answer::Unsuitable { why } => Searched::Undecided(options.unsuitable(why)),
    };
    Ok((searched, statistics))
}

pub(crate) fn look<'p>(options: &Options, condition: Option<Box<StatePredicate<'p>>>) -> Look<'p> {
    Look {
        forget_dead_registers: options.reductions.dead_registers,
        condition: condition.map(|holds| StateCondition {
            holds,
            is_symmetric: true,
            is_of_ends: false,
        }),
        ..Look::at_nothing()
    }
}
