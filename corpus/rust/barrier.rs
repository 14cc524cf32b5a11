//! Two threads work in steps with a barrier between them: each makes one half, and then reads the
//! other's. Without the barrier this would be store buffering.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::Barrier;
use std::thread;

static HALVES: [AtomicU32; 2] = [AtomicU32::new(0), AtomicU32::new(0)];

fn work(me: usize, barrier: &Barrier) {
    HALVES[me].store(me as u32 + 1, Relaxed);
    barrier.wait();
    assert!(HALVES[1 - me].load(Relaxed) == 2 - me as u32);
}

fn main() {
    let barrier = Barrier::new(2);
    thread::scope(|scope| {
        scope.spawn(|| work(0, &barrier));
        scope.spawn(|| work(1, &barrier));
    });
}
