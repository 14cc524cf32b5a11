//! What every engine for tables has to say: the same as the search engine of `explore`, and paths that are paths.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use explore::tables::{
    Request, TableEngine, TableOutcome, TableSearch, Tables, Tabulated, Unsuitable, Wanted,
};
use explore::{Limit, Limits, Outcome, Statistics, search_all, search_nearest};
use fastrand::Rng;

use crate::tables::{Shape, random_tables};

/// What is asked about tables: of the states that are looked at, one in so many is a goal.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// How much is wanted.
    pub wanted: Wanted,
    /// How far an engine may go.
    pub limits: Limits,
    /// One state in so many is a goal.
    pub rarity: u64,
}

impl Question {
    /// A question without limits.
    pub fn new(wanted: Wanted, rarity: u64) -> Self {
        Self { wanted, limits: Limits::default(), rarity }
    }

    /// Whether a state is a goal, if it is looked at.
    pub fn is_goal(&self, state: &[u64]) -> bool {
        let sum = state.iter().fold(7_u64, |sum, word| sum.wrapping_mul(31).wrapping_add(*word));
        sum.wrapping_mul(0x9e37_79b9_7f4a_7c15) % self.rarity == 0
    }
}

/// What is the same for all engines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// All states were found, and these are all goals if all were wanted.
    Exhausted(Vec<Vec<u64>>),
    /// The length of the paths, and how many there are.
    Found(usize, usize),
    /// A limit was reached.
    Stopped(Limit),
    /// The tables lack something.
    Unknown,
}

/// Asks an engine.
pub fn asked(
    engine: &dyn TableEngine,
    tables: &Tables,
    question: &Question,
) -> Result<TableSearch, Unsuitable> {
    let is_goal = &mut |state: &[u64]| question.is_goal(state);
    let watch = &mut |_: &explore::Progress| ControlFlow::Continue(());
    let Question { wanted, limits, .. } = *question;
    engine.search(tables, Request { wanted, limits, is_goal, watch })
}

/// What an engine says, after a look at the paths it tells; nothing if it cannot tell how to get to a goal.
pub fn told(tables: &Tables, search: &TableSearch, question: &Question) -> Option<Told> {
    Some(match &search.outcome {
        TableOutcome::Exhausted(goals) => Told::Exhausted(goals.clone()),
        TableOutcome::Found(paths) => {
            let ends: BTreeSet<&Vec<u64>> = paths.iter().filter_map(|path| path.last()).collect();
            assert_eq!(ends.len(), paths.len(), "each goal once");
            for path in paths {
                assert_is_path(tables, path);
                let last = path.last().expect("a path has a state");
                assert!(tables.is_to_be_looked_at(last) && question.is_goal(last));
            }
            Told::Found(paths[0].len(), paths.len())
        }
        TableOutcome::Untraced => return None,
        TableOutcome::Stopped(limit) => Told::Stopped(*limit),
        TableOutcome::Unknown(state) => {
            assert!(tables.successors(state, |_| ()).is_err());
            Told::Unknown
        }
    })
}

fn assert_is_path(tables: &Tables, path: &[Vec<u64>]) {
    let first = path.first().expect("a path has a state");
    assert!(tables.initial.chunks_exact(tables.words).any(|state| state == first));
    for step in path.windows(2) {
        let mut leads = false;
        let _ = tables.successors(&step[0], |next| leads |= next == step[1]);
        assert!(leads, "{step:x?}");
    }
}

/// What the search engine of `explore` says.
pub fn expected(tables: &Tables, question: &Question) -> (Told, Statistics) {
    match tables.words {
        1 => by_explore::<1>(tables, question),
        2 => by_explore::<2>(tables, question),
        3 => by_explore::<3>(tables, question),
        words => panic!("{words} words"),
    }
}

