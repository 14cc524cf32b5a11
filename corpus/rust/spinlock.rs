//! A counter guarded by the spinlock that Linux once had on x86: 1 is free. A thread decrements the
//! lock and has it if the result is not negative; otherwise it looks until the lock is positive, and
//! tries again. Releasing it is a plain store. No fence is needed: a thread decrements, which empties
//! its store buffer, before it looks.

use std::hint;
use std::sync::atomic::{
    AtomicI32, AtomicU32,
    Ordering::{Acquire, Relaxed, Release},
};
use std::thread;

static LOCK: AtomicI32 = AtomicI32::new(1);
static COUNTER: AtomicU32 = AtomicU32::new(0); // guarded by the lock

fn spin_lock() {
    while LOCK.fetch_sub(1, Acquire) <= 0 {
        while LOCK.load(Relaxed) <= 0 {
            hint::spin_loop();
        }
    }
}

fn spin_unlock() {
    LOCK.store(1, Release);
}

fn count() {
    spin_lock();
    COUNTER.store(COUNTER.load(Relaxed) + 1, Relaxed);
    spin_unlock();
}

fn main() {
    let first = thread::spawn(count);
    let second = thread::spawn(count);
    first.join().unwrap();
    second.join().unwrap();
    assert!(COUNTER.load(Relaxed) == 2);
}
