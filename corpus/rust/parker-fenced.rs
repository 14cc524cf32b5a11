//! Java's LockSupport.park() as in parker.rs, with the fence that it got: behind the fast path, between
//! clearing the permit and looking at the condition again.

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
        fence(SeqCst);
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
