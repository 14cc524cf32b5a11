//! A bounded channel of one, used without an executor: what is tried to be sent is what is found.
use std::thread;

fn main() {
    let (sender, receiver) = async_channel::bounded(1);
    let producer = thread::spawn(move || sender.try_send(7_usize).is_ok());
    if let Ok(found) = receiver.try_recv() {
        assert!(found == 7);
    }
    assert!(producer.join().unwrap());
}
