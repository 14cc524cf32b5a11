//! A queue of slots: one thread pushes two values, the other one pops what it finds.
use std::sync::Arc;
use std::thread;
use thingbuf::ThingBuf;

fn main() {
    let queue = Arc::new(ThingBuf::<usize>::new(2));
    let theirs = Arc::clone(&queue);
    let producer = thread::spawn(move || {
        assert!(theirs.push(1).is_ok());
        assert!(theirs.push(2).is_ok());
    });
    if let Some(first) = queue.pop() {
        assert!(first == 1);
    }
    producer.join().unwrap();
}
