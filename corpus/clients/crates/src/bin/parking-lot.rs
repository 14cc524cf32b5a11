//! Two threads count under parking_lot's mutex, which sleeps where it is taken.
use parking_lot::Mutex;
use std::sync::Arc;
use std::thread;

fn main() {
    let shared = Arc::new(Mutex::new(0_usize));
    let theirs = Arc::clone(&shared);
    let other = thread::spawn(move || *theirs.lock() += 1);
    *shared.lock() += 1;
    other.join().unwrap();
    assert!(*shared.lock() == 2);
}
