// sees: INSIDE
// sc: 0
// tso: 0
// fails: tso

//! A thread enters if the other has not said that it wants to; nobody waits.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::{AcqRel, Acquire, Relaxed, Release}};
use std::thread;

static WANTS: [AtomicBool; 2] = [AtomicBool::new(false), AtomicBool::new(false)];
static INSIDE: AtomicU32 = AtomicU32::new(0);

fn enter(me: usize) {
    WANTS[me].store(true, Release);
    if !WANTS[1 - me].load(Acquire) {
        assert_eq!(INSIDE.fetch_add(1, AcqRel), 0, "two are inside");
        INSIDE.fetch_sub(1, Relaxed);
    }
}

fn main() {
    let other = thread::spawn(|| enter(1));
    enter(0);
    other.join().unwrap();
}
