//! Message passing between threads that `main` starts.
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

static DATA: AtomicU32 = AtomicU32::new(0);
static READY: AtomicU32 = AtomicU32::new(0);

fn main() {
    let producer = thread::spawn(|| {
        DATA.store(42, Ordering::Relaxed);
        READY.store(1, Ordering::Relaxed);
    });
    let consumer = thread::spawn(|| {
        if READY.load(Ordering::Relaxed) == 1 {
            assert_eq!(DATA.load(Ordering::Relaxed), 42);
        }
    });
    producer.join().unwrap();
    consumer.join().unwrap();
}
