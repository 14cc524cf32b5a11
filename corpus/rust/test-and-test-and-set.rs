//! The test-and-test-and-set lock: look until the lock seems free, then try to take it. On x86
//! whoever has just released the lock can look at it before the others see it released, but sees
//! what it has written itself.

use std::sync::atomic::{
    AtomicBool, AtomicU32,
    Ordering::{Acquire, Relaxed, Release},
};
use std::thread;

static TAKEN: AtomicBool = AtomicBool::new(false);
static COUNTER: AtomicU32 = AtomicU32::new(0); // guarded by the lock

fn acquire() {
    loop {
        while TAKEN.load(Relaxed) {}
        if !TAKEN.swap(true, Acquire) {
            return;
        }
    }
}

fn count_twice() {
    for _ in 0..2 {
        acquire();
        COUNTER.store(COUNTER.load(Relaxed) + 1, Relaxed);
        TAKEN.store(false, Release);
    }
}

fn main() {
    thread::scope(|scope| {
        scope.spawn(count_twice);
        scope.spawn(count_twice);
    });
    assert!(COUNTER.load(Relaxed) == 4);
}
