//! A ring of two: one thread pushes two values, the other one pops what it finds.
use ringbuf::traits::{Consumer, Producer, Split};
use ringbuf::HeapRb;
use std::thread;

fn main() {
    let (mut producer, mut consumer) = HeapRb::<usize>::new(2).split();
    let sender = thread::spawn(move || {
        assert!(producer.try_push(1).is_ok());
        assert!(producer.try_push(2).is_ok());
    });
    if let Some(first) = consumer.try_pop() {
        assert!(first == 1);
    }
    sender.join().unwrap();
}
