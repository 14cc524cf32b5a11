//! crossbeam's bounded queue: one thread pushes two values, the other one pops what it finds.
use crossbeam_queue::ArrayQueue;
use std::sync::Arc;
use std::thread;

fn main() {
    let queue = Arc::new(ArrayQueue::new(2));
    let theirs = Arc::clone(&queue);
    let producer = thread::spawn(move || {
        assert!(theirs.push(1_u32).is_ok());
        assert!(theirs.push(2).is_ok());
    });
    if let Some(first) = queue.pop() {
        assert!(first == 1);
    }
    producer.join().unwrap();
}
