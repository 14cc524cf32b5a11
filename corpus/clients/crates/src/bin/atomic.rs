//! A message is passed by a flag whose type is the author's own.
use atomic::{Atomic, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};
use std::thread;

static DATA: Atomic<usize> = Atomic::new(0);
static IS_READY: Atomic<bool> = Atomic::new(false);

fn main() {
    let producer = thread::spawn(|| {
        DATA.store(1, Relaxed);
        IS_READY.store(true, Release);
    });
    if IS_READY.load(Acquire) {
        assert!(DATA.load(Relaxed) == 1);
    }
    producer.join().unwrap();
}
