//! Double-checked locking: whoever needs the data looks whether it is ready, and only if not takes
//! the lock, looks again, and makes it. Famous for being wrong in languages and on machines that
//! reorder stores or loads; x86 does neither.

use std::sync::atomic::{
    AtomicBool, AtomicU32,
    Ordering::{Acquire, Relaxed, Release},
};
use std::thread;

static LOCKED: AtomicBool = AtomicBool::new(false);
static READY: AtomicBool = AtomicBool::new(false);
static DATA: AtomicU32 = AtomicU32::new(0);

fn get() -> u32 {
    if !READY.load(Acquire) {
        while LOCKED.swap(true, Acquire) {}
        if !READY.load(Relaxed) {
            DATA.store(42, Relaxed);
            READY.store(true, Release);
        }
        LOCKED.store(false, Release);
    }
    DATA.load(Relaxed)
}

fn read() {
    assert!(get() == 42);
}

fn main() {
    thread::scope(|scope| {
        scope.spawn(read);
        scope.spawn(read);
        scope.spawn(read);
    });
}
