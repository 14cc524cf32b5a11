//! Dekker's mutual exclusion for two threads (see dekker.rs), with two fences. The first alone
//! restores mutual exclusion. The second makes the program robust: without it a thread can see, on
//! x86 only, whose turn it is before the other one sees that it has given way.

use std::sync::atomic::{
    fence, AtomicBool, AtomicU8, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release, SeqCst},
};
use std::thread;

struct Dekker {
    wants: [AtomicBool; 2],
    turn: AtomicUsize,
}

static MUTEX: Dekker =
    Dekker { wants: [AtomicBool::new(false), AtomicBool::new(false)], turn: AtomicUsize::new(0) };
static INSIDE: AtomicU8 = AtomicU8::new(0); // how many threads are in the critical section

impl Dekker {
    /// True with the lock, false after having given way.
    fn try_lock(&self, me: usize) -> bool {
        self.wants[me].store(true, Relaxed);
        fence(SeqCst);
        while self.wants[1 - me].load(Acquire) {
            if self.turn.load(Relaxed) != me {
                self.wants[me].store(false, Relaxed);
                fence(SeqCst);
                while self.turn.load(Relaxed) != me {}
                return false;
            }
        }
        true
    }

    fn lock(&self, me: usize) {
        while !self.try_lock(me) {}
    }

    fn unlock(&self, me: usize) {
        self.turn.store(1 - me, Relaxed);
        self.wants[me].store(false, Release);
    }
}

fn enter(me: usize) {
    MUTEX.lock(me);
    INSIDE.store(INSIDE.load(Relaxed) + 1, Relaxed);
    assert!(INSIDE.load(Relaxed) == 1);
    INSIDE.store(INSIDE.load(Relaxed) - 1, Relaxed);
    MUTEX.unlock(me);
}

fn main() {
    thread::scope(|scope| {
        scope.spawn(|| {
            enter(0);
            enter(0);
        });
        scope.spawn(|| {
            enter(1);
            enter(1);
        });
    });
    assert!(INSIDE.load(Relaxed) == 0);
}
