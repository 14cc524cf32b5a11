//! Two threads count in a portable atomic, which here is one of the machine's own.
use portable_atomic::{AtomicI64, Ordering::Relaxed};
use std::thread;

static COUNTER: AtomicI64 = AtomicI64::new(0);

fn main() {
    let other = thread::spawn(|| COUNTER.fetch_add(1, Relaxed));
    COUNTER.fetch_sub(2, Relaxed);
    other.join().unwrap();
    assert!(COUNTER.load(Relaxed) == -1);
}
