//! A work-stealing deque after Chase and Lev, relaxed but for the one fence that x86 needs.
#![crate_type = "lib"]

use std::sync::atomic::{AtomicI64, AtomicU32, Ordering, fence};

static TASKS: [AtomicU32; 2] = [AtomicU32::new(0), AtomicU32::new(0)];
static TOP: AtomicI64 = AtomicI64::new(0);
static BOTTOM: AtomicI64 = AtomicI64::new(0);

#[unsafe(no_mangle)]
pub fn owner() -> u32 {
    let at = BOTTOM.load(Ordering::Relaxed);
    TASKS[(at & 1) as usize].store(1, Ordering::Relaxed);
    BOTTOM.store(at + 1, Ordering::Relaxed);
    BOTTOM.store(at, Ordering::Relaxed);
    fence(Ordering::SeqCst);
    let first = TOP.load(Ordering::Relaxed);
    if first > at {
        BOTTOM.store(at + 1, Ordering::Relaxed);
        return 0;
    }
    let task = TASKS[(at & 1) as usize].load(Ordering::Relaxed);
    if first == at {
        let taken = TOP.compare_exchange(first, first + 1, Ordering::Relaxed, Ordering::Relaxed);
        BOTTOM.store(at + 1, Ordering::Relaxed);
        if taken.is_err() {
            return 0;
        }
    }
    task
}

#[unsafe(no_mangle)]
pub fn thief() -> u32 {
    let first = TOP.load(Ordering::Relaxed);
    let at = BOTTOM.load(Ordering::Relaxed);
    if first >= at {
        return 0;
    }
    let task = TASKS[(first & 1) as usize].load(Ordering::Relaxed);
    match TOP.compare_exchange(first, first + 1, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => task,
        Err(_) => 0,
    }
}
