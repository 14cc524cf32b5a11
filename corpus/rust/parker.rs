//! The race in Java's LockSupport.park(), found by Dice: one thread waits for a condition by
//! `while !condition { park() }`, another one makes it true and calls unpark. A permit may be left
//! from earlier, and park with a permit returns at once after clearing it.
//! Wrong on x86: the cleared permit waits in the store buffer while the condition is read as false,
//! and then overwrites the permit just given. The parked thread sleeps for ever.

use std::sync::atomic::{
    fence, AtomicBool,
    Ordering::{Acquire, Relaxed, Release, SeqCst},
};
use std::sync::Arc;
use std::thread;

struct Parker {
    permit: AtomicBool,
}

impl Parker {
    fn park(&self) {
        while !self.permit.load(Acquire) {
            thread::yield_now(); // sleeps
        }
        self.permit.store(false, Relaxed);
    }

    fn unpark(&self) {
        fence(SeqCst); // as the mutex taken here would be
        self.permit.store(true, Release);
    }
}

struct Shared {
    parker: Parker,
    condition: AtomicBool,
}

fn main() {
    let parker = Parker { permit: AtomicBool::new(true) }; // left from earlier
    let shared = Arc::new(Shared { parker, condition: AtomicBool::new(false) });
    let sleeping = Arc::clone(&shared);
    let sleeper = thread::spawn(move || {
        while !sleeping.condition.load(Acquire) {
            sleeping.parker.park();
        }
    });
    let waking = Arc::clone(&shared);
    let waker = thread::spawn(move || {
        waking.condition.store(true, Release);
        waking.parker.unpark();
    });
    sleeper.join().unwrap();
    waker.join().unwrap();
    assert!(shared.condition.load(Relaxed));
}
