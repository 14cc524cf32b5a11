//! One search with one layout, by numbers alone: compiled once for each width of a state.

mod elsewhere;

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use explore::{Limit, Limits, Outcome, Progress, State};

use crate::layout::Layout;
use crate::numbers::{Entry, Meaning, Numbered};
use crate::run::{Extent, Options};
use crate::system::{LooksFor, Packed};

/// The most words a state can have.
const MOST_WORDS: usize = 32;

/// What is asked.
pub(crate) struct Round<'o> {
    pub(crate) options: &'o Options,
    pub(crate) extent: Extent,
    pub(crate) limits: Limits,
    /// Who searches, if not this machine's processors.
    pub(crate) engine: Option<&'static dyn explore::tables::TableEngine>,
}

/// Something that a thread does in a run.
pub(crate) enum Deed {
    /// It takes its first local steps: those of the thread in this place, on the way with this number.
    Begins { place: usize, number: usize },
    /// It makes a step, of whose outcomes this one comes about.
    Steps { entry: Entry, outcome: usize },
}

/// What a search comes to.
pub(crate) enum Ended {
    /// Nothing was found; these local states are to be noted, each with its class.
    Exhausted(BTreeSet<(usize, u32)>),
    /// Runs: who does what.
    Found(Vec<Vec<(usize, Deed)>>),
    /// A limit was reached.
    Stopped(Limit),
    /// The layout was too tight.
    Outgrown,
    /// The engine that was asked for cannot do this, and why.
    Unsuitable(String),
}

/// The same with what the search did, and the states that were found if all are wanted.
pub(crate) struct Searched {
    pub(crate) ended: Ended,
    pub(crate) goals: Vec<Numbered>,
    pub(crate) did: explore::Statistics,
}

/// Who is told of the progress, and can end the search.
type Watch<'w> = &'w mut dyn FnMut(&Progress) -> ControlFlow<()>;

/// Searches; the automata keep what they learn. Nothing if a state would take too many words.
pub(crate) fn search(
    meaning: &mut dyn Meaning,
    layout: Layout,
    round: &Round<'_>,
    watch: Watch<'_>,
) -> Option<Searched> {
    Some(match layout.words() {
        1 => round.search::<1>(meaning, layout, watch),
        2 => round.search::<2>(meaning, layout, watch),
        3 => round.search::<3>(meaning, layout, watch),
        4 => round.search::<4>(meaning, layout, watch),
        5..=6 => round.search::<6>(meaning, layout, watch),
        7..=8 => round.search::<8>(meaning, layout, watch),
        9..=16 => round.search::<16>(meaning, layout, watch),
        17..=MOST_WORDS => round.search::<MOST_WORDS>(meaning, layout, watch),
        _ => return None,
    })
}

impl Round<'_> {
    fn search<const W: usize>(
        &self,
        meaning: &mut dyn Meaning,
        layout: Layout,
        watch: Watch<'_>,
    ) -> Searched {
        let Options { stuck, ends, .. } = *self.options;
        let mut packed: Packed<'_, W> = Packed::new(meaning, layout, LooksFor { stuck, ends });
        match self.engine {
            Some(engine) => self.search_elsewhere(&mut packed, engine, watch),
            None => self.search_here(&mut packed, watch),
        }
    }

    /// The search by this machine's processors.
    fn search_here<const W: usize>(
        &self,
        packed: &mut Packed<'_, W>,
        watch: Watch<'_>,
    ) -> Searched {
        let Options { threads, runs, .. } = *self.options;
        let (search, goals) = match self.extent {
            Extent::Nearest => {
                let limits = &self.limits;
                (explore::search_nearest(packed, threads, limits, runs, watch), Vec::new())
            }
            Extent::All => {
                let found = explore::search_all(packed, threads, &self.limits, watch);
                (found.search, found.goals)
            }
        };
        let ended = match search.outcome {
            Outcome::Exhausted => Ended::Exhausted(packed.noted()),
            Outcome::Found(path) => {
                let paths = std::iter::once(&path).chain(&search.others);
                Ended::Found(paths.map(|path| deeds(packed, path)).collect())
            }
            Outcome::Stopped(limit) => Ended::Stopped(limit),
            Outcome::Outgrown => Ended::Outgrown,
        };
        let goals = match &ended {
            Ended::Exhausted(_) | Ended::Found(_) | Ended::Stopped(_) => {
                goals.iter().map(|state| packed.numbered(state)).collect()
            }
            // Some numbers of these may have no meaning that fits.
            Ended::Outgrown | Ended::Unsuitable(_) => Vec::new(),
        };
        Searched { ended, goals, did: search.statistics }
    }
}

/// What is done along a path of representatives. Thread `actual[p]` is in place `p` of the
/// representative; each exchange of places changes that, and the names of steps stay.
fn deeds<const W: usize>(packed: &Packed<'_, W>, path: &[State<W>]) -> Vec<(usize, Deed)> {
    let mut actual: Vec<usize> = (0..packed.threads()).collect();
    let mut deeds = Vec::new();
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
            let begins = |(place, number)| (place, Deed::Begins { place, number });
            deeds.extend(chosen.into_iter().enumerate().map(begins));
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
            let (entry, outcome) = packed.entry(&before, taken);
            deeds.push((actual[place], Deed::Steps { entry, outcome }));
        }
        exchange(&mut actual, exchanges);
    }
    deeds
}
