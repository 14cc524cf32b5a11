//! A bounded channel of one: the value that is sent is received.
use crossbeam_channel::bounded;
use std::thread;

fn main() {
    let (sender, receiver) = bounded(1);
    let producer = thread::spawn(move || sender.send(7_usize).is_ok());
    assert!(receiver.recv() == Ok(7));
    assert!(producer.join().unwrap());
}
