//! Workers that are threads search random tables as `explore` does.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use cluster::Cluster;
use explore::tables::{Request, TableEngine, TableOutcome, Tables, Wanted, mark};
use explore::{Limit, Limits};
use testkit::engines::{Question, asked, compare, expected};
use testkit::tables::{Shape, random_tables};

#[test]
fn workers_search_as_one_thread_does() {
    for workers in [2, 3] {
        let cluster = Cluster::of_threads(workers).expect("threads can be started");
        compare(&cluster, 3, 60).assert_varied(60);
    }
}

/// Tables with more states than anybody wants to wait for.
fn long() -> Tables {
    let shape = Shape { local_bits: 4, shared_bits: 3, ..Shape::new(1, 6) };
    let mut tables = random_tables(&mut fastrand::Rng::with_seed(5), shape);
    for component in &mut tables.components {
        component.marks.fill(mark::EXPAND_IF_ALL);
    }
    tables
}

#[test]
fn limits_end_a_search_and_the_next_one_is_not_hurt() {
    let cluster = Cluster::of_threads(2).expect("threads can be started");
    let tables = long();
    let deadline = Some(Instant::now() + Duration::from_millis(200));
    for (limits, limit) in [
        (Limits { memory: Some(1 << 20), ..Limits::default() }, Limit::Memory),
        (Limits { deadline, ..Limits::default() }, Limit::Time),
        (Limits { states: Some(10_000), ..Limits::default() }, Limit::States),
    ] {
        let question = Question { limits, ..Question::new(Wanted::Nearest(1), u64::MAX) };
        let search = asked(&cluster, &tables, &question).expect("nobody is lost");
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

    let small = random_tables(&mut fastrand::Rng::with_seed(2), Shape::new(1, 3));
    let question = Question::new(Wanted::All, u64::MAX);
    let search = asked(&cluster, &small, &question).expect("nobody is lost");
    let (_, statistics) = expected(&small, &question);
    assert_eq!(search.statistics.states, statistics.states);
}
