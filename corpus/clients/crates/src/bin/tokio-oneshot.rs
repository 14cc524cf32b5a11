//! tokio's channel for one value, without a runtime: it is there or it is not.
use std::thread;
use tokio::sync::oneshot;

fn main() {
    let (sender, mut receiver) = oneshot::channel();
    let producer = thread::spawn(move || sender.send(7_usize).is_ok());
    if let Ok(found) = receiver.try_recv() {
        assert!(found == 7);
    }
    drop(receiver);
    producer.join().unwrap();
}
