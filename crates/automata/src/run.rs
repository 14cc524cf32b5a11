//! The search itself: builds, packs, searches, and begins again where the packing was too tight.

use std::ops::ControlFlow;

use explore::{Limit, Limits, Lookout, Outcome, Progress, State};

use crate::build::Automata;
use crate::layout::Layout;
use crate::persistent::find_loops;
use crate::system::{LooksFor, Packed};
use crate::{Reductions, Threads};

/// The most words a state can have.
const MOST_WORDS: usize = 32;

/// How often confined cells may get other contents before the automata are left to grow.
const MOST_SURPRISES: u32 = 4;

/// See [`Options::first_look`].
const FIRST_LOOK: u64 = 1 << 12;

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
    pub foresight: usize,
    /// How many states are searched before that: a small system is searched through before it pays
    /// to know its automata as a whole.
    pub first_look: u64,
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
            foresight: 1 << 17,
            first_look: FIRST_LOOK,
        }
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
enum Extent {
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
    let mut lookout = Lookout::new(&options.limits);
    let mut automata = Automata::growing(threads, options.reductions, &mut lookout)?;
    let mut is_first_look = options.foresight > 0;
    let mut surprises = 0;
    loop {
        let layout = Layout::of(&automata);
        statistics.bits = layout.bits();
        let mut limits = options.limits;
        let first_look = options.first_look;
        let is_limited = limits.states.is_some_and(|states| states <= first_look);
        if is_first_look && !is_limited {
            limits.states = Some(first_look);
        }
        let one = One { options, extent, limits, statistics: &mut *statistics };
        let (answer, learnt) = match layout.words() {
            1 => one.search::<T, 1>(automata, layout, &mut watch),
            2 => one.search::<T, 2>(automata, layout, &mut watch),
            3 => one.search::<T, 3>(automata, layout, &mut watch),
            4 => one.search::<T, 4>(automata, layout, &mut watch),
            5..=6 => one.search::<T, 6>(automata, layout, &mut watch),
            7..=8 => one.search::<T, 8>(automata, layout, &mut watch),
            9..=16 => one.search::<T, 16>(automata, layout, &mut watch),
            17..=MOST_WORDS => one.search::<T, MOST_WORDS>(automata, layout, &mut watch),
            _ => (Some((Answer::TooWide { bits: layout.bits() }, Vec::new())), automata),
        };
        let locals = learnt.classes.iter().map(|class| class.locals.len());
        statistics.local_states = locals.sum();
        match answer {
            Some((Answer::Stopped(Limit::States), _)) if is_first_look && !is_limited => {
                is_first_look = false;
                statistics.states = 0;
                let complete = completed(threads, options, &learnt, &mut lookout)?;
                automata = complete.unwrap_or(learnt);
            }
            Some(answer) => return Ok(answer),
            None if learnt.is_complete => {
                statistics.restarts += 1;
                surprises += 1;
                let again = if surprises <= MOST_SURPRISES {
                    completed(threads, options, &learnt, &mut lookout)?
                } else {
                    None
                };
                automata = match again {
                    Some(automata) => automata,
                    None => Automata::growing(threads, options.reductions, &mut lookout)?,
                };
            }
            None => {
                statistics.restarts += 1;
                automata = learnt;
            }
        }
        statistics.is_complete = automata.is_complete;
    }
}

/// The automata as a whole, given what a search has met.
fn completed<'t, T: Threads>(
    threads: &'t T,
    options: &Options,
    met: &Automata<'t, T>,
    lookout: &mut Lookout,
) -> Result<Option<Automata<'t, T>>, Limit> {
    let Options { reductions, foresight, .. } = *options;
    let mut automata = Automata::complete(threads, reductions, foresight, met, lookout)?;
    if let Some(automata) = &mut automata {
        find_loops(automata);
    }
    Ok(automata)
}

/// One search with one layout.
struct One<'a> {
    options: &'a Options,
    extent: Extent,
    limits: Limits,
    statistics: &'a mut Statistics,
}

