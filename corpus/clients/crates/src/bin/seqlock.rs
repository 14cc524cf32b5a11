//! A reader sees both halves of one write.
use seqlock::SeqLock;
use std::sync::Arc;
use std::thread;

fn main() {
    let shared = Arc::new(SeqLock::new((0_usize, 0_usize)));
    let theirs = Arc::clone(&shared);
    let writer = thread::spawn(move || *theirs.lock_write() = (1, 1));
    let (left, right) = shared.read();
    assert!(left == right);
    writer.join().unwrap();
}
