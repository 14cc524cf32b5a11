//! A queue of one: one thread pushes, the other one pops what it finds.
use concurrent_queue::ConcurrentQueue;
use std::sync::Arc;
use std::thread;

fn main() {
    let queue = Arc::new(ConcurrentQueue::bounded(1));
    let theirs = Arc::clone(&queue);
    let producer = thread::spawn(move || theirs.push(7_usize).is_ok());
    if let Ok(found) = queue.pop() {
        assert!(found == 7);
    }
    assert!(producer.join().unwrap());
}
