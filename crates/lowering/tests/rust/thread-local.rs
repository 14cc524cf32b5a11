// sees: OWN
// sc: 3
// tso: 3
// fails: never

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;

static OWN: AtomicU32 = AtomicU32::new(0);

thread_local! {
    static CALLS: Cell<u32> = const { Cell::new(0) };
}

fn work() {
    CALLS.set(CALLS.get() + 1);
    OWN.store(OWN.load(Relaxed) + CALLS.get(), Relaxed);
}

fn main() {
    work();
    thread::spawn(work).join().unwrap();
    CALLS.set(CALLS.get() - 1);
    work();
}
