//! How fast the search is on systems of many states whose successors cost little: counters, of which
//! a step changes one.
//!
//! ```sh
//! cargo run --release -p fencewright-explore --example speed            # all; takes 2 GB
//! cargo run --release -p fencewright-explore --example speed -- 1       # one kind: 0 to 5
//! ```

#![expect(clippy::print_stdout, reason = "printing figures is what this program is for")]

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use explore::{Limits, Outcome, State, System, Unknown, search};

/// `count` counters of `bits` bits, scattered over the last of `W` words.
struct Counters<const W: usize> {
    count: u32,
    bits: u32,
    goal: Option<State<W>>,
}

impl<const W: usize> System<W> for Counters<W> {
    fn initial(&self, number: usize) -> Option<State<W>> {
        [[0; W]].get(number).copied()
    }
    fn successors(&self, state: &State<W>, mut visit: impl FnMut(State<W>)) -> Result<(), Unknown> {
        let apart = 60 / self.count;
        for counter in 0..self.count {
            let at = counter * apart;
            let mask = ((1 << self.bits) - 1) << at;
            let mut next = *state;
            let word = &mut next[W - 1];
            *word = *word & !mask | (*word & mask).wrapping_add(1 << at) & mask;
            visit(next);
        }
        Ok(())
    }
    fn widths(&self) -> [u32; W] {
        let mut widths = [0; W];
        widths[W - 1] = (self.count - 1) * (60 / self.count) + self.bits;
        widths
    }
    fn is_goal(&self, state: &State<W>) -> bool {
        self.goal == Some(*state)
    }
}

/// Processor time of this process, all threads, if the system tells.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let (_, fields) = text.rsplit_once(')')?;
    let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<u64>);
    let sum: u64 = ticks.collect::<Result<Vec<_>, _>>().ok()?.iter().sum();
    Some(Duration::from_millis(10 * sum))
}

#[expect(clippy::cast_precision_loss, reason = "figures for people")]
fn measure<const W: usize>(count: u32, bits: u32, goal: Option<State<W>>, threads: usize) {
    let mut system = Counters { count, bits, goal };
    let (started, processor) = (Instant::now(), processor_time());
    let found = search(&mut system, threads, &Limits::default(), |_| ControlFlow::Continue(()));
    let wall = started.elapsed().as_secs_f64();
    let used =
        processor_time().zip(processor).map(|(now, then)| now.saturating_sub(then).as_secs_f64());
    let (states, transitions) =
        (found.statistics.states as f64, found.statistics.transitions as f64);
    let kind = match found.outcome {
        Outcome::Exhausted => "all states",
        Outcome::Found(_) => "and a path",
        Outcome::Stopped(_) | Outcome::Outgrown => "not all",
    };
    println!(
        "{W} words, {count} counters, {threads} threads, {kind}: {:.1} million states, {:.3} s \
         ({:.2} s of processors), {:.1} million states/s, {:.1} ns/successor, {:.1} bytes/state",
        states / 1e6,
        wall,
        used.unwrap_or(0.0),
        states / wall / 1e6,
        wall * 1e9 / transitions,
        found.statistics.peak_bytes as f64 / states,
    );
}

fn main() {
    let chosen: Option<u32> = std::env::args().nth(1).and_then(|word| word.parse().ok());
    let wanted = |which: u32| chosen.is_none_or(|chosen| chosen == which);
    for threads in [1, 2] {
        if wanted(0) {
            measure::<1>(4, 2, None, threads);
            measure::<1>(5, 2, None, threads);
        }
        if wanted(1) {
            measure::<1>(4, 5, None, threads);
            measure::<1>(4, 6, None, threads);
        }
        if wanted(2) {
            measure::<1>(20, 1, None, threads);
            measure::<1>(12, 2, None, threads);
        }
        if wanted(3) {
            measure::<2>(4, 6, None, threads);
            measure::<3>(4, 6, None, threads);
        }
        if wanted(4) {
            let top = (1 << 6) - 1;
            measure::<1>(4, 6, Some([top | top << 15 | top << 30 | top << 45]), threads);
        }
        if wanted(5) {
            measure::<1>(9, 3, None, threads);
        }
    }
}