/// What one search comes to: an answer, unless its layout was too tight, and what was learnt.
type Ended<'t, T> = (Option<Answered<T>>, Automata<'t, T>);

impl One<'_> {
    /// The answer, or nothing if the layout was too tight; and the automata with all they learnt.
    fn search<'t, T: Threads, const W: usize>(
        self,
        automata: Automata<'t, T>,
        layout: Layout,
        watch: &mut impl FnMut(&Progress) -> ControlFlow<()>,
    ) -> Ended<'t, T> {
        let Options { threads, runs, stuck, ends, .. } = *self.options;
        let mut packed: Packed<'t, T, W> = Packed::new(automata, layout, LooksFor { stuck, ends });
        let (search, goals) = match self.extent {
            Extent::Nearest => {
                let limits = &self.limits;
                (explore::search_nearest(&mut packed, threads, limits, runs, watch), Vec::new())
            }
            Extent::All => {
                let found = explore::search_all(&mut packed, threads, &self.limits, watch);
                (found.search, found.goals)
            }
        };
        let did = search.statistics;
        self.statistics.states = did.states;
        self.statistics.transitions = did.transitions;
        self.statistics.depth = did.depth;
        self.statistics.peak_bytes = self.statistics.peak_bytes.max(did.peak_bytes);
        let answer = match search.outcome {
            Outcome::Exhausted => Some(Answer::Exhausted(packed.noted())),
            Outcome::Found(path) => {
                let paths = std::iter::once(&path).chain(&search.others);
                let run = |path: &Vec<_>| Counterexample { steps: steps_of(&packed, path) };
                Some(Answer::Found(paths.map(run).collect()))
            }
            Outcome::Stopped(limit) => Some(Answer::Stopped(limit)),
            Outcome::Outgrown => None,
        };
        let answer = answer.map(|answer| {
            (answer, goals.iter().map(|state| packed.view(state).snapshot()).collect())
        });
        (answer, packed.automata)
    }
}

/// The steps along a path of representatives. Thread `actual[p]` is in place `p` of the
/// representative; each exchange of places changes that, and the names of steps stay.
fn steps_of<T: Threads, const W: usize>(
    packed: &Packed<'_, T, W>,
    path: &[State<W>],
) -> Vec<(usize, T::Name)> {
    let automata = &packed.automata;
    let mut actual: Vec<usize> = (0..automata.class_of.len()).collect();
    let mut steps = Vec::new();
    let exchange = |actual: &mut Vec<usize>, exchanges: Vec<usize>| {
        for exchange in exchanges {
            let (one, other) = packed.exchanged(exchange);
            actual.swap(one, other);
        }
    };
    let mut number = 0;
    while let Some(state) = packed.beginning(number) {
        let mut exchanges = Vec::new();
        if packed.representative(state, &mut exchanges) == path[0] {
            let chosen = packed.beginnings(number).unwrap_or_default();
            for (thread, beginning) in chosen.into_iter().enumerate() {
                let names = automata.told_of_beginning(thread, beginning);
                steps.extend(names.into_iter().map(|name| (thread, name)));
            }
            exchange(&mut actual, exchanges);
            break;
        }
        number += 1;
    }
    for pair in path.windows(2) {
        let mut found = None;
        let result = packed.expand(&pair[0], Vec::new, |next, trail| {
            let mut exchanges = Vec::new();
            if found.is_none() && packed.representative(next, &mut exchanges) == pair[1] {
                found = Some((trail, exchanges));
            }
        });
        assert!(result.is_ok(), "the search has expanded this state");
        let (trail, exchanges) = found.expect("the search has found this step");
        for (before, taken) in trail {
            let (place, ..) = taken;
            let names = packed.names(&before, taken).into_iter();
            steps.extend(names.map(|name| (actual[place], name)));
        }
        exchange(&mut actual, exchanges);
    }
    steps
}
