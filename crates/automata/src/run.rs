//! The search itself: builds, packs, searches, and begins again where the packing was too tight.

use std::ops::ControlFlow;

use explore::tables::TableEngine;
use explore::{Limit, Limits, Lookout, Progress};

use crate::build::Automata;
use crate::layout::Layout;
use crate::persistent::find_loops;
use crate::round::{self, Deed, Ended, Round};
use crate::{Reductions, Threads};

/// How often confined cells may get other contents before the automata are left to grow.
const MOST_CONFINEMENT_MISSES: u32 = 4;

/// See [`Options::probe_states`].
const PROBE_STATES: u64 = 1 << 12;

/// How much more may be found out beforehand for an engine that needs complete automata.
const BUDGET_FOR_ENGINES: usize = 16;

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Which reductions are made.
    pub reductions: Reductions,
    /// Whether stuck states are looked for.
    pub stuck: bool,
    /// Whether states are looked for in which all threads have ended. Then nothing is explored from
    /// where neither such a state nor a goal can follow ([`crate::Mark::may_end`]).
    pub ends: bool,
    /// How many threads search.
    pub threads: usize,
    /// How far the search may go.
    pub limits: Limits,
    /// How many runs are wanted, if there are several that are equally short.
    pub runs: usize,
    /// How many entries the automata may have if they are to be known before the search.
    pub precompile_budget: usize,
    /// How many states are searched before that: a small system is searched through before it pays
    /// to know its automata as a whole.
    pub probe_states: u64,
    /// Who searches what is more than that, if not this machine's processors: complete automata, without
    /// reductions but for local steps.
    pub engine: Option<&'static dyn TableEngine>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            reductions: Reductions::ALL,
            stuck: false,
            ends: false,
            threads: 1,
            limits: Limits::default(),
            runs: 1,
            precompile_budget: 1 << 17,
            probe_states: PROBE_STATES,
            engine: None,
        }
    }
}

impl Options {
    /// What another engine makes of them: it explores every state, and pays if there are many, for which
    /// it pays to find out more beforehand.
    fn for_its_engine(&self) -> Self {
        if self.engine.is_none() {
            return *self;
        }
        let reductions = Reductions { local: self.reductions.local, ..Reductions::NONE };
        let precompile_budget = self.precompile_budget.saturating_mul(BUDGET_FOR_ENGINES).max(1);
        Self { reductions, precompile_budget, ..*self }
    }
}

/// What a search came to.
#[derive(Clone, Debug)]
pub enum Answer<Local, Name> {
    /// Nothing that was looked for can be reached; these local states are to be noted,
    /// each with its class.
    Exhausted(Vec<(usize, Local)>),
    /// It can, by these runs, of which there is at least one.
    Found(Vec<Counterexample<Name>>),
    /// A limit was reached first.
    Stopped(Limit),
    /// A state takes more bits than the engine has room for.
    TooWide {
        /// The bits that would be needed.
        bits: u32,
    },
    /// The engine that was asked for cannot search this.
    Unsuitable {
        /// Why, for people.
        why: String,
    },
}

/// A run to what was looked for: who takes which step.
#[derive(Clone, Debug)]
pub struct Counterexample<Name> {
    /// The steps in order.
    pub steps: Vec<(usize, Name)>,
}

/// A state of the whole system by itself.
pub struct Snapshot<T: Threads> {
    /// The local states of the threads.
    pub locals: Vec<T::Local>,
    /// What the cells hold that any thread touches.
    pub cells: Vec<(T::Cell, T::Content)>,
}

/// What a search did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Different states stored.
    pub states: u64,
    /// Successors computed, repetitions included.
    pub transitions: u64,
    /// Steps between stored states to the farthest one.
    pub depth: u64,
    /// The most bytes in use for states.
    pub peak_bytes: usize,
    /// Bits of a state.
    pub bits: u32,
    /// Local states of all classes.
    pub local_states: usize,
    /// Whether the automata were known before the search.
    pub is_complete: bool,
    /// How often the search began again with more bits.
    pub restarts: u32,
    /// Whether the engine that was asked for searched ([`Options::engine`]), and not the processors.
    pub is_elsewhere: bool,
}

impl Statistics {
    /// Adds what one search did.
    fn note(&mut self, did: &explore::Statistics) {
        self.states = did.states;
        self.transitions = did.transitions;
        self.depth = did.depth;
        self.peak_bytes = self.peak_bytes.max(did.peak_bytes);
    }
}

