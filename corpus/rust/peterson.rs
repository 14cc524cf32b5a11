//! Peterson's mutual exclusion for two threads, as it is often written for a machine that is trusted
//! to keep the order of a thread's accesses. Each thread raises its flag, yields the turn, and waits
//! while the other one is interested and has the turn.
//! Wrong on x86, where a raised flag can still sit in the store buffer while its owner already looks
//! at the other flag: both add to the counter, and one addition is lost.

use std::sync::atomic::{
    AtomicBool, AtomicU32, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};
use std::thread;

static WANTS: [AtomicBool; 2] = [AtomicBool::new(false), AtomicBool::new(false)];
static TURN: AtomicUsize = AtomicUsize::new(0);
static COUNTER: AtomicU32 = AtomicU32::new(0); // guarded by the two

fn lock(me: usize) {
    let other = 1 - me;
    WANTS[me].store(true, Relaxed);
    TURN.store(other, Release);
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
