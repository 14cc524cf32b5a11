//! How fast the search is on a system of many states with few successors each: four counters, of
//! which a step changes one.
//!
//! ```sh
//! cargo run --release -p fencewright-explore --example speed
//! ```

#![expect(clippy::print_stdout, reason = "printing figures is what this program is for")]

use std::ops::ControlFlow;
use std::time::Instant;

use explore::{Limits, State, System, search};

/// Four counters of `bits` bits, scattered over a word.
struct Counters {
    bits: u32,
}

impl System<1> for Counters {
    fn initial(&self) -> Vec<State<1>> {
        vec![[0]]
    }
    fn successors(&self, [state]: &State<1>, mut visit: impl FnMut(State<1>)) {
        for counter in 0..4 {
            let at = counter * 13;
            let mask = ((1 << self.bits) - 1) << at;
            let next = (state & mask).wrapping_add(1 << at) & mask;
            visit([state & !mask | next]);
        }
    }
    fn is_goal(&self, _: &State<1>) -> bool {
        false
    }
}

fn main() {
    for threads in [1, 2] {
        let started = Instant::now();
        let found = search(&Counters { bits: 6 }, threads, &Limits::default(), |_| {
            ControlFlow::Continue(())
        });
        let (states, seconds) = (found.statistics.states, started.elapsed().as_secs_f64());
        #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
        let (rate, bytes) =
            (states as f64 / seconds / 1e6, found.statistics.peak_bytes as f64 / states as f64);
        println!(
            "{threads} threads: {states} states, {seconds:.2} s, {rate:.1} million states/s, \
             {bytes:.1} bytes/state"
        );
    }
}
