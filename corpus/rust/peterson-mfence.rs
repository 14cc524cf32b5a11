//! Peterson's mutual exclusion for two threads (see peterson.rs), with the fence that x86 needs as
//! inline assembly.

use std::arch::asm;
use std::sync::atomic::{
    AtomicBool, AtomicU32, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};
use std::thread;

static WANTS: [AtomicBool; 2] = [AtomicBool::new(false), AtomicBool::new(false)];
static TURN: AtomicUsize = AtomicUsize::new(0);
static COUNTER: AtomicU32 = AtomicU32::new(0); // guarded by the two

fn store_load_barrier() {
    // SAFETY: a fence touches neither registers nor the stack.
    unsafe { asm!("mfence", options(nostack, preserves_flags)) };
}

fn lock(me: usize) {
    let other = 1 - me;
    WANTS[me].store(true, Relaxed);
    TURN.store(other, Release);
    store_load_barrier();
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
