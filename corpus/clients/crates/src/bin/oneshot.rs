//! A channel for one value: the receiver waits for it.
use std::thread;

fn main() {
    let (sender, receiver) = oneshot::channel();
    let producer = thread::spawn(move || sender.send(7_usize).is_ok());
    assert!(receiver.recv() == Ok(7));
    assert!(producer.join().unwrap());
}
