// sees: SAW_X SAW_Y LEADERS
// sc: 1,1,1
// tso: 1,1,1
// fails: never

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Barrier};
use std::thread;

static X: AtomicU32 = AtomicU32::new(0);
static Y: AtomicU32 = AtomicU32::new(0);
static SAW_X: AtomicU32 = AtomicU32::new(0);
static SAW_Y: AtomicU32 = AtomicU32::new(0);
static LEADERS: AtomicU32 = AtomicU32::new(0);

fn meet(barrier: &Barrier) {
    if barrier.wait().is_leader() {
        LEADERS.fetch_add(1, Relaxed);
    }
}

fn main() {
    let barrier = Arc::new(Barrier::new(2));
    let theirs = Arc::clone(&barrier);
    let other = thread::spawn(move || {
        X.store(1, Relaxed);
        meet(&theirs);
        SAW_Y.store(Y.load(Relaxed), Relaxed);
    });
    Y.store(1, Relaxed);
    meet(&barrier);
    SAW_X.store(X.load(Relaxed), Relaxed);
    other.join().unwrap();
}
