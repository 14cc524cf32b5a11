//! A value is handed over in a structure that two threads share.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

struct Channel {
    value: AtomicU32,
    is_ready: AtomicBool,
}

fn main() {
    let channel = Arc::new(Channel { value: AtomicU32::new(0), is_ready: AtomicBool::new(false) });
    let sender = Arc::clone(&channel);
    let producer = thread::spawn(move || {
        sender.value.store(42, Ordering::Relaxed);
        sender.is_ready.store(true, Ordering::Relaxed);
    });
    let consumer = thread::spawn(move || {
        while !channel.is_ready.load(Ordering::Relaxed) {
            std::hint::spin_loop();
        }
        assert_eq!(channel.value.load(Ordering::Relaxed), 42);
    });
    producer.join().unwrap();
    consumer.join().unwrap();
}
