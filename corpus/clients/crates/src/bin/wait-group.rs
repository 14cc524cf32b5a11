//! What a thread did before it left the group is seen by who waited for the group.
use crossbeam_utils::sync::WaitGroup;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

static DONE: AtomicUsize = AtomicUsize::new(0);

fn main() {
    let group = WaitGroup::new();
    let theirs = group.clone();
    let other = thread::spawn(move || {
        DONE.store(1, Relaxed);
        drop(theirs);
    });
    group.wait();
    assert!(DONE.load(Relaxed) == 1);
    other.join().unwrap();
}
