//! A writer changes two numbers under a lock of shards, and a reader sees both or neither.
use crossbeam_utils::sync::ShardedLock;
use std::sync::Arc;
use std::thread;

fn main() {
    let shared = Arc::new(ShardedLock::new((0_usize, 0_usize)));
    let theirs = Arc::clone(&shared);
    let writer = thread::spawn(move || {
        let mut both = theirs.write().unwrap();
        both.0 = 1;
        both.1 = 1;
    });
    let (left, right) = *shared.read().unwrap();
    assert!(left == right);
    writer.join().unwrap();
}
