//! A thread that goes to sleep if there is nothing to do, and one that wakes it. What it looks at before it sleeps
//! it also looks at on its hot path.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering, fence};
use std::thread;

static ITEMS: AtomicU32 = AtomicU32::new(0);
static CLOSED: AtomicBool = AtomicBool::new(false);
static SLEEPING: AtomicBool = AtomicBool::new(false);
static WOKEN: AtomicBool = AtomicBool::new(false);

fn pop() -> u32 {
    let closed = CLOSED.load(Ordering::Relaxed);
    if closed { 0 } else { ITEMS.load(Ordering::Relaxed) }
}

fn worker() {
    if pop() == 0 {
        SLEEPING.store(true, Ordering::Relaxed);
        if pop() != 0 {
            WOKEN.store(true, Ordering::Relaxed);
        }
    } else {
        WOKEN.store(true, Ordering::Relaxed);
    }
}

fn producer() {
    ITEMS.store(1, Ordering::Relaxed);
    fence(Ordering::SeqCst);
    if SLEEPING.load(Ordering::Relaxed) {
        WOKEN.store(true, Ordering::Relaxed);
    }
}

fn main() {
    let worker = thread::spawn(worker);
    let producer = thread::spawn(producer);
    worker.join().unwrap();
    producer.join().unwrap();
    assert!(WOKEN.load(Ordering::Relaxed) || !SLEEPING.load(Ordering::Relaxed));
}
