//! Each thread writes its padded flag and reads the other one: on x86 both can read 0.
use crossbeam_utils::CachePadded;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::Arc;
use std::thread;

fn main() {
    let shared = Arc::new([CachePadded::new(AtomicUsize::new(0)), CachePadded::new(AtomicUsize::new(0))]);
    let theirs = Arc::clone(&shared);
    let other = thread::spawn(move || {
        theirs[0].store(1, Relaxed);
        theirs[1].load(Relaxed)
    });
    shared[1].store(1, Relaxed);
    let ours = shared[0].load(Relaxed);
    assert!(other.join().unwrap() + ours > 0);
}
