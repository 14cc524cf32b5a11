//! The work-stealing deque of Chase and Lev (see chase-lev.rs) where the bottom is written by
//! sequentially consistent stores only. Of the three, x86 needs the one in `take` that lowers it; the
//! others could be release stores.

use std::sync::atomic::{
    AtomicIsize, AtomicU32,
    Ordering::{Acquire, Relaxed, SeqCst},
};
use std::thread;

const TASKS: usize = 2;

static TOP: AtomicIsize = AtomicIsize::new(0);
static BOTTOM: AtomicIsize = AtomicIsize::new(0);
static TASK: [AtomicU32; TASKS] = [const { AtomicU32::new(0) }; TASKS];

// Sets of tasks: bit k is task k, bit 0 that there was none.
static TAKEN: AtomicU32 = AtomicU32::new(0);
static STOLEN: AtomicU32 = AtomicU32::new(0);

fn push(task: u32) {
    let bottom = BOTTOM.load(Relaxed);
    TASK[bottom as usize].store(task, Relaxed);
    BOTTOM.store(bottom + 1, SeqCst);
}

/// 0 if there is no task.
fn take() -> u32 {
    let bottom = BOTTOM.load(Relaxed) - 1;
    BOTTOM.store(bottom, SeqCst);
    let top = TOP.load(Relaxed);
    if top < bottom {
        return TASK[bottom as usize].load(Relaxed);
    }
    let mut task = 0;
    // The last task: race for it with the thieves.
    if top == bottom && TOP.compare_exchange(top, top + 1, SeqCst, Relaxed).is_ok() {
        task = TASK[bottom as usize].load(Relaxed);
    }
    BOTTOM.store(bottom + 1, SeqCst);
    task
}

/// 0 if there is no task, or if somebody else was faster.
fn steal() -> u32 {
    let top = TOP.load(Acquire);
    let bottom = BOTTOM.load(Acquire);
    if top >= bottom {
        return 0;
    }
    let task = TASK[top as usize].load(Relaxed);
    if TOP.compare_exchange(top, top + 1, SeqCst, Relaxed).is_ok() {
        task
    } else {
        0
    }
}

fn main() {
    thread::scope(|scope| {
        scope.spawn(|| {
            push(1);
            push(2);
            let (first, second) = (take(), take());
            TAKEN.store(1 << first | 1 << second, Relaxed);
        });
        scope.spawn(|| {
            let (first, second) = (steal(), steal());
            STOLEN.store(1 << first | 1 << second, Relaxed);
        });
    });
    assert!(TAKEN.load(Relaxed) & STOLEN.load(Relaxed) & !1 == 0);
}
