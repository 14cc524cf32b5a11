//! An idempotent work-stealing queue in last-in first-out order, by Michael, Vechev and Saraswat; the
//! array never grows. One word, the anchor, packs the tail and a tag that every put increments. The
//! owner stores it, thieves compare-and-swap it.
//! Robust on x86: the owner reads only the anchor, which it has just written if anything, and tasks
//! that it alone writes.

use std::sync::atomic::{
    AtomicU32,
    Ordering::{Acquire, Relaxed, Release, SeqCst},
};
use std::thread;

const TASKS: usize = 2;
const EMPTY: u32 = 0;

// In the upper half the tag, in the lower half the number of tasks.
static ANCHOR: AtomicU32 = AtomicU32::new(0);
static TASK: [AtomicU32; TASKS] = [const { AtomicU32::new(EMPTY) }; TASKS];

fn tail_of(anchor: u32) -> u32 {
    anchor & 0xffff
}

fn pack(tail: u32, tag: u32) -> u32 {
    tag << 16 | tail
}

fn put(task: u32) {
    let anchor = ANCHOR.load(Relaxed);
    let tail = tail_of(anchor);
    TASK[tail as usize].store(task, Relaxed);
    ANCHOR.store(pack(tail + 1, (anchor >> 16) + 1), Release);
}

fn take() -> u32 {
    let anchor = ANCHOR.load(Relaxed);
    let tail = tail_of(anchor);
    if tail == 0 {
        return EMPTY;
    }
    let task = TASK[tail as usize - 1].load(Relaxed);
    assert!(task != EMPTY);
    ANCHOR.store(pack(tail - 1, anchor >> 16), Relaxed);
    task
}

/// `EMPTY` also if somebody else was faster.
fn steal() -> u32 {
    let anchor = ANCHOR.load(Acquire);
    let tail = tail_of(anchor);
    if tail == 0 {
        return EMPTY;
    }
    let task = TASK[tail as usize - 1].load(Relaxed);
    let less = pack(tail - 1, anchor >> 16);
    if ANCHOR.compare_exchange(anchor, less, SeqCst, Relaxed).is_err() {
        return EMPTY;
    }
    assert!(task != EMPTY);
    task
}

fn main() {
    thread::scope(|scope| {
        scope.spawn(|| {
            put(1);
            put(2);
            if take() != EMPTY {
                take();
            }
        });
        scope.spawn(|| {
            steal();
            steal();
        });
    });
}
