//! Two threads use a value that the first of them makes.
use lazy_static::lazy_static;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

static MADE: AtomicUsize = AtomicUsize::new(0);

lazy_static! {
    static ref VALUE: usize = MADE.fetch_add(1, Relaxed) + 7;
}

fn main() {
    let other = thread::spawn(|| *VALUE);
    let ours = *VALUE;
    assert!(ours == 7 && other.join().unwrap() == 7);
    assert!(MADE.load(Relaxed) == 1);
}
