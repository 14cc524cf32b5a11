//! Limits end a search and say which; what does not reach them is not stopped.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use explore::{
    Limit, Limits, Lookout, Outcome, Progress, Search, State, System, Unknown, Unlearnt,
    memory_in_use, paths, search,
};

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
    fn initial(&self, number: usize) -> Option<State<1>> {
        [[0]].get(number).copied()
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

/// So much time from now on.
fn within(time: Duration) -> Limits {
    Limits { deadline: Some(Instant::now() + time), ..Limits::default() }
}

#[test]
fn a_limit_on_time_is_noticed_within_a_level() {
    for threads in [1, 2] {
        let mut slow = Hypercube { pause: Duration::from_millis(2), ..Hypercube::new(40) };
        let time = within(Duration::from_millis(100));
        let started = Instant::now();
        let stopped = run(&mut slow, threads, &time);
        assert_eq!(stopped.outcome, Outcome::Stopped(Limit::Time));
        assert!(started.elapsed() < Duration::from_secs(5));
    }
}

/// A chain: each level is a single state.
struct Chain;

impl System<1> for Chain {
    fn initial(&self, number: usize) -> Option<State<1>> {
        [[0]].get(number).copied()
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
        let time = within(Duration::from_millis(50));
        assert_eq!(run(&mut Chain, threads, &time).outcome, Outcome::Stopped(Limit::Time));
    }
}

/// More initial states than anybody can look at.
struct Endless;

impl System<1> for Endless {
    fn initial(&self, number: usize) -> Option<State<1>> {
        Some([number as u64])
    }
    fn successors(&self, _: &State<1>, _: impl FnMut(State<1>)) -> Result<(), Unknown> {
        Ok(())
    }
    fn is_goal(&self, _: &State<1>) -> bool {
        false
    }
}

#[test]
fn limits_are_noticed_among_initial_states() {
    let states = Limits { states: Some(100_000), ..Limits::default() };
    let memory = Limits { memory: Some(3 << 20), ..Limits::default() };
    let time = within(Duration::from_millis(50));
    let limits = [(states, Limit::States), (memory, Limit::Memory), (time, Limit::Time)];
    for (limits, limit) in limits {
        assert_eq!(run(&mut Endless, 2, &limits).outcome, Outcome::Stopped(limit));
    }
}

/// A system that never has learnt enough.
struct Slow;

impl System<1> for Slow {
    fn initial(&self, number: usize) -> Option<State<1>> {
        (number == 0).then_some([0])
    }
    fn successors(&self, _: &State<1>, _: impl FnMut(State<1>)) -> Result<(), Unknown> {
        Err(Unknown)
    }
    fn is_goal(&self, _: &State<1>) -> bool {
        false
    }
    fn learn(&mut self, lookout: &mut Lookout) -> Result<(), Unlearnt> {
        loop {
            lookout.step().map_err(Unlearnt::Stopped)?;
        }
    }
}

#[test]
fn limits_are_noticed_while_a_system_learns() {
    let time = within(Duration::from_millis(50));
    assert_eq!(run(&mut Slow, 1, &time).outcome, Outcome::Stopped(Limit::Time));
}

/// Whatever else the process has in use counts as well.
#[test]
fn the_memory_of_the_process_is_a_limit() {
    let Some(used) = memory_in_use() else { return };
    let other = vec![1_u8; 64 << 20];
    let limits = Limits { process: Some(used + (32 << 20)), ..Limits::default() };
    let mut lookout = Lookout::new(&limits);
    assert_eq!(lookout.look(Instant::now()), Err(Limit::Memory));
    assert_eq!(run(&mut Chain, 1, &limits).outcome, Outcome::Stopped(Limit::Memory));
    drop(other);
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
