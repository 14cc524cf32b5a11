//! Loops of local steps are passed in few stored states and in linear time, and end at limits.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use automata::{Answer, Effect, Mark, Mode, Options, PerCell, Statistics, Step, Threads, search};
use explore::{Limit, Limits};

/// One thread counts by itself, by one or by one of two, up to some number or around for ever; then it
/// writes, as the other one does at once.
struct Counting {
    top: u64,
    around: bool,
    by: u64,
    asked: AtomicU64,
}

impl Counting {
    fn new(top: u64, around: bool, by: u64) -> Self {
        Self { top, around, by, asked: AtomicU64::new(0) }
    }
}

impl Threads for Counting {
    type Local = u64;
    type Cell = u32;
    type Content = u64;
    type Name = u64;

    fn classes(&self) -> Vec<usize> {
        vec![0, 1]
    }
    fn initial(&self, _: usize) -> u64 {
        0
    }
    fn initial_content(&self, _: u32) -> u64 {
        0
    }
    fn steps(&self, class: usize, local: &u64) -> Vec<Step<u32, u64>> {
        let step = |name, cells| Step { name, cells, may_block: false, closes_loop: true };
        let write = || vec![step(0, PerCell::from_iter([(0, Mode::Overwrite)]))];
        match (class, *local) {
            (0, local) if local < self.top => {
                (1..=self.by).map(|name| step(name, PerCell::new())).collect()
            }
            (0, local) if local == self.top => write(),
            (1, 0) => write(),
            _ => Vec::new(),
        }
    }
    fn effect(
        &self,
        class: usize,
        local: &u64,
        step: &Step<u32, u64>,
        _: &[&u64],
    ) -> Effect<u64, u64> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        match step.name {
            0 => Effect::Done(self.top + 1, PerCell::from_iter([1 + class as u64])),
            more if self.around => Effect::Done((local + more) % self.top, PerCell::new()),
            more => Effect::Done((local + more).min(self.top), PerCell::new()),
        }
    }
    fn mark(&self, _: usize, _: &u64) -> Mark {
        Mark::default()
    }
    fn may_touch(&self, _: usize, _: &u64, touch: &mut dyn FnMut(u32, Mode)) -> bool {
        touch(0, Mode::Overwrite);
        true
    }
}

fn run(threads: &Counting, options: &Options) -> (Answer<u64, u64>, Statistics) {
    search(threads, options, |_| ControlFlow::Continue(()))
}

fn check(threads: &Counting, most_states: u64, most_asked_each: u64) {
    let one = Options::default();
    let (answer, did) = run(threads, &one);
    assert!(matches!(answer, Answer::Exhausted(_)), "{answer:?}");
    assert!(did.states <= most_states, "{did:?}");
    let asked = threads.asked.load(Ordering::Relaxed);
    assert!(asked <= most_asked_each * threads.top, "{asked} for {}", threads.top);
    let (again, did_again) = run(threads, &Options { threads: 2, ..one });
    assert!(matches!(again, Answer::Exhausted(_)), "{again:?}");
    assert_eq!(did_again.states, did.states);
}

#[test]
fn a_loop_that_only_takes_time_takes_few_states() {
    check(&Counting::new(100, false, 1), 10, 20);
    check(&Counting::new(1_000_000, false, 1), 100, 20);
}

#[test]
fn a_loop_without_end_is_found_out() {
    check(&Counting::new(100, true, 1), 10, 40);
    check(&Counting::new(100_000, true, 1), 100, 200);
}

#[test]
fn each_of_many_ways_is_gone_a_few_times() {
    check(&Counting::new(20_000, false, 2), 60_000, 100);
}

#[test]
fn limits_are_noticed_in_local_steps() {
    for (around, by) in [(false, 1), (false, 2)] {
        let endless = Counting::new(u64::MAX / 4, around, by);
        let begun = Instant::now();
        let deadline = Some(begun + Duration::from_millis(100));
        let limits = Limits { deadline, ..Limits::default() };
        let (answer, _) = run(&endless, &Options { limits, ..Options::default() });
        assert!(matches!(answer, Answer::Stopped(Limit::Time)), "{answer:?}");
        assert!(begun.elapsed() < Duration::from_secs(10));
    }
}
