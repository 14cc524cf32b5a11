//! The criteria side by side.
//!
//! Each criterion says that TSO is no different from SC, the first ones more strictly than the last
//! (ESOP'15, Fig. 1): a program free of data races is free of triangular races; one free of
//! triangular races is robust and persistent; and a robust or persistent program reaches the same
//! plain states under TSO as under SC, so the same final ones. What an answer implies is not asked
//! again.
//!
//! Data races and overtaking ([`crate::race`], [`crate::overtaking`]) are looked for in the states of
//! one SC exploration; robustness needs another one, with attacks ([`mod@crate::robustness`]).

use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Instant;

use automata::{Answer, View};
use explore::Progress;
use program::{Parameterised, Program, ThreadId};
use semantics::Control;

use crate::elsewhere::new_ends;
use crate::evidence::{Evidence, evidence, lost};
use crate::execution::BUG;
use crate::overtaking::{Clash, pattern};
use crate::race::race;
use crate::reach::not_searched;
use crate::robustness::robustness;
use crate::sc::{Local, Look, Name, OnStates, Sc, SeenBy, Situation};
use crate::verdict::{Options, Reason, Reductions, Statistics, Verdict};
use crate::whole::{Whole, whole};

/// In what sense TSO is to be no different from SC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Criterion {
    /// Data-race freedom under SC.
    Drf,
    /// Triangular-race freedom.
    Trf,
    /// The same traces.
    Robustness,
    /// The same program orders with the same order of stores.
    Persistence,
    /// The same final states.
    States,
}

impl Criterion {
    /// All of them, what implies before what is implied.
    pub const ALL: [Self; 5] =
        [Self::Drf, Self::Trf, Self::Robustness, Self::Persistence, Self::States];

    /// Its name on the command line and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Drf => "drf",
            Self::Trf => "trf",
            Self::Robustness => "robustness",
            Self::Persistence => "persistence",
            Self::States => "states",
        }
    }

    /// The criteria that it implies directly.
    pub const fn implies(self) -> &'static [Self] {
        match self {
            Self::Drf => &[Self::Trf],
            Self::Trf => &[Self::Robustness, Self::Persistence],
            Self::Robustness | Self::Persistence => &[Self::States],
            Self::States => &[],
        }
    }

    /// Whether it implies another one, directly or over others.
    pub fn implies_in_the_end(self, weaker: Self) -> bool {
        self.implies().iter().any(|next| *next == weaker || next.implies_in_the_end(weaker))
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The answer for one criterion.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The criterion.
    pub criterion: Criterion,
    /// The verdict.
    pub verdict: Verdict<Evidence>,
    /// The criterion that implies this one, if it was not asked itself.
    pub implied_by: Option<Criterion>,
    /// What the searches did, if there were any.
    pub statistics: Statistics,
}

