//! Two threads try to take a lock: it is never held twice.
use std::sync::Arc;
use std::thread;
use try_lock::TryLock;

fn count(shared: &TryLock<usize>) -> usize {
    shared.try_lock().map_or(0, |mut counter| {
        *counter += 1;
        1
    })
}

fn main() {
    let shared = Arc::new(TryLock::new(0_usize));
    let theirs = Arc::clone(&shared);
    let other = thread::spawn(move || count(&theirs));
    let ours = count(&shared);
    let all = other.join().unwrap() + ours;
    assert!(shared.try_lock().is_some_and(|counter| *counter == all));
}
