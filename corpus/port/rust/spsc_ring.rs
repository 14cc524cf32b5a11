//! A ring for one producer and one consumer, relaxed throughout.
#![crate_type = "lib"]

use std::sync::atomic::{AtomicU32, Ordering};

static SLOTS: [AtomicU32; 2] = [AtomicU32::new(0), AtomicU32::new(0)];
static HEAD: AtomicU32 = AtomicU32::new(0);
static TAIL: AtomicU32 = AtomicU32::new(0);

fn put(value: u32) {
    let tail = TAIL.load(Ordering::Relaxed);
    if tail.wrapping_sub(HEAD.load(Ordering::Relaxed)) < 2 {
        SLOTS[(tail % 2) as usize].store(value, Ordering::Relaxed);
        TAIL.store(tail.wrapping_add(1), Ordering::Relaxed);
    }
}

#[unsafe(no_mangle)]
pub fn producer() {
    put(1);
    put(2);
    put(3);
}

#[unsafe(no_mangle)]
pub fn consumer() -> Option<u32> {
    let head = HEAD.load(Ordering::Relaxed);
    if head == TAIL.load(Ordering::Relaxed) {
        return None;
    }
    let value = SLOTS[(head % 2) as usize].load(Ordering::Relaxed);
    HEAD.store(head.wrapping_add(1), Ordering::Relaxed);
    Some(value)
}
