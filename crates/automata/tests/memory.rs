//! States take as little memory as their few bits allow.

use std::ops::ControlFlow;

use automata::{Answer, Effect, Mark, Mode, Options, PerCell, Reductions, Step, Threads, search};

/// Threads that count by themselves.
struct Counting;

const TOP: u32 = 59;
const THREADS: usize = 3;

impl Threads for Counting {
    type Local = u32;
    type Cell = u32;
    type Content = u32;
    type Name = ();

    fn classes(&self) -> Vec<usize> {
        vec![0; THREADS]
    }
    fn initial(&self, _: usize) -> u32 {
        0
    }
    fn initial_content(&self, _: u32) -> u32 {
        0
    }
    fn steps(&self, _: usize, local: &u32) -> Vec<Step<u32, ()>> {
        let step = Step { name: (), cells: PerCell::new(), may_block: false, closes_loop: false };
        if *local < TOP { vec![step] } else { Vec::new() }
    }
    fn effect(&self, _: usize, local: &u32, _: &Step<u32, ()>, _: &[&u32]) -> Effect<u32, u32> {
        Effect::Done(local + 1, PerCell::new())
    }
    fn mark(&self, _: usize, _: &u32) -> Mark {
        Mark::default()
    }
    fn may_touch(&self, _: usize, _: &u32, _: &mut dyn FnMut(u32, Mode)) -> bool {
        true
    }
}

#[test]
fn the_engine_is_told_how_few_bits_a_state_has() {
    let options = Options { reductions: Reductions::NONE, ..Options::default() };
    let (answer, did) = search(&Counting, &options, |_| ControlFlow::Continue(()));
    assert!(matches!(answer, Answer::Exhausted(_)), "{answer:?}");
    assert_eq!((did.states, did.bits), (u64::from(TOP + 1).pow(3), 18));
    // A word for each state would take more, at the load that the set has with so many.
    let bytes = did.peak_bytes as u64 / did.states;
    assert!(bytes < 14, "{bytes} bytes for each state");
}
