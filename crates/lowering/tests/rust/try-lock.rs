// sees: TAKEN
// sc: 1 2
// tso: 1 2
// fails: never

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::Mutex;
use std::thread;

static LOCK: Mutex<u32> = Mutex::new(0);
static TAKEN: AtomicU32 = AtomicU32::new(0);

fn attempt() {
    if let Ok(mut taken) = LOCK.try_lock() {
        *taken += 1;
    }
}

fn main() {
    thread::scope(|scope| {
        scope.spawn(attempt);
        scope.spawn(attempt);
    });
    TAKEN.store(*LOCK.lock().unwrap(), Relaxed);
}
