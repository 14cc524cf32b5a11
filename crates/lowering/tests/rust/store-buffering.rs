// sees: SAW_X SAW_Y
// sc: 0,1 1,0 1,1
// tso: 0,0 0,1 1,0 1,1
// fails: never

use std::sync::atomic::{compiler_fence, fence, AtomicU32, Ordering::{AcqRel, Relaxed, SeqCst}};
use std::thread;

static X: AtomicU32 = AtomicU32::new(0);
static Y: AtomicU32 = AtomicU32::new(0);
static SAW_X: AtomicU32 = AtomicU32::new(0);
static SAW_Y: AtomicU32 = AtomicU32::new(0);

fn main() {
    let left = thread::spawn(|| {
        X.store(1, Relaxed);
        compiler_fence(SeqCst);
        SAW_Y.store(Y.load(SeqCst), Relaxed);
    });
    let right = thread::spawn(|| {
        Y.store(1, Relaxed);
        fence(AcqRel);
        SAW_X.store(X.load(SeqCst), Relaxed);
    });
    left.join().unwrap();
    right.join().unwrap();
}
