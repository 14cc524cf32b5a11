//! Two threads count under a spinlock.
use spin::Mutex;
use std::thread;

static COUNTER: Mutex<usize> = Mutex::new(0);

fn main() {
    let other = thread::spawn(|| *COUNTER.lock() += 1);
    *COUNTER.lock() += 1;
    other.join().unwrap();
    assert!(*COUNTER.lock() == 2);
}
