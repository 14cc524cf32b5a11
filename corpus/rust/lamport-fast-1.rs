//! Lamport's fast mutual exclusion, algorithm 1, for two threads, without fences.
//! Two stores and two loads if nobody else is interested. If somebody is, Lamport's thread waits so
//! long that whoever has found y == 0 has written y, and enters if y is still its own. Here nothing
//! takes a definite time, so the thread waits until y is not its own; it may wait for ever.
//! Wrong on x86: a thread can find y == 0 while its x, and x == me while its y, is in the store
//! buffer.

use std::sync::atomic::{
    AtomicU32,
    Ordering::{Acquire, Relaxed, Release},
};
use std::thread;

static X: AtomicU32 = AtomicU32::new(0); // who has come last
static Y: AtomicU32 = AtomicU32::new(0); // who has the lock or may get it; 0: nobody
static mut COUNTER: u32 = 0; // guarded by the two

fn lock(me: u32) {
    loop {
        X.store(me, Relaxed);
        if Y.load(Acquire) != 0 {
            continue;
        }
        Y.store(me, Relaxed);
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
    // SAFETY: nobody else has the lock, or so one would think.
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
