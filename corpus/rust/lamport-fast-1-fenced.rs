//! Lamport's fast mutual exclusion, algorithm 1, for two threads, with a fence after the store to x
//! and one after the store to y. (About the wait that may last for ever see lamport-fast-1.rs.)

use std::sync::atomic::{
    fence, AtomicU32,
    Ordering::{Acquire, Relaxed, Release, SeqCst},
};
use std::thread;

static X: AtomicU32 = AtomicU32::new(0); // who has come last
static Y: AtomicU32 = AtomicU32::new(0); // who has the lock or may get it; 0: nobody
static mut COUNTER: u32 = 0; // guarded by the two

fn lock(me: u32) {
    loop {
        X.store(me, Relaxed);
        fence(SeqCst);
        if Y.load(Acquire) != 0 {
            continue;
        }
        Y.store(me, Relaxed);
        fence(SeqCst);
        if X.load(Acquire) == me {
            return;
        }
        while Y.load(Relaxed) == me {}
    }
}

fn unlock() {
    Y.store(0, Release);
}

fn count(me: u32) {
    lock(me);
    // SAFETY: nobody else has the lock.
    unsafe { COUNTER += 1 };
    unlock();
}

fn main() {
    let first = thread::spawn(|| count(1));
    let second = thread::spawn(|| count(2));
    first.join().unwrap();
    second.join().unwrap();
    // SAFETY: all threads have ended.
    assert!(unsafe { COUNTER } == 2);
}
