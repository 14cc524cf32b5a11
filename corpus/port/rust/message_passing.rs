//! Message passing with relaxed atomics, which x86 keeps in order.
#![crate_type = "lib"]

use std::sync::atomic::{AtomicU32, Ordering};

static DATA: AtomicU32 = AtomicU32::new(0);
static READY: AtomicU32 = AtomicU32::new(0);

#[unsafe(no_mangle)]
pub fn producer() {
    DATA.store(42, Ordering::Relaxed);
    READY.store(1, Ordering::Relaxed);
}

#[unsafe(no_mangle)]
pub fn consumer() -> u32 {
    if READY.load(Ordering::Relaxed) == 1 {
        return DATA.load(Ordering::Relaxed);
    }
    42
}
