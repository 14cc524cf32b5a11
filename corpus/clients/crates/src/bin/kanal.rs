//! A bounded channel of one: the value that is sent is received.
use std::thread;

fn main() {
    let (sender, receiver) = kanal::bounded(1);
    let producer = thread::spawn(move || sender.send(7_usize).is_ok());
    assert!(receiver.recv() == Ok(7));
    assert!(producer.join().unwrap());
}
