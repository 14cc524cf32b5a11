//! Double-checked initialisation: the flag is looked at without the lock first.
#![crate_type = "lib"]

use std::sync::atomic::{AtomicU32, Ordering};

static LOCK: AtomicU32 = AtomicU32::new(0);
static DONE: AtomicU32 = AtomicU32::new(0);
static SIZE: AtomicU32 = AtomicU32::new(0);

fn get() -> u32 {
    if DONE.load(Ordering::Relaxed) == 0 {
        while LOCK.compare_exchange_weak(0, 1, Ordering::Acquire, Ordering::Relaxed).is_err() {}
        if DONE.load(Ordering::Relaxed) == 0 {
            SIZE.store(8, Ordering::Relaxed);
            DONE.store(1, Ordering::Relaxed);
        }
        LOCK.store(0, Ordering::Release);
    }
    SIZE.load(Ordering::Relaxed)
}

#[unsafe(no_mangle)]
pub fn one() -> u32 {
    get()
}

#[unsafe(no_mangle)]
pub fn other() -> u32 {
    get()
}
