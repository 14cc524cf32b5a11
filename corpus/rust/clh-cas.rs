//! The queue lock of Craig, Landin and Hagersten (see clh.rs) for machines without an exchange: a
//! thread reads the tail of the queue and replaces it by compare-and-swap. Correct on x86, but not
//! robust: a thread that has released the lock and comes again can read the tail before the others
//! see the lock released.

use std::sync::atomic::{
    AtomicBool, AtomicU32, AtomicUsize,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};
use std::thread;

static LOCKED: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];
static TAIL: AtomicUsize = AtomicUsize::new(2); // in the queue at first, unlocked
static COUNTER: AtomicU32 = AtomicU32::new(0); // guarded by the lock

fn append(mine: usize) -> usize {
    loop {
        let last = TAIL.load(Relaxed);
        if TAIL.compare_exchange(last, mine, AcqRel, Relaxed).is_ok() {
            return last;
        }
    }
}

/// The node before, with which the thread goes on after the release.
fn acquire(mine: usize) -> usize {
    LOCKED[mine].store(true, Relaxed);
    let before = append(mine);
    while LOCKED[before].load(Acquire) {}
    before
}

fn count_twice(node: usize) {
    let mut mine = node;
    for _ in 0..2 {
        let before = acquire(mine);
        COUNTER.store(COUNTER.load(Relaxed) + 1, Relaxed);
        LOCKED[mine].store(false, Release);
        mine = before;
    }
}

fn main() {
    thread::scope(|scope| {
        scope.spawn(|| count_twice(0));
        scope.spawn(|| count_twice(1));
    });
    assert!(COUNTER.load(Relaxed) == 4);
}
