//! A sequence lock with one writer, relaxed throughout.
#![crate_type = "lib"]

use std::sync::atomic::{AtomicU32, Ordering};

static SEQUENCE: AtomicU32 = AtomicU32::new(0);
static LEFT: AtomicU32 = AtomicU32::new(0);
static RIGHT: AtomicU32 = AtomicU32::new(0);

#[unsafe(no_mangle)]
pub fn writer() {
    let before = SEQUENCE.load(Ordering::Relaxed);
    SEQUENCE.store(before + 1, Ordering::Relaxed);
    LEFT.store(1, Ordering::Relaxed);
    RIGHT.store(1, Ordering::Relaxed);
    SEQUENCE.store(before + 2, Ordering::Relaxed);
}

#[unsafe(no_mangle)]
pub fn reader() -> u32 {
    let before = SEQUENCE.load(Ordering::Relaxed);
    let left = LEFT.load(Ordering::Relaxed);
    let right = RIGHT.load(Ordering::Relaxed);
    if before % 2 == 0 && SEQUENCE.load(Ordering::Relaxed) == before {
        return left ^ right;
    }
    0
}
