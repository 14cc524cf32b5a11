//! A queue lock after Mellor-Crummey and Scott, for two threads.
#![crate_type = "lib"]

use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

pub struct Waiter {
    next: AtomicPtr<Waiter>,
    locked: AtomicU32,
}

static ONE: Waiter = Waiter { next: AtomicPtr::new(null_mut()), locked: AtomicU32::new(0) };
static OTHER: Waiter = Waiter { next: AtomicPtr::new(null_mut()), locked: AtomicU32::new(0) };
static LAST: AtomicPtr<Waiter> = AtomicPtr::new(null_mut());
static COUNTER: AtomicU32 = AtomicU32::new(0);

fn acquire(own: &'static Waiter) {
    let node = &raw const *own as *mut Waiter;
    own.next.store(null_mut(), Ordering::Relaxed);
    own.locked.store(1, Ordering::Relaxed);
    let before = LAST.swap(node, Ordering::Relaxed);
    if !before.is_null() {
        // SAFETY: only the two statics are ever in the queue.
        unsafe { (*before).next.store(node, Ordering::Relaxed) };
        loop {
            let locked = own.locked.load(Ordering::Relaxed);
            if locked == 0 {
                break;
            }
        }
    }
}

fn release(own: &'static Waiter) {
    let node = &raw const *own as *mut Waiter;
    let mut next = own.next.load(Ordering::Relaxed);
    if next.is_null() {
        if LAST.compare_exchange(node, null_mut(), Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            return;
        }
        loop {
            next = own.next.load(Ordering::Relaxed);
            if !next.is_null() {
                break;
            }
        }
    }
    // SAFETY: as above.
    unsafe { (*next).locked.store(0, Ordering::Relaxed) };
}

fn count() {
    let now = COUNTER.load(Ordering::Relaxed);
    COUNTER.store(now + 1, Ordering::Relaxed);
}

#[unsafe(no_mangle)]
pub fn one() {
    acquire(&ONE);
    count();
    release(&ONE);
}

#[unsafe(no_mangle)]
pub fn other() {
    acquire(&OTHER);
    count();
    release(&OTHER);
}
