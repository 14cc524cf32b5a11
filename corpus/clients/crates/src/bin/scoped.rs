//! crossbeam's scoped threads: two threads count in one counter.
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

fn main() {
    let counter = AtomicUsize::new(0);
    crossbeam_utils::thread::scope(|scope| {
        scope.spawn(|_| counter.fetch_add(1, Relaxed));
        scope.spawn(|_| counter.fetch_add(1, Relaxed));
    })
    .unwrap();
    assert!(counter.load(Relaxed) == 2);
}
