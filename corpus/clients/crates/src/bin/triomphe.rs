//! Two handles of one value are dropped by two threads.
use std::thread;
use triomphe::Arc;

fn main() {
    let ours = Arc::new(7_usize);
    let theirs = Arc::clone(&ours);
    let other = thread::spawn(move || assert!(*theirs == 7));
    assert!(*ours == 7);
    drop(ours);
    other.join().unwrap();
}
