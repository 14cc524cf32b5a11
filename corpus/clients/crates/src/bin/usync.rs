//! Two threads count under usync's mutex, which parks where it is taken.
use std::sync::Arc;
use std::thread;
use usync::Mutex;

fn main() {
    let shared = Arc::new(Mutex::new(0_usize));
    let theirs = Arc::clone(&shared);
    let other = thread::spawn(move || *theirs.lock() += 1);
    *shared.lock() += 1;
    other.join().unwrap();
    assert!(*shared.lock() == 2);
}
