//! Graphs whose answers are known: by hand, or by a search that is too simple to be wrong.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::ControlFlow;

use explore::{
    Limits, Origin, Outcome, Search, State, Statistics, System, Unknown, WIDEST, paths, search,
    search_all, search_nearest,
};

fn run<const W: usize>(system: &mut impl System<W>, threads: usize, limits: &Limits) -> Search<W> {
    search(system, threads, limits, |_| ControlFlow::Continue(()))
}

fn unlimited<const W: usize>(system: &mut impl System<W>, threads: usize) -> Search<W> {
    run(system, threads, &Limits::default())
}

/// All sets of `bits` bits; a step puts one in or takes one out.
struct Hypercube {
    bits: u32,
    goal: Option<u64>,
}

impl System<1> for Hypercube {
    fn initial(&self, number: usize) -> Option<State<1>> {
        [[0]].get(number).copied()
    }
    fn successors(
        &self,
        [state]: &State<1>,
        mut visit: impl FnMut(State<1>),
    ) -> Result<(), Unknown> {
        for bit in 0..self.bits {
            visit([state ^ (1 << bit)]);
        }
        Ok(())
    }
    fn widths(&self) -> [u32; 1] {
        [self.bits]
    }
    fn is_goal(&self, [state]: &State<1>) -> bool {
        self.goal == Some(*state)
    }
}

#[test]
fn a_hypercube_is_exhausted_and_crossed() {
    for threads in [1, 2, 3, 8] {
        let all = unlimited(&mut Hypercube { bits: 14, goal: None }, threads);
        assert_eq!(all.outcome, Outcome::Exhausted);
        assert_eq!(all.statistics.states, 1 << 14);
        assert_eq!(all.statistics.transitions, 14 << 14);
        assert_eq!(all.statistics.depth, 14);
        let Outcome::Found(path) =
            unlimited(&mut Hypercube { bits: 14, goal: Some((1 << 14) - 1) }, threads).outcome
        else {
            panic!("the opposite corner can be reached");
        };
        assert_eq!(path.len(), 15);
        // Found first is always what comes from the first states of the level before.
        let expected: Vec<State<1>> = (0..=14).map(|bits| [(1 << bits) - 1]).collect();
        assert_eq!(path, expected);
    }
}

/// A line of states, the farther the less, with edges back to where it came from.
struct Line {
    length: u64,
    back: Vec<u64>,
}

impl Line {
    fn at(&self, place: u64) -> State<3> {
        [7, self.length - place, (1 << 63) - 1]
    }
}

impl System<3> for Line {
    fn initial(&self, number: usize) -> Option<State<3>> {
        [self.at(0), self.at(0)].get(number).copied()
    }
    fn successors(&self, state: &State<3>, mut visit: impl FnMut(State<3>)) -> Result<(), Unknown> {
        let place = self.length - state[1];
        for back in &self.back {
            visit(self.at(place.saturating_sub(*back)));
        }
        if place < self.length {
            visit(self.at(place + 1));
        }
        Ok(())
    }
    fn is_goal(&self, state: &State<3>) -> bool {
        state[1] == 0
    }
}

/// Whoever remembers depths modulo 256 takes a state far down for one that comes before.
#[test]
fn a_long_path_with_edges_back_is_found_whole() {
    for back in [vec![], vec![0], vec![255], vec![254, 255, 256], vec![65_535, 511, 255, 1]] {
        let mut line = Line { length: 70_000, back };
        let Outcome::Found(path) = unlimited(&mut line, 2).outcome else {
            panic!("the end of the line can be reached");
        };
        let expected: Vec<State<3>> = (0..=line.length).map(|place| line.at(place)).collect();
        assert_eq!(path, expected);
    }
}

/// Counters that count up, each by itself: of two orders only the one is needed in which the counter
/// with the greater number comes last.
struct Counters {
    count: u8,
    top: u64,
}

impl System<1> for Counters {
    fn initial(&self, number: usize) -> Option<State<1>> {
        [[0]].get(number).copied()
    }
    fn successors(&self, state: &State<1>, mut visit: impl FnMut(State<1>)) -> Result<(), Unknown> {
        self.successors_from(state, 0, |next, _, _| visit(next))
    }
    fn successors_from(
        &self,
        [state]: &State<1>,
        origin: Origin,
        mut visit: impl FnMut(State<1>, Origin, bool),
    ) -> Result<(), Unknown> {
        for counter in 0..self.count {
            if (state >> (8 * counter)) & 255 < self.top {
                visit([state + (1 << (8 * counter))], counter + 1, counter + 1 >= origin);
            }
        }
        Ok(())
    }
    fn widths(&self) -> [u32; 1] {
        [8 * u32::from(self.count)]
    }
    fn is_goal(&self, _: &State<1>) -> bool {
        false
    }
}

/// What need not be looked up is found nevertheless, and counts as a step.
#[test]
fn one_order_of_independent_steps_is_enough() {
    for (count, top) in [(1_u8, 200_u64), (2, 200), (3, 30), (5, 8)] {
        let states = (top + 1).pow(count.into());
        for threads in [1, 2, 3] {
            let found = unlimited(&mut Counters { count, top }, threads);
            assert_eq!(found.outcome, Outcome::Exhausted);
            let Statistics { states: found, transitions, depth, .. } = found.statistics;
            assert_eq!((found, depth), (states, u64::from(count) * top));
            assert_eq!(transitions, u64::from(count) * (states - states / (top + 1)));
        }
    }
}

