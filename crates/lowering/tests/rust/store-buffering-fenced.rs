// sees: SAW_X SAW_Y
// sc: 0,1 1,0 1,1
// tso: 0,1 1,0 1,1
// fails: never

use std::sync::atomic::{fence, AtomicU32, Ordering::{Relaxed, SeqCst}};
use std::thread;

static X: AtomicU32 = AtomicU32::new(0);
static Y: AtomicU32 = AtomicU32::new(0);
static SAW_X: AtomicU32 = AtomicU32::new(0);
static SAW_Y: AtomicU32 = AtomicU32::new(0);

fn main() {
    let left = thread::spawn(|| {
        X.store(1, SeqCst);
        SAW_Y.store(Y.load(Relaxed), Relaxed);
    });
    let right = thread::spawn(|| {
        Y.store(1, Relaxed);
        fence(SeqCst);
        SAW_X.store(X.load(Relaxed), Relaxed);
    });
    left.join().unwrap();
    right.join().unwrap();
}
