//! A slot for one message: an operation puts a message in, another takes it out.
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

static FULL: AtomicU32 = AtomicU32::new(0);
static MESSAGE: AtomicU32 = AtomicU32::new(0);

fn send(message: u32) -> bool {
    if FULL.load(Ordering::Acquire) == 1 {
        return false;
    }
    MESSAGE.store(message, Ordering::Relaxed);
    FULL.store(1, Ordering::Release);
    true
}

fn receive() -> Option<u32> {
    if FULL.load(Ordering::Acquire) == 0 {
        return None;
    }
    let message = MESSAGE.load(Ordering::Relaxed);
    FULL.store(0, Ordering::Release);
    Some(message)
}

fn main() {
    let sender = thread::spawn(|| {
        send(3);
        send(4);
    });
    receive();
    receive();
    sender.join().unwrap();
}
