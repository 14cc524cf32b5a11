//! An idempotent work-stealing queue in first-in first-out order (see iwsq-fifo.rs), where a put ends
//! with a sequentially consistent store, which makes it robust.

use std::sync::atomic::{
    AtomicU32, AtomicUsize,
    Ordering::{Acquire, Relaxed, SeqCst},
};
use std::thread;

const TASKS: usize = 2;
const EMPTY: u32 = 0;

static HEAD: AtomicUsize = AtomicUsize::new(0);
static TAIL: AtomicUsize = AtomicUsize::new(0);
static TASK: [AtomicU32; TASKS] = [const { AtomicU32::new(EMPTY) }; TASKS];

fn put(task: u32) {
    let head = HEAD.load(Relaxed);
    let tail = TAIL.load(Relaxed);
    assert!(tail - head < TASKS); // otherwise the array would have to grow
    TASK[tail].store(task, Relaxed);
    TAIL.store(tail + 1, SeqCst);
}

fn take() -> u32 {
    let head = HEAD.load(Relaxed);
    let tail = TAIL.load(Relaxed);
    if head == tail {
        return EMPTY;
    }
    let task = TASK[head].load(Relaxed);
    assert!(task != EMPTY);
    HEAD.store(head + 1, Relaxed);
    task
}

/// `EMPTY` also if somebody else was faster.
fn steal() -> u32 {
    let head = HEAD.load(Acquire);
    let tail = TAIL.load(Acquire);
    if head == tail {
        return EMPTY;
    }
    let task = TASK[head].load(Relaxed);
    if HEAD.compare_exchange(head, head + 1, SeqCst, Relaxed).is_err() {
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
