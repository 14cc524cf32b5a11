//! The ticket lock: take a ticket, wait until it is served, serve the next. Tickets are bytes and
//! wrap around. Taking a ticket is atomic and empties the store buffer, so no fence is needed.

use std::sync::atomic::{
    AtomicU32, AtomicU8,
    Ordering::{Acquire, Relaxed, Release},
};
use std::thread;

struct TicketLock {
    next: AtomicU8,
    serving: AtomicU8,
}

impl TicketLock {
    fn acquire(&self) {
        let ticket = self.next.fetch_add(1, Relaxed);
        while self.serving.load(Acquire) != ticket {}
    }

    fn release(&self) {
        self.serving.store(self.serving.load(Relaxed).wrapping_add(1), Release);
    }
}

// About to wrap around.
static LOCK: TicketLock = TicketLock { next: AtomicU8::new(255), serving: AtomicU8::new(255) };
static COUNTER: AtomicU32 = AtomicU32::new(0); // guarded by the lock

fn count_twice() {
    for _ in 0..2 {
        LOCK.acquire();
        COUNTER.store(COUNTER.load(Relaxed) + 1, Relaxed);
        LOCK.release();
    }
}

fn main() {
    thread::scope(|scope| {
        scope.spawn(count_twice);
        scope.spawn(count_twice);
    });
    assert!(COUNTER.load(Relaxed) == 4);
}
