//! Lamport's fast mutual exclusion, algorithm 2, for two threads (see lamport-fast-2.rs), with a fence
//! after the store to x and one after the store to y. That makes it correct, and for two threads
//! robust, but not persistent: the loads after `BUSY[me].store(false)` still overtake it.

use std::sync::atomic::{
    fence, AtomicBool, AtomicU32, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release, SeqCst},
};
use std::thread;

const THREADS: usize = 2;

static X: AtomicUsize = AtomicUsize::new(0); // who has come last
static Y: AtomicUsize = AtomicUsize::new(0); // who has the lock or may get it; 0: nobody
static BUSY: [AtomicBool; THREADS + 1] = [const { AtomicBool::new(false) }; THREADS + 1]; // from 1
static COUNTER: AtomicU32 = AtomicU32::new(0); // guarded by all of them

fn wait_until_free() {
    while Y.load(Acquire) != 0 {}
}

/// True with the lock, false if somebody else has had it.
fn try_lock(me: usize) -> bool {
    BUSY[me].store(true, Relaxed);
    X.store(me, Relaxed);
    fence(SeqCst);
    if Y.load(Acquire) != 0 {
        BUSY[me].store(false, Relaxed);
        wait_until_free();
        return false;
    }
    Y.store(me, Relaxed);
    fence(SeqCst);
    if X.load(Acquire) == me {
        return true;
    }
    BUSY[me].store(false, Relaxed);
    for other in 1..=THREADS {
        while BUSY[other].load(Acquire) {}
    }
    if Y.load(Acquire) == me {
        return true;
    }
    wait_until_free();
    false
}

fn count(me: usize) {
    while !try_lock(me) {}
    COUNTER.store(COUNTER.load(Relaxed) + 1, Relaxed);
    Y.store(0, Release);
    BUSY[me].store(false, Release);
}

fn main() {
    thread::scope(|scope| {
        scope.spawn(|| count(1));
        scope.spawn(|| count(2));
    });
    assert!(COUNTER.load(Relaxed) == 2);
}
