//! A counter in an `Arc<Mutex>`, the textbook program. No accesses but those under the mutex, so
//! nothing shows on x86.

use std::sync::{Arc, Mutex};
use std::thread;

fn main() {
    let counter = Arc::new(Mutex::new(0));
    let other = Arc::clone(&counter);
    let child = thread::spawn(move || {
        *other.lock().unwrap() += 1;
        *other.lock().unwrap() += 1;
    });
    *counter.lock().unwrap() += 1;
    child.join().unwrap();
    assert!(*counter.lock().unwrap() == 3);
}
