//! A ring of two: one thread pushes two values, the other one pops what it finds.
use rtrb::RingBuffer;
use std::thread;

fn main() {
    let (mut producer, mut consumer) = RingBuffer::<usize>::new(2);
    let sender = thread::spawn(move || {
        assert!(producer.push(1).is_ok());
        assert!(producer.push(2).is_ok());
    });
    if let Ok(first) = consumer.pop() {
        assert!(first == 1);
    }
    sender.join().unwrap();
}
