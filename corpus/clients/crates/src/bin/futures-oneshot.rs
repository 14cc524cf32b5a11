//! A channel for one value, without an executor: it is there or it is not.
use futures_channel::oneshot;
use std::thread;

fn main() {
    let (sender, mut receiver) = oneshot::channel();
    let producer = thread::spawn(move || sender.send(7_usize).is_ok());
    if let Ok(Some(found)) = receiver.try_recv() {
        assert!(found == 7);
    }
    assert!(producer.join().unwrap());
}
