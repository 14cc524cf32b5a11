//! crossbeam's queue of segments: one thread pushes, the other one pops what it finds.
use crossbeam_queue::SegQueue;
use std::sync::Arc;
use std::thread;

fn main() {
    let queue = Arc::new(SegQueue::new());
    let theirs = Arc::clone(&queue);
    let producer = thread::spawn(move || theirs.push(1_u32));
    if let Some(first) = queue.pop() {
        assert!(first == 1);
    }
    producer.join().unwrap();
}
