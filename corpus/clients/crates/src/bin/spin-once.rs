//! Two threads want a value that is made once.
use spin::Once;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

static MADE: AtomicUsize = AtomicUsize::new(0);
static VALUE: Once<usize> = Once::new();

fn value() -> usize {
    *VALUE.call_once(|| MADE.fetch_add(1, Relaxed) + 7)
}

fn main() {
    let other = thread::spawn(value);
    let ours = value();
    assert!(ours == 7 && other.join().unwrap() == 7);
    assert!(MADE.load(Relaxed) == 1);
}
