//! Two threads count under a spinlock.
use spinning_top::Spinlock;
use std::thread;

static COUNTER: Spinlock<usize> = Spinlock::new(0);

fn main() {
    let other = thread::spawn(|| *COUNTER.lock() += 1);
    *COUNTER.lock() += 1;
    other.join().unwrap();
    assert!(*COUNTER.lock() == 2);
}
