//! Graphs whose answers are known: by hand, or by a search that is too simple to be wrong.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::ControlFlow;
use std::time::Duration;

use explore::{Limit, Limits, Outcome, Progress, Search, State, System, search};

fn run<const W: usize>(system: &impl System<W>, threads: usize, limits: &Limits) -> Search<W> {
    search(system, threads, limits, |_| ControlFlow::Continue(()))
}

fn unlimited<const W: usize>(system: &impl System<W>, threads: usize) -> Search<W> {
    run(system, threads, &Limits::default())
}

/// All sets of `bits` bits; a step puts one in or takes one out.
struct Hypercube {
    bits: u32,
    goal: Option<u64>,
}

impl System<1> for Hypercube {
    fn initial(&self) -> Vec<State<1>> {
        vec![[0]]
    }
    fn successors(&self, [state]: &State<1>, mut visit: impl FnMut(State<1>)) {
        for bit in 0..self.bits {
            visit([state ^ (1 << bit)]);
        }
    }
    fn is_goal(&self, [state]: &State<1>) -> bool {
        self.goal == Some(*state)
    }
}

#[test]
fn a_hypercube_is_exhausted_and_crossed() {
    for threads in [1, 2, 5] {
        let all = unlimited(&Hypercube { bits: 14, goal: None }, threads);
        assert_eq!(all.outcome, Outcome::Exhausted);
        assert_eq!(all.statistics.states, 1 << 14);
        assert_eq!(all.statistics.transitions, 14 << 14);
        assert_eq!(all.statistics.depth, 14);
        let Outcome::Found(path) =
            unlimited(&Hypercube { bits: 14, goal: Some((1 << 14) - 1) }, threads).outcome
        else {
            panic!("the opposite corner can be reached");
        };
        assert_eq!(path.len(), 15);
        // The least predecessor of each is the one without its highest bit.
        let expected: Vec<State<1>> = (0..=14).map(|bits| [(1 << bits) - 1]).collect();
        assert_eq!(path, expected);
    }
}

/// A line of states, far longer than depths are remembered.
struct Line {
    length: u64,
}

impl System<3> for Line {
    fn initial(&self) -> Vec<State<3>> {
        vec![[u64::MAX, 0, 0]]
    }
    fn successors(&self, state: &State<3>, mut visit: impl FnMut(State<3>)) {
        visit(*state);
        if state[1] < self.length {
            visit([u64::MAX, state[1] + 1, 0]);
        }
    }
    fn is_goal(&self, state: &State<3>) -> bool {
        state[1] == self.length
    }
}

#[test]
fn a_long_path_is_found_whole() {
    let Outcome::Found(path) = unlimited(&Line { length: 1000 }, 2).outcome else {
        panic!("the end of the line can be reached");
    };
    let expected: Vec<State<3>> = (0..=1000).map(|at| [u64::MAX, at, 0]).collect();
    assert_eq!(path, expected);
}

/// A graph with edges drawn at random.
struct Random {
    edges: BTreeMap<State<2>, Vec<State<2>>>,
    initial: Vec<State<2>>,
    goals: BTreeSet<State<2>>,
}

impl Random {
    fn new(seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let count = random.usize(1..4000);
        // Few bits in each word, so that states are close to each other; zero is one of them.
        let mut state = || -> State<2> { [random.u64(..90), random.u64(..60) << 58] };
        let states: Vec<State<2>> = (0..count).map(|_| state()).collect();
        let mut edges: BTreeMap<State<2>, Vec<State<2>>> = BTreeMap::new();
        for _ in 0..random.usize(..3 * count) {
            let [from, to] = [(); 2].map(|()| states[random.usize(..count)]);
            edges.entry(from).or_default().push(to);
        }
        let some = |random: &mut fastrand::Rng, most: usize| -> Vec<State<2>> {
            (0..random.usize(..=most)).map(|_| states[random.usize(..count)]).collect()
        };
        let initial = some(&mut random, 3);
        let goals = some(&mut random, 4).into_iter().collect();
        Self { edges, initial, goals }
    }