/// Searches for a marked local state, a state that satisfies the condition, or a stuck state.
/// `watch` is told of the progress and can end the search.
pub fn search<T: Threads>(
    threads: &T,
    options: &Options,
    watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> (Answer<T::Local, T::Name>, Statistics) {
    let mut statistics = Statistics::default();
    let asked = (Extent::Nearest, options);
    let answer = search_within(threads, asked, &mut statistics, watch);
    (answer.map_or_else(Answer::Stopped, |(answer, _)| answer), statistics)
}

/// Searches for all such states, and goes on when one is found: so the answer is never
/// [`Answer::Found`]. Those that were found come beside it: all of them if the states were exhausted, of
/// states that differ by an exchange of equal threads one.
pub fn search_all<T: Threads>(
    threads: &T,
    options: &Options,
    watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> (Answered<T>, Statistics) {
    let mut statistics = Statistics::default();
    let asked = (Extent::All, options);
    let answer = search_within(threads, asked, &mut statistics, watch);
    (answer.unwrap_or_else(|limit| (Answer::Stopped(limit), Vec::new())), statistics)
}

/// How much of what is looked for is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// What is nearest, with runs to it.
    Nearest,
    /// All of it.
    All,
}

/// An answer, and the states that were found if all are wanted.
pub type Answered<T> = (Answer<<T as Threads>::Local, <T as Threads>::Name>, Vec<Snapshot<T>>);

fn search_within<T: Threads>(
    threads: &T,
    (extent, options): (Extent, &Options),
    statistics: &mut Statistics,
    mut watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Answered<T>, Limit> {
    let options = &options.for_its_engine();
    let mut lookout = Lookout::new(&options.limits);
    let mut automata = Automata::growing(threads, options.reductions, &mut lookout)?;
    let mut is_probe = options.precompile_budget > 0;
    let mut confinement_misses = 0;
    loop {
        let layout = Layout::of(&automata.numbers);
        let bits = layout.bits();
        statistics.bits = bits;
        let mut limits = options.limits;
        let probe_states = options.probe_states;
        let is_limited = limits.states.is_some_and(|states| states <= probe_states);
        if is_probe && !is_limited {
            limits.states = Some(probe_states);
        }
        let engine = options.engine.filter(|_| !is_probe);
        let round = Round { options, extent, limits, engine };
        let Some(searched) = round::search(&mut automata, layout, &round, &mut watch) else {
            return Ok((Answer::TooWide { bits }, Vec::new()));
        };
        statistics.note(&searched.did);
        statistics.is_elsewhere = round.engine.is_some();
        statistics.local_states = automata.numbers.classes.iter().map(Vec::len).sum();
        let answer = match searched.ended {
            Ended::Stopped(Limit::States) if is_probe && !is_limited => {
                is_probe = false;
                statistics.states = 0;
                if let Some(complete) = completed(threads, options, &automata, &mut lookout)? {
                    automata = complete;
                }
                statistics.is_complete = automata.numbers.is_complete;
                continue;
            }
            Ended::Outgrown => {
                statistics.restarts += 1;
                if automata.numbers.is_complete {
                    confinement_misses += 1;
                    let again = if confinement_misses <= MOST_CONFINEMENT_MISSES {
                        completed(threads, options, &automata, &mut lookout)?
                    } else {
                        None
                    };
                    automata = match again {
                        Some(automata) => automata,
                        None => Automata::growing(threads, options.reductions, &mut lookout)?,
                    };
                }
                statistics.is_complete = automata.numbers.is_complete;
                continue;
            }
            Ended::Exhausted(noted) => {
                let local = |(class, local)| (class, automata.local_of(class, local).clone());
                Answer::Exhausted(noted.into_iter().map(local).collect())
            }
            Ended::Found(runs) => {
                Answer::Found(runs.iter().map(|run| told(&automata, run)).collect())
            }
            Ended::Stopped(limit) => Answer::Stopped(limit),
            Ended::Unsuitable(why) => Answer::Unsuitable { why },
        };
        let goals = searched.goals.iter().map(|state| automata.view(state).snapshot());
        return Ok((answer, goals.collect()));
    }
}

/// A run with the names of its steps.
fn told<T: Threads>(automata: &Automata<'_, T>, run: &[(usize, Deed)]) -> Counterexample<T::Name> {
    let mut steps = Vec::new();
    for (thread, deed) in run {
        let names = match deed {
            Deed::Begins { place, number } => automata.told_of_beginning(*place, *number),
            Deed::Steps { entry, outcome } => automata.told(entry, *outcome),
        };
        steps.extend(names.into_iter().map(|name| (*thread, name)));
    }
    Counterexample { steps }
}

/// The automata as a whole, given what a search has met.
fn completed<'t, T: Threads>(
    threads: &'t T,
    options: &Options,
    met: &Automata<'t, T>,
    lookout: &mut Lookout,
) -> Result<Option<Automata<'t, T>>, Limit> {
    let Options { reductions, precompile_budget, .. } = *options;
    let mut automata = Automata::complete(threads, reductions, precompile_budget, met, lookout)?;
    if let Some(automata) = &mut automata {
        find_loops(&mut automata.numbers);
    }
    Ok(automata)
}
