//! The queue lock of Craig, Landin and Hagersten. A thread marks its node as locked, appends it to
//! the queue by an exchange, and waits until the node before it is unlocked. When it has released
//! the lock, it goes on with that node, which nobody else needs any more. The exchange empties the
//! store buffer, so no fence is needed. A node is its number here.

use std::sync::atomic::{
    AtomicBool, AtomicU32, AtomicUsize,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};
use std::thread;

static LOCKED: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];
static TAIL: AtomicUsize = AtomicUsize::new(2); // in the queue at first, unlocked
static COUNTER: AtomicU32 = AtomicU32::new(0); // guarded by the lock

/// The node before, with which the thread goes on after the release.
fn acquire(mine: usize) -> usize {
    LOCKED[mine].store(true, Relaxed);
    let before = TAIL.swap(mine, AcqRel);
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
