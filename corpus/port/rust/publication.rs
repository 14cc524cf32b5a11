//! Publication as under RCU: readers follow a pointer to data that never changes again.
#![crate_type = "lib"]

use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

static FRESH: AtomicU32 = AtomicU32::new(0);
static CURRENT: AtomicPtr<AtomicU32> = AtomicPtr::new(null_mut());

#[unsafe(no_mangle)]
pub fn updater() {
    FRESH.store(2, Ordering::Relaxed);
    CURRENT.store(&raw const FRESH as *mut AtomicU32, Ordering::Relaxed);
}

#[unsafe(no_mangle)]
pub fn reader() -> u32 {
    let found = CURRENT.load(Ordering::Relaxed);
    if found.is_null() {
        return 2;
    }
    // SAFETY: only the address of a static is ever published.
    unsafe { (*found).load(Ordering::Relaxed) }
}
