//! Treiber's stack: a node is pushed by compare-and-swap, all of it taken by exchange.
#![crate_type = "lib"]

use std::sync::atomic::{AtomicU32, Ordering};

static VALUE: AtomicU32 = AtomicU32::new(0);
static NEXT: AtomicU32 = AtomicU32::new(0);
/// Zero is empty, one is the node.
static TOP: AtomicU32 = AtomicU32::new(0);

#[unsafe(no_mangle)]
pub fn pusher() {
    VALUE.store(7, Ordering::Relaxed);
    let mut top = TOP.load(Ordering::Relaxed);
    loop {
        NEXT.store(top, Ordering::Relaxed);
        match TOP.compare_exchange(top, 1, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => return,
            Err(now) => top = now,
        }
    }
}

#[unsafe(no_mangle)]
pub fn taker() -> u32 {
    if TOP.swap(0, Ordering::Relaxed) == 0 {
        return 7;
    }
    VALUE.load(Ordering::Relaxed)
}
