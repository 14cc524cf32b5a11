// sees: GOT
// sc: 7
// tso: 7
// fails: never

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Condvar, Mutex};
use std::thread;

static SLOT: Mutex<Option<u32>> = Mutex::new(None);
static FILLED: Condvar = Condvar::new();
static GOT: AtomicU32 = AtomicU32::new(0);

fn main() {
    let taker = thread::spawn(|| {
        let mut slot = SLOT.lock().unwrap();
        loop {
            if let Some(value) = slot.take() {
                GOT.store(value, Relaxed);
                return;
            }
            slot = FILLED.wait(slot).unwrap();
        }
    });
    *SLOT.lock().unwrap() = Some(7);
    FILLED.notify_one();
    taker.join().unwrap();
}
