//! A value handed over, and two threads that look whether the other one wants in, with more fences
//! than x86 needs: only those between a store to `WANTS` and the load of the other one do anything
//! there. The store to `READY` could be a release store.

use std::sync::atomic::{
    fence, AtomicBool, AtomicU32,
    Ordering::{Acquire, Relaxed, SeqCst},
};
use std::thread;

static DATA: AtomicU32 = AtomicU32::new(0);
static READY: AtomicBool = AtomicBool::new(false);
static WANTS: [AtomicBool; 2] = [AtomicBool::new(false), AtomicBool::new(false)];

fn producer() -> bool {
    DATA.store(1, Relaxed);
    fence(SeqCst);
    READY.store(true, SeqCst);
    WANTS[0].store(true, Relaxed);
    fence(SeqCst);
    WANTS[1].load(Relaxed)
}

fn consumer() -> bool {
    WANTS[1].store(true, Relaxed);
    fence(SeqCst);
    let seen = WANTS[0].load(Relaxed);
    if READY.load(Acquire) {
        assert!(DATA.load(Relaxed) == 1);
    }
    seen
}

fn main() {
    let producer = thread::spawn(producer);
    let consumer = thread::spawn(consumer);
    let producer_saw = producer.join().unwrap();
    let consumer_saw = consumer.join().unwrap();
    assert!(producer_saw || consumer_saw);
}
