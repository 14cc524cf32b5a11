//! Peterson's mutual exclusion for two threads (see peterson.rs), sequentially consistent throughout,
//! for those who do not want to think about orders. Every store is then a locked exchange on x86, but
//! only the one to `TURN` has to be: the first is followed by it, the last by no load.

use std::sync::atomic::{
    AtomicBool, AtomicU32, AtomicUsize,
    Ordering::{Relaxed, SeqCst},
};
use std::thread;

static WANTS: [AtomicBool; 2] = [AtomicBool::new(false), AtomicBool::new(false)];
static TURN: AtomicUsize = AtomicUsize::new(0);
static COUNTER: AtomicU32 = AtomicU32::new(0); // guarded by the two

fn lock(me: usize) {
    let other = 1 - me;
    WANTS[me].store(true, SeqCst);
    TURN.store(other, SeqCst);
    while WANTS[other].load(SeqCst) && TURN.load(SeqCst) == other {}
}

fn unlock(me: usize) {
    WANTS[me].store(false, SeqCst);
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