    /// How far every reachable state is.
    fn distances(&self) -> BTreeMap<State<2>, u64> {
        let mut distances: BTreeMap<State<2>, u64> =
            self.initial.iter().map(|state| (*state, 0)).collect();
        let mut queue: VecDeque<State<2>> = self.initial.iter().copied().collect();
        while let Some(state) = queue.pop_front() {
            for next in self.edges.get(&state).into_iter().flatten() {
                if !distances.contains_key(next) {
                    distances.insert(*next, distances[&state] + 1);
                    queue.push_back(*next);
                }
            }
        }
        distances
    }
}

impl System<2> for Random {
    fn initial(&self) -> Vec<State<2>> {
        self.initial.clone()
    }
    fn successors(&self, state: &State<2>, mut visit: impl FnMut(State<2>)) {
        for next in self.edges.get(state).into_iter().flatten() {
            visit(*next);
        }
    }
    fn is_goal(&self, state: &State<2>) -> bool {
        self.goals.contains(state)
    }
}

#[test]
fn random_graphs_agree_with_a_simple_search_whatever_the_number_of_threads() {
    let (mut found, mut exhausted) = (0, 0);
    for seed in 0..300 {
        let graph = Random::new(seed);
        let distances = graph.distances();
        let nearest = graph.goals.iter().filter_map(|goal| distances.get(goal)).min();
        let first = unlimited(&graph, 1);
        match (&first.outcome, nearest) {
            (Outcome::Exhausted, None) => {
                exhausted += 1;
                assert_eq!(first.statistics.states, distances.len() as u64);
                let farthest = distances.values().max().copied().unwrap_or(0);
                assert_eq!(first.statistics.depth, farthest);
            }
            (Outcome::Found(path), Some(nearest)) => {
                found += 1;
                assert_eq!(path.len() as u64, nearest + 1);
                assert!(graph.initial.contains(&path[0]));
                assert!(graph.is_goal(&path[path.len() - 1]));
                let steps = path.windows(2).all(|step| graph.edges[&step[0]].contains(&step[1]));
                assert!(steps, "seed {seed}: {path:?}");
                let level = distances.values().filter(|distance| *distance <= nearest).count();
                assert_eq!(first.statistics.states, level as u64, "whole levels");
            }
            (outcome, nearest) => panic!("seed {seed}: {outcome:?}, nearest goal {nearest:?}"),
        }
        for threads in [2, 3, 300] {
            let other = unlimited(&graph, threads);
            assert_eq!(other.outcome, first.outcome);
            assert_eq!(other.statistics.states, first.statistics.states);
            assert_eq!(other.statistics.transitions, first.statistics.transitions);
        }
    }
    assert!(found > 30 && exhausted > 30, "{found} {exhausted}");
}

#[test]
fn limits_end_the_search_and_say_which() {
    let cube = Hypercube { bits: 20, goal: Some((1 << 20) - 1) };
    let stopped = |limits: &Limits, threads| match run(&cube, threads, limits).outcome {
        Outcome::Stopped(limit) => Some(limit),
        Outcome::Exhausted | Outcome::Found(_) => None,
    };
    for threads in [1, 2] {
        let states = Limits { states: Some(1000), ..Limits::default() };
        assert_eq!(stopped(&states, threads), Some(Limit::States));
        let memory = Limits { memory: Some(1 << 20), ..Limits::default() };
        assert_eq!(stopped(&memory, threads), Some(Limit::Memory));
        let peak = run(&cube, threads, &memory).statistics.peak_bytes;
        assert!(peak <= 2 << 20, "{peak}");
        let time = Limits { time: Some(Duration::ZERO), ..Limits::default() };
        assert_eq!(stopped(&time, threads), Some(Limit::Time));
        assert_eq!(stopped(&Limits::default(), threads), None);
    }
}

#[test]
fn progress_is_told_and_the_search_can_be_cancelled() {
    let cube = Hypercube { bits: 18, goal: None };
    let mut told: Vec<Progress> = Vec::new();
    let cancelled = search(&cube, 2, &Limits::default(), |progress| {
        told.push(*progress);
        if progress.states > 50_000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(cancelled.outcome, Outcome::Stopped(Limit::Cancelled));
    assert!(told.windows(2).all(|pair| pair[0].states <= pair[1].states));
    assert!(told.last().is_some_and(|last| last.states > 50_000 && last.bytes > 0));
}
