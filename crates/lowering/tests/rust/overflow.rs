// sees: COUNT
// sc: -1
// tso: -1
// fails: always

//! Two threads count one step each. If one begins when the other is done, the sum is too large.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::thread;

static COUNT: AtomicU8 = AtomicU8::new(254);

fn step() {
    COUNT.store(COUNT.load(Relaxed) + 1, Relaxed);
}

fn main() {
    let other = thread::spawn(step);
    step();
    other.join().unwrap();
}
