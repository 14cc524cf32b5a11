// sees: TOTAL
// sc: 2
// tso: 2
// fails: never

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread;

static TOTAL: AtomicU32 = AtomicU32::new(0);

fn main() {
    let counter = Arc::new(Mutex::new(0));
    let theirs = Arc::clone(&counter);
    let other = thread::spawn(move || *theirs.lock().unwrap() += 1);
    *counter.lock().unwrap() += 1;
    other.join().unwrap();
    TOTAL.store(*counter.lock().unwrap(), Relaxed);
}
