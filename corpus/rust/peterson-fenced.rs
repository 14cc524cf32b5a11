//! Peterson's mutual exclusion for two threads (see peterson.rs), with the one fence that x86 needs:
//! whoever looks at the other flag has shown its own.

use std::sync::atomic::{
    fence, AtomicBool, AtomicU32, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release, SeqCst},
};
use std::thread;

static WANTS: [AtomicBool; 2] = [AtomicBool::new(false), AtomicBool::new(false)];
static TURN: AtomicUsize = AtomicUsize::new(0);
static COUNTER: AtomicU32 = AtomicU32::new(0); // guarded by the two

fn lock(me: usize) {
    let other = 1 - me;
    WANTS[me].store(true, Relaxed);
    TURN.store(other, Relaxed);
    fence(SeqCst);
    while WANTS[other].load(Acquire) && TURN.load(Acquire) == other {}
}

fn unlock(me: usize) {
    WANTS[me].store(false, Release);
}

fn count(me: usize) {
    lock(me);
    COUNTER.store(COUNTER.load(Relaxed) + 1, Relaxed);
    unlock(me);
}

fn main() {
    thread::scope(|scope| {
        scope.spawn(|| count(0));
        scope.spawn(|| count(1));
    });
    assert!(COUNTER.load(Relaxed) == 2);
}