fn by_explore<const W: usize>(tables: &Tables, question: &Question) -> (Told, Statistics) {
    let mut system = Tabulated { tables, is_goal: |state: &[u64]| question.is_goal(state) };
    let watch = |_: &explore::Progress| ControlFlow::Continue(());
    let limits = &question.limits;
    let (goals, search) = match question.wanted {
        Wanted::All => {
            let all = search_all::<W, _>(&mut system, 1, limits, watch);
            (all.goals.iter().map(|goal| goal.to_vec()).collect(), all.search)
        }
        Wanted::Nearest(most) => {
            (Vec::new(), search_nearest::<W, _>(&mut system, 1, limits, most, watch))
        }
    };
    let told = match search.outcome {
        Outcome::Exhausted => Told::Exhausted(goals),
        Outcome::Found(path) => Told::Found(path.len(), 1 + search.others.len()),
        Outcome::Stopped(limit) => Told::Stopped(limit),
        Outcome::Outgrown => Told::Unknown,
    };
    (told, search.statistics)
}

/// States, transitions and depth.
pub fn figures(did: &Statistics) -> (u64, u64, u64) {
    (did.states, did.transitions, did.depth)
}

/// What the searches of a test came to, so that none is forgotten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Searches that found all states,
    pub exhausted: usize,
    /// or goals,
    pub found: usize,
    /// with so long a path at most;
    pub longest: usize,
    /// that reached a limit,
    pub stopped: usize,
    /// or something that is not in the tables.
    pub unknown: usize,
    /// States of all of them.
    pub states: u64,
}

impl Census {
    /// Panics unless the searches were worth it: of so many each kind is there.
    pub fn assert_varied(&self, searches: usize) {
        let Self { exhausted, found, longest, stopped, unknown, states } = *self;
        assert_eq!(exhausted + found + stopped + unknown, searches, "{self:?}");
        assert!(exhausted >= searches / 5 && found >= searches / 8, "{self:?}");
        assert!(stopped >= searches / 20 && unknown >= searches / 20, "{self:?}");
        assert!(longest > 3 && states > 100 * searches as u64, "{self:?}");
    }
}

/// Asks an engine, of so many words of a state at most, about random tables: outcome, states, transitions and
/// depth have to be those of `explore`. The same tables and questions for every engine.
pub fn compare(engine: &dyn TableEngine, most_words: usize, searches: usize) -> Census {
    let mut census = Census::default();
    let mut random = Rng::with_seed(27);
    for number in 0..searches {
        let shape = Shape {
            local_bits: random.u8(2..4),
            shared_bits: random.u8(1..4),
            unknown: (number % 5 == 4).then_some(30),
            ..Shape::new(1 + number % most_words, random.usize(2..4))
        };
        let tables = random_tables(&mut random, shape);
        let wanted = [Wanted::Nearest(1), Wanted::All, Wanted::Nearest(3)][number % 3];
        let states = (number % 4 == 3).then_some(20);
        let limits = Limits { states, ..Limits::default() };
        let rarity = [3, 10, 100, u64::MAX][number / 4 % 4];
        let question = Question { wanted, limits, rarity };
        let (expected, statistics) = expected(&tables, &question);
        let search = asked(engine, &tables, &question).expect("the engine is suitable");
        let heard = told(&tables, &search, &question).expect("paths are told");
        assert_eq!(heard, expected, "search {number}");
        let did = search.statistics;
        match heard {
            Told::Exhausted(_) => census.exhausted += 1,
            Told::Found(length, _) => {
                census.found += 1;
                census.longest = census.longest.max(length);
            }
            Told::Stopped(_) => {
                census.stopped += 1;
                assert_eq!(did.states, statistics.states, "search {number}");
                continue;
            }
            // What is not known is met sooner or later.
            Told::Unknown => {
                census.unknown += 1;
                continue;
            }
        }
        assert_eq!(figures(&did), figures(&statistics), "search {number}");
        census.states += did.states;
    }
    census
}
