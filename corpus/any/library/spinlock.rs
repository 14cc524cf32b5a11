// A lock for any number of threads: `use_lock` needs no fence. In `use_and_wake` whoever releases the lock
// looks whether somebody sleeps; that load can overtake the releasing store.
#![crate_type = "lib"]

use std::sync::atomic::{AtomicI32, Ordering};

static LOCKED: AtomicI32 = AtomicI32::new(0);
static SLEEPING: AtomicI32 = AtomicI32::new(0);

#[unsafe(no_mangle)]
pub fn use_lock() {
    while LOCKED.swap(1, Ordering::Acquire) == 1 {}
    LOCKED.store(0, Ordering::Release);
}

#[unsafe(no_mangle)]
pub fn use_and_wake() {
    while LOCKED.swap(1, Ordering::Acquire) == 1 {
        SLEEPING.store(1, Ordering::Relaxed);
    }
    LOCKED.store(0, Ordering::Release);
    if SLEEPING.load(Ordering::Relaxed) == 1 {
        SLEEPING.store(0, Ordering::Relaxed);
    }
}
