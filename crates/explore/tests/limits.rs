//! Limits end a search and say which; what does not reach them is not stopped.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use explore::{Limit, Limits, Outcome, Progress, Search, State, System, Unknown, paths, search};

/// All sets of `bits` bits; a step puts one in. Each state takes a while.
struct Hypercube {
    bits: u32,
    goal: Option<u64>,
    pause: Duration,
}

impl Hypercube {
    fn new(bits: u32) -> Self {
        Self { bits, goal: None, pause: Duration::ZERO }
    }
}

impl System<1> for Hypercube {
    fn initial(&self) -> Vec<State<1>> {
        vec![[0]]
    }
    fn successors(
        &self,
        [state]: &State<1>,
        mut visit: impl FnMut(State<1>),
    ) -> Result<(), Unknown> {
        if !self.pause.is_zero() {
            std::thread::sleep(self.pause);
        }
        for bit in 0..self.bits {
            visit([state | (1 << bit)]);
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

fn run(system: &mut impl System<1>, threads: usize, limits: &Limits) -> Search<1> {
    search(system, threads, limits, |_| ControlFlow::Continue(()))
}

#[test]
fn a_limit_on_states_is_exact() {
    for threads in [1, 2, 3, 8] {
        for bits in [3, 12, 17] {
            let mut cube = Hypercube::new(bits);
            let exactly = Limits { states: Some(1 << bits), ..Limits::default() };
            assert_eq!(run(&mut cube, threads, &exactly).outcome, Outcome::Exhausted);
            let one_less = Limits { states: Some((1 << bits) - 1), ..Limits::default() };
            let stopped = run(&mut cube, threads, &one_less);
            assert_eq!(stopped.outcome, Outcome::Stopped(Limit::States));
            assert_eq!(stopped.statistics.states, (1 << bits) - 1);
        }
    }
    let nothing = Limits { states: Some(0), ..Limits::default() };
    let stopped = run(&mut Hypercube::new(3), 1, &nothing);
    assert_eq!(stopped.outcome, Outcome::Stopped(Limit::States));
}

#[test]
fn a_limit_on_memory_is_kept_and_made_use_of() {
    for threads in [1, 8] {
        for megabytes in [0, 1, 4, 8] {
            let memory = Limits { memory: Some(megabytes << 20), ..Limits::default() };
            let stopped = run(&mut Hypercube::new(21), threads, &memory);
            assert_eq!(stopped.outcome, Outcome::Stopped(Limit::Memory));
            let peak = stopped.statistics.peak_bytes;
            assert!(peak <= megabytes << 20, "{peak} bytes of {megabytes} MiB");
            assert!(peak >= megabytes << 18, "only {peak} bytes of {megabytes} MiB");
        }
        let enough = Limits { memory: Some(24 << 20), ..Limits::default() };
        assert_eq!(run(&mut Hypercube::new(21), threads, &enough).outcome, Outcome::Exhausted);
    }
}

/// Where the log of the second search finds no memory, paths are found piece by piece.
#[test]
fn a_path_needs_little_memory() {
    let top = (1 << 18) - 1;
    let mut cube = Hypercube { goal: Some(top), ..Hypercube::new(18) };
    let Outcome::Found(expected) = run(&mut cube, 1, &Limits::default()).outcome else {
        panic!("the opposite corner can be reached");
    };
    assert_eq!(expected.len(), 19);
    let mut found = 0;
    for kilobytes in (3000..9000).step_by(500) {
        let limits = Limits { memory: Some(kilobytes << 10), ..Limits::default() };
        let path = paths(&cube, &[[top]], &limits, |_| ControlFlow::Continue(()));
        match path {
            Ok(paths) => {
                found += 1;
                assert_eq!(paths, [Some(expected.clone())], "{kilobytes} KiB");
            }
            Err(limit) => assert_eq!(limit, Limit::Memory),
        }
    }
    assert!(found > 3, "{found}");
}

#[test]
fn a_limit_on_time_is_noticed_within_a_level() {
    for threads in [1, 2] {
        let mut slow = Hypercube { pause: Duration::from_millis(2), ..Hypercube::new(40) };
        let time = Limits { time: Some(Duration::from_millis(100)), ..Limits::default() };
        let started = Instant::now();
        let stopped = run(&mut slow, threads, &time);
        assert_eq!(stopped.outcome, Outcome::Stopped(Limit::Time));
        assert!(started.elapsed() < Duration::from_secs(5));
    }
}

/// A chain: each level is a single state.
struct Chain;

impl System<1> for Chain {
    fn initial(&self) -> Vec<State<1>> {
        vec![[0]]
    }
    fn successors(
        &self,
        [state]: &State<1>,
        mut visit: impl FnMut(State<1>),
    ) -> Result<(), Unknown> {
        visit([state + 1]);
        Ok(())
    }
    fn is_goal(&self, _: &State<1>) -> bool {
        false
    }
}

#[test]
fn a_limit_on_time_is_noticed_however_small_the_levels_are() {
    for threads in [1, 2] {
        let time = Limits { time: Some(Duration::from_millis(50)), ..Limits::default() };
        assert_eq!(run(&mut Chain, threads, &time).outcome, Outcome::Stopped(Limit::Time));
    }
}

#[test]
fn progress_is_told_and_the_search_can_be_cancelled() {
    for threads in [1, 2] {
        let mut cube = Hypercube { pause: Duration::from_micros(100), ..Hypercube::new(30) };
        let mut told: Vec<Progress> = Vec::new();
        let cancelled = search(&mut cube, threads, &Limits::default(), |progress| {
            told.push(*progress);
            if told.len() == 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(cancelled.outcome, Outcome::Stopped(Limit::Cancelled));
        assert_eq!(told.len(), 4);
        let grows = |pair: &[Progress]| {
            pair[0].states <= pair[1].states
                && pair[0].depth <= pair[1].depth
                && pair[0].elapsed < pair[1].elapsed
        };
        assert!(told.windows(2).all(grows), "{told:?}");
        let last = told[3];
        assert!(last.bytes > 0 && last.depth > 0 && last.frontier > 0 && !last.tracing);
        assert!(last.states > 30 && u128::from(last.states) < last.elapsed.as_micros(), "{last:?}");
    }
}
