//! A bounded queue of two: one thread pushes two values, the other one pops what it finds.
use concurrent_queue::ConcurrentQueue;
use std::sync::Arc;
use std::thread;

fn main() {
    let queue = Arc::new(ConcurrentQueue::bounded(2));
    let theirs = Arc::clone(&queue);
    let producer = thread::spawn(move || {
        assert!(theirs.push(1_usize).is_ok());
        assert!(theirs.push(2).is_ok());
    });
    if let Ok(first) = queue.pop() {
        assert!(first == 1);
    }
    producer.join().unwrap();
}
