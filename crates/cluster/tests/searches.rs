//! Workers that are threads search random tables as `explore` does.

mod common;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use cluster::Cluster;
use common::{Shape, Told, asked, expected, is_goal, random_tables, told};
use explore::tables::{Request, TableEngine, TableOutcome, Tables, Wanted};
use explore::{Limit, Limits};

const SHAPES: [Shape; 4] = [
    Shape { words: 1, components: 3, local_bits: 3, shared_bits: 2, unknown: None },
    Shape { words: 2, components: 4, local_bits: 2, shared_bits: 3, unknown: None },
    Shape { words: 3, components: 4, local_bits: 3, shared_bits: 1, unknown: None },
    Shape { words: 2, components: 3, local_bits: 3, shared_bits: 2, unknown: Some(20) },
];

fn by_explore(
    tables: &Tables,
    question: (Wanted, Limits),
    is_goal: impl Fn(&[u64]) -> bool + Send + Sync,
) -> (Told, explore::Statistics) {
    match tables.words {
        1 => expected::<1>(tables, question, is_goal),
        2 => expected::<2>(tables, question, is_goal),
        3 => expected::<3>(tables, question, is_goal),
        words => panic!("{words} words"),
    }
}

/// What the searches of a test came to, so that none is forgotten.
#[derive(Default)]
struct Census {
    exhausted: usize,
    found: usize,
    deepest: usize,
    stopped: usize,
    unknown: usize,
    states: u64,
}

#[test]
fn workers_search_as_one_thread_does() {
    let mut census = Census::default();
    for workers in [2, 3] {
        let cluster = Cluster::of_threads(workers).expect("threads can be started");
        let mut random = fastrand::Rng::with_seed(1);
        for round in 0..20 {
            let tables = random_tables(&mut random, SHAPES[round % SHAPES.len()]);
            let goal = is_goal([3, 40, 400, u64::MAX][round / 4 % 4]);
            let wanted = [Wanted::Nearest(1), Wanted::All, Wanted::Nearest(3)][round % 3];
            let states = (round % 7 == 0).then_some(30);
            let question = (wanted, Limits { states, ..Limits::default() });
            let (wanted, statistics) = by_explore(&tables, question, goal);
            let search = asked(&cluster, &tables, question, goal).expect("nobody is lost");
            let (answer, did) = told(&tables, &search, goal);
            assert_eq!(answer, wanted, "{workers} workers, round {round}");
            census.states += did.states;
            match answer {
                Told::Exhausted(_) => census.exhausted += 1,
                Told::Found(length, _) => {
                    census.found += 1;
                    census.deepest = census.deepest.max(length);
                }
                Told::Stopped(_) => {
                    census.stopped += 1;
                    assert_eq!(did.states, statistics.states);
                    continue;
                }
                Told::Unknown => {
                    census.unknown += 1;
                    continue;
                }
            }
            let figures = |did: explore::Statistics| (did.states, did.transitions, did.depth);
            assert_eq!(figures(did), figures(statistics), "{workers} workers, round {round}");
        }
    }
    let Census { exhausted, found, deepest, stopped, unknown, states } = census;
    assert!(exhausted > 9 && found > 5 && deepest > 2, "{exhausted} {found} {deepest}");
    assert!(stopped > 3 && unknown > 1 && states > 5_000, "{stopped} {unknown} {states}");
}

/// Tables with more states than anybody wants to wait for.
fn long() -> Tables {
    let mut random = fastrand::Rng::with_seed(5);
    let shape = Shape { words: 1, components: 6, local_bits: 4, shared_bits: 3, unknown: None };
    let mut tables = random_tables(&mut random, shape);
    for component in &mut tables.components {
        component.marks.fill(explore::tables::mark::EXPAND_IF_ALL);
    }
    tables
}

#[test]
fn limits_end_a_search_and_the_next_one_is_not_hurt() {
    let cluster = Cluster::of_threads(2).expect("threads can be started");
    let tables = long();
    let never = |_: &[u64]| false;
    let deadline = Some(Instant::now() + Duration::from_millis(200));
    for (limits, limit) in [
        (Limits { memory: Some(1 << 20), ..Limits::default() }, Limit::Memory),
        (Limits { deadline, ..Limits::default() }, Limit::Time),
        (Limits { states: Some(10_000), ..Limits::default() }, Limit::States),
    ] {
        let search = asked(&cluster, &tables, (Wanted::Nearest(1), limits), never);
        let search = search.expect("nobody is lost");
        assert_eq!(search.outcome, TableOutcome::Stopped(limit));
    }
    let mut looks = 0;
    let watch = &mut |progress: &explore::Progress| {
        looks += 1;
        if progress.states > 1000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let is_goal = &mut |_: &[u64]| false;
    let (wanted, limits) = (Wanted::All, Limits::default());
    let search = cluster.search(&tables, Request { wanted, limits, is_goal, watch });
    let search = search.expect("nobody is lost");
    assert_eq!(search.outcome, TableOutcome::Stopped(Limit::Cancelled));
    assert!(looks > 0);

    let small = random_tables(&mut fastrand::Rng::with_seed(2), SHAPES[0]);
    let question = (Wanted::All, Limits::default());
    let search = asked(&cluster, &small, question, never).expect("nobody is lost");
    let (_, statistics) = by_explore(&small, question, never);
    assert_eq!(search.statistics.states, statistics.states);
}
