//! Store buffering with fences that do nothing against it on x86.

use std::sync::atomic::{AtomicU32, Ordering, fence};
use std::thread;

static X: AtomicU32 = AtomicU32::new(0);
static Y: AtomicU32 = AtomicU32::new(0);

fn main() {
    let left = thread::spawn(|| {
        X.store(1, Ordering::Relaxed);
        fence(Ordering::AcqRel);
        Y.load(Ordering::Relaxed)
    });
    Y.store(1, Ordering::Relaxed);
    fence(Ordering::AcqRel);
    let right = X.load(Ordering::Relaxed);
    assert!(left.join().unwrap() + right > 0);
}
