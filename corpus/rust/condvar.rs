//! A buffer for one value between a producer and a consumer, by a mutex and a condition variable. No
//! accesses but those under the mutex, so nothing shows on x86.

use std::sync::{Condvar, Mutex};
use std::thread;

static SLOT: Mutex<u32> = Mutex::new(0); // 0: empty
static CHANGED: Condvar = Condvar::new();

fn put(value: u32) {
    let mut slot = SLOT.lock().unwrap();
    while *slot != 0 {
        slot = CHANGED.wait(slot).unwrap();
    }
    *slot = value;
    CHANGED.notify_one();
}

fn take() -> u32 {
    let mut slot = SLOT.lock().unwrap();
    while *slot == 0 {
        slot = CHANGED.wait(slot).unwrap();
    }
    let value = *slot;
    *slot = 0;
    CHANGED.notify_one();
    value
}

fn main() {
    thread::scope(|scope| {
        scope.spawn(|| {
            put(1);
            put(2);
        });
        scope.spawn(|| {
            let (first, second) = (take(), take());
            assert!(first == 1 && second == 2);
        });
    });
}
