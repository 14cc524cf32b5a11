//! A single-producer ring: one thread enqueues two values, the other one dequeues what it finds.
use heapless::spsc::Queue;
use std::thread;

static mut QUEUE: Queue<usize, 4> = Queue::new();

fn main() {
    let (mut producer, mut consumer) = unsafe { (*(&raw mut QUEUE)).split() };
    let sender = thread::spawn(move || {
        assert!(producer.enqueue(1).is_ok());
        assert!(producer.enqueue(2).is_ok());
    });
    if let Some(first) = consumer.dequeue() {
        assert!(first == 1);
    }
    sender.join().unwrap();
}