/// A graph with edges drawn at random.
struct Random {
    edges: BTreeMap<State<2>, Vec<State<2>>>,
    initial: Vec<State<2>>,
    goals: BTreeSet<State<2>>,
    widths: [u32; 2],
}

impl Random {
    fn new(seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let count = random.usize(1..4000);
        // Few bits in each word, so that states are close to each other; zero is one of them. Some say
        // how few there are.
        let widths = [[WIDEST; 2], [7, 63], [WIDEST, 6], [7, 6]][random.usize(..4)];
        let shift = widths[1] - 6;
        let mut state = || -> State<2> { [random.u64(..90), random.u64(..60) << shift] };
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
        let mut goals: BTreeSet<State<2>> = some(&mut random, 4).into_iter().collect();
        if seed.is_multiple_of(7) {
            goals.extend(&initial);
        }
        Self { edges, initial, goals, widths }
    }

    /// Paths to all goals, the first of them twice, are shortest, or missing where there is none.
    fn check_paths(&self, distances: &BTreeMap<State<2>, u64>) {
        let goals: Vec<State<2>> =
            self.goals.iter().chain(self.goals.iter().take(1)).copied().collect();
        let found = paths(self, &goals, &Limits::default(), |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(found.len(), goals.len());
        for (goal, path) in goals.iter().zip(found) {
            assert_eq!(
                path.as_ref().map(|path| path.len() as u64 - 1),
                distances.get(goal).copied()
            );
            let Some(path) = path else { continue };
            assert!(self.initial.contains(&path[0]) && path.last() == Some(goal));
            assert!(path.windows(2).all(|step| self.edges[&step[0]].contains(&step[1])));
        }
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
    fn initial(&self, number: usize) -> Option<State<2>> {
        self.initial.get(number).copied()
    }
    fn successors(&self, state: &State<2>, mut visit: impl FnMut(State<2>)) -> Result<(), Unknown> {
        for next in self.edges.get(state).into_iter().flatten() {
            visit(*next);
        }
        Ok(())
    }
    fn widths(&self) -> [u32; 2] {
        self.widths
    }
    fn is_goal(&self, state: &State<2>) -> bool {
        self.goals.contains(state)
    }
}

#[test]
fn random_graphs_agree_with_a_simple_search_whatever_the_number_of_threads() {
    let (mut found, mut exhausted) = (0, 0);
    for seed in 0..300 {
        let mut graph = Random::new(seed);
        let distances = graph.distances();
        let nearest = graph.goals.iter().filter_map(|goal| distances.get(goal)).min();
        let first = unlimited(&mut graph, 1);
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
        let mut as_near: BTreeSet<State<2>> = graph.goals.clone();
        as_near.retain(|goal| nearest.is_some() && distances.get(goal) == nearest);
        for most in [1, 2, 100] {
            let limits = Limits::default();
            let several =
                search_nearest(&mut graph, 2, &limits, most, |_| ControlFlow::Continue(()));
            assert_eq!(several.outcome, first.outcome, "seed {seed}");
            let wanted = as_near.len().min(most);
            assert_eq!(several.others.len() + 1, wanted.max(1), "seed {seed}");
            for path in several.others {
                assert!(as_near.contains(&path[path.len() - 1]));
                let steps = path.windows(2).all(|step| graph.edges[&step[0]].contains(&step[1]));
                assert!(steps && graph.initial.contains(&path[0]), "seed {seed}: {path:?}");
            }
        }
        for threads in [2, 3, 8] {
            let other = unlimited(&mut graph, threads);
            assert_eq!(other.outcome, first.outcome);
            assert_eq!(other.statistics.states, first.statistics.states);
            assert_eq!(other.statistics.transitions, first.statistics.transitions);
        }
        let reached: Vec<State<2>> =
            graph.goals.iter().filter(|goal| distances.contains_key(*goal)).copied().collect();
        for threads in [1, 3] {
            let all =
                search_all(&mut graph, threads, &Limits::default(), |_| ControlFlow::Continue(()));
            assert_eq!(all.search.outcome, Outcome::Exhausted);
            assert_eq!(all.search.statistics.states, distances.len() as u64);
            assert_eq!(all.goals, reached);
        }
        graph.check_paths(&distances);
    }
    assert!(found > 30 && exhausted > 30, "{found} {exhausted}");
}

/// Each state has many successors, of which only one is not seen before or leads on.
struct Fan {
    width: u64,
    length: u64,
}

impl System<1> for Fan {
    fn initial(&self, number: usize) -> Option<State<1>> {
        [[0]].get(number).copied()
    }
    fn successors(
        &self,
        [state]: &State<1>,
        mut visit: impl FnMut(State<1>),
    ) -> Result<(), Unknown> {
        if state.is_multiple_of(self.width) {
            (0..=self.width).for_each(|further| visit([state + further]));
        }
        Ok(())
    }
    fn is_goal(&self, [state]: &State<1>) -> bool {
        *state == self.width * self.length
    }
}

/// The places of successors are logged in bytes.
#[test]
fn a_state_can_have_any_number_of_successors() {
    for width in [1, 2, 253, 254, 255, 256, 508, 509, 70_000] {
        let Outcome::Found(path) = unlimited(&mut Fan { width, length: 9 }, 2).outcome else {
            panic!("the end can be reached");
        };
        assert_eq!(path, (0..=9).map(|place| [place * width]).collect::<Vec<_>>());
    }
}