/// Answers the criteria, each with evidence, in their order.
pub fn check(
    program: &Program,
    criteria: &[Criterion],
    options: &Options,
    mut watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Vec<Checked>, Parameterised> {
    answers(program, criteria, options, &mut watch)
}

/// Somebody who is told how a search goes on, and may end it.
type Watch<'w> = dyn FnMut(&Progress) -> ControlFlow<()> + 'w;

fn answers(
    program: &Program,
    criteria: &[Criterion],
    options: &Options,
    mut watch: &mut Watch<'_>,
) -> Result<Vec<Checked>, Parameterised> {
    program.threads()?;
    let mut told: Vec<Checked> = Vec::new();
    let over_sc: Vec<Criterion> =
        criteria.iter().copied().filter(|criterion| Looks::of(*criterion) != 0).collect();
    let mut over_sc = Races::look(program, &over_sc, options, &mut watch)?;
    for criterion in Criterion::ALL.into_iter().filter(|criterion| criteria.contains(criterion)) {
        let implied = told.iter().find_map(|answer| match answer.verdict {
            Verdict::Holds(whole) if answer.criterion.implies_in_the_end(criterion) => {
                Some((answer.criterion, whole))
            }
            Verdict::Holds(_) | Verdict::Violated(_) | Verdict::Undecided(_) => None,
        });
        if let Some((by, whole)) = implied {
            let (verdict, statistics) = (Verdict::Holds(whole), Statistics::default());
            told.push(Checked { criterion, verdict, implied_by: Some(by), statistics });
            continue;
        }
        let mut statistics = Statistics::default();
        let mut implied_by = None;
        let verdict = match criterion {
            Criterion::Drf | Criterion::Trf | Criterion::Persistence => {
                let (verdict, did) = over_sc.verdict(criterion, &mut watch)?;
                statistics = did;
                verdict
            }
            Criterion::Robustness => {
                let report = robustness(program, options, &mut watch)?;
                statistics = report.statistics;
                report.verdict.map(Evidence::Cycle)
            }
            // What implies it is asked first, if it has not been.
            Criterion::States => {
                let mut verdict = None;
                let stronger = [Criterion::Persistence, Criterion::Robustness];
                for stronger in stronger.into_iter().filter(|one| !criteria.contains(one)) {
                    for answer in answers(program, &[stronger], options, watch)? {
                        statistics.include(&answer.statistics);
                        if answer.verdict.holds() {
                            verdict = Some(answer.verdict);
                            implied_by = Some(stronger);
                        }
                    }
                    if implied_by.is_some() {
                        break;
                    }
                }
                if let Some(verdict) = verdict {
                    verdict
                } else {
                    let (verdict, did) = new_ends(program, (options, 1), &mut watch)?;
                    statistics.include(&did);
                    verdict.map(|runs| {
                        let run = runs.into_iter().next().unwrap_or_else(|| lost());
                        Evidence::Elsewhere(Box::new(run))
                    })
                }
            }
        };
        told.push(Checked { criterion, verdict, implied_by, statistics });
    }
    Ok(told)
}

/// Which criteria are looked for in SC states, as bits.
pub(crate) struct Looks;

impl Looks {
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
struct Races<'a> {
    program: &'a Program,
    options: &'a Options,
    /// The criteria that control flow alone says something about, and what.
    settled: (u8, Option<Result<Whole, Reason>>),
    /// The criteria that are violated in some state.
    violated: u8,
    /// What the search for the others came to.
    explored: Option<Result<Whole, Reason>>,
    /// What the common search did; it is told once.
    statistics: Statistics,
}

impl<'a> Races<'a> {
    /// Looks at all SC states for violations of all these criteria.
    fn look(
        program: &'a Program,
        criteria: &[Criterion],
        options: &'a Options,
        watch: &mut impl FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<Self, Parameterised> {
        let mut races = Self {
            program,
            options,
            settled: (0, None),
            violated: 0,
            explored: None,
            statistics: Statistics::default(),
        };
        let mut wanted = criteria.iter().fold(0, |bits, criterion| bits | Looks::of(*criterion));
        let about_delays = wanted & !Looks::of(Criterion::Drf);
        if about_delays != 0 && !has_pivots(program)? {
            // What needs one holds of the program as it was translated.
            let (whole, did) = whole(program, options, &mut *watch)?;
            races.statistics = did;
            races.settled = (about_delays, Some(whole));
            wanted &= !about_delays;
        }
        if wanted == 0 {
            return Ok(races);
        }
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
        races.statistics.include(&did);
        races.violated = seen.into_inner();
        races.explored = match answer {
            Searched::Exhausted(whole) => Some(Ok(whole)),
            Searched::Undecided(reason) => Some(Err(reason)),
            // Everything that was wanted.
            Searched::Found(_) => None,
        };
        Ok(races)
    }

    /// The verdict on one criterion; if it is violated a shortest run is searched for.
    fn verdict(
        &mut self,
        criterion: Criterion,
        watch: &mut impl FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<(Verdict<Evidence>, Statistics), Parameterised> {
        let mut statistics = std::mem::take(&mut self.statistics);
        let bit = Looks::of(criterion);
        if self.violated & bit == 0 {
            let (settled, by_control_flow) = &self.settled;
            let known = if settled & bit == 0 { &self.explored } else { by_control_flow };
            let known = known.clone().unwrap_or_else(|| lost());
            return Ok((Verdict::of_whole(known), statistics));
        }
        let (answer, did) =
            search(self.program, (self.options, 1), watch, |sc, view| shown(sc, view, bit) != 0)?;
        statistics.include(&did);
        let verdict = match answer {
            Searched::Found(runs) => {
                Verdict::Violated(evidence(self.program, self.options, criterion, &runs[0])?)
            }
            Searched::Undecided(reason) => Verdict::Undecided(reason),
            Searched::Exhausted(_) => panic!("a violation cannot be found again; {BUG}"),
        };
        Ok((verdict, statistics))
    }
}

/// Which of these criteria a state shows to be violated.
pub(crate) fn shown(sc: &Sc<'_>, state: &impl Situation, wanted: u8) -> u8 {
    let mut found = 0;
    if wanted & Looks::of(Criterion::Drf) != 0 && race(sc, state).is_some() {
        found |= Looks::of(Criterion::Drf);
    }
    for (criterion, clash) in
        [(Criterion::Trf, Clash::SameCell), (Criterion::Persistence, Clash::OtherValue)]
    {
        let bit = Looks::of(criterion);
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

/// Whether control flow lets a load follow a store before anything empties the buffer: otherwise no
/// store is overtaken.
pub fn has_pivots(program: &Program) -> Result<bool, Parameterised> {
    let sc = Sc::new(program, Look::at_nothing())?;
    let mut templates = program.templates().enumerate();
    Ok(templates
        .any(|(id, template)| template.labels().indices().any(|label| sc.can_pivot(id, label))))
}

/// How a search for a state ended.
pub(crate) enum Searched {
    /// There is no such state.
    Exhausted(Whole),
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
    let started = Instant::now();
    let mut statistics = Statistics::default();
    let sc = Sc::new(program, look(options, Some(Box::new(condition))))?;
    let reductions =
        Reductions { locked_sections: false, partial_order: false, ..options.reductions };
    let automata_options = automata::Options { runs, ..options.of_automata(reductions, false) };
    let (answer, did) = sc.search(&automata_options, watch);
    statistics.add(&did, started.elapsed());
    let searched = match answer {
        Answer::Exhausted(noted) => {
            let stopped = noted.first().map(|(class, local)| sc.stopped_by(*class, local));
            Whole::by_exploration(stopped).map_or_else(Searched::Undecided, Searched::Exhausted)
        }
        Answer::Found(found) => Searched::Found(found.into_iter().map(|run| run.steps).collect()),
        Answer::Stopped(limit) => Searched::Undecided(Reason::Limit(limit)),
        Answer::TooWide { bits } => Searched::Undecided(Reason::TooWide { bits }),
    };
    Ok((searched, statistics))
}

pub(crate) fn look<'p>(options: &Options, condition: Option<Box<SeenBy<'p>>>) -> Look<'p> {
    Look {
        forget_dead_registers: options.reductions.dead_registers,
        condition: condition.map(|holds| OnStates { holds, is_symmetric: true }),
        ..Look::at_nothing()
    }
}
