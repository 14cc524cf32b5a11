//! A queue as Michael and Scott's: one enqueues at the tail, one dequeues at the head.
#![crate_type = "lib"]

use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

pub struct Node {
    value: AtomicU32,
    next: AtomicPtr<Node>,
}

static DUMMY: Node = Node { value: AtomicU32::new(0), next: AtomicPtr::new(null_mut()) };
static FIRST: Node = Node { value: AtomicU32::new(0), next: AtomicPtr::new(null_mut()) };
static HEAD: AtomicPtr<Node> = AtomicPtr::new(&raw const DUMMY as *mut Node);
static TAIL: AtomicPtr<Node> = AtomicPtr::new(&raw const DUMMY as *mut Node);

#[unsafe(no_mangle)]
pub fn producer() {
    let last = TAIL.load(Ordering::Relaxed);
    let node = &raw const FIRST as *mut Node;
    FIRST.value.store(7, Ordering::Relaxed);
    // SAFETY: the tail is one of the two statics.
    let next = unsafe { &(*last).next };
    if next.compare_exchange(null_mut(), node, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
        let _ = TAIL.compare_exchange(last, node, Ordering::Relaxed, Ordering::Relaxed);
    }
}

#[unsafe(no_mangle)]
pub fn consumer() -> u32 {
    let old = HEAD.load(Ordering::Relaxed);
    // SAFETY: the head is one of the two statics.
    let next = unsafe { (*old).next.load(Ordering::Relaxed) };
    if next.is_null() {
        return 7;
    }
    if HEAD.compare_exchange(old, next, Ordering::Relaxed, Ordering::Relaxed).is_err() {
        return 7;
    }
    // SAFETY: as above.
    unsafe { (*next).value.load(Ordering::Relaxed) }
}
