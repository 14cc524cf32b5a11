//! A flag is set before the other thread is unparked: it sees the flag when it wakes.
use crossbeam_utils::sync::Parker;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

static IS_READY: AtomicBool = AtomicBool::new(false);

fn main() {
    let parker = Parker::new();
    let unparker = parker.unparker().clone();
    let other = thread::spawn(move || {
        IS_READY.store(true, Relaxed);
        unparker.unpark();
    });
    parker.park();
    assert!(IS_READY.load(Relaxed));
    other.join().unwrap();
}
