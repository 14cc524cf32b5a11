//! Two threads count under an asynchronous mutex that each tries to take: it is never held twice.
use async_lock::Mutex;
use std::sync::Arc;
use std::thread;

fn count(shared: &Mutex<usize>) -> usize {
    shared.try_lock().map_or(0, |mut counter| {
        *counter += 1;
        1
    })
}

fn main() {
    let shared = Arc::new(Mutex::new(0_usize));
    let theirs = Arc::clone(&shared);
    let other = thread::spawn(move || count(&theirs));
    let ours = count(&shared);
    let all = other.join().unwrap() + ours;
    assert!(shared.try_lock().is_some_and(|counter| *counter == all));
}
