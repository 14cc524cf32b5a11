//! Szymanski's mutual exclusion for two threads (see szymanski.rs), where each of the four
//! announcements is a sequentially consistent store, on x86 a locked exchange.

use std::sync::atomic::{
    AtomicU8,
    Ordering::{Acquire, Relaxed, Release, SeqCst},
};
use std::thread;

const THREADS: usize = 2;

const AWAY: u8 = 0;
const OUTSIDE: u8 = 1; // wants to come in
const WAITING_ROOM: u8 = 2; // waits for somebody to close the door
const DOORWAY: u8 = 3;
const INSIDE: u8 = 4; // the door is closed

static PLACE: [AtomicU8; THREADS] = [const { AtomicU8::new(AWAY) }; THREADS];
static INSIDERS: AtomicU8 = AtomicU8::new(0); // how many threads are in the critical section

fn place(who: usize) -> u8 {
    PLACE[who].load(Acquire)
}

fn somebody_is_outside() -> bool {
    let mut other = 0;
    while other < THREADS {
        if place(other) == OUTSIDE {
            return true;
        }
        other += 1;
    }
    false
}

fn lock(me: usize) {
    // Wait for the door to open.
    PLACE[me].store(OUTSIDE, SeqCst);
    let mut other = 0;
    while other < THREADS {
        while place(other) >= DOORWAY {}
        other += 1;
    }
    // Does anybody else want to come in? Then wait for them, until somebody closes the door.
    PLACE[me].store(DOORWAY, SeqCst);
    if somebody_is_outside() {
        PLACE[me].store(WAITING_ROOM, SeqCst);
        other = 0;
        while place(other) != INSIDE {
            other = (other + 1) % THREADS;
        }
    }
    // Close the door, let those with a lower index go first.
    PLACE[me].store(INSIDE, SeqCst);
    other = 0;
    while other < me {
        while place(other) >= WAITING_ROOM {}
        other += 1;
    }
}

fn unlock(me: usize) {
    // Leave only when everybody in the waiting room has seen that the door is closed.
    let mut other = me + 1;
    while other < THREADS {
        while matches!(place(other), WAITING_ROOM | DOORWAY) {}
        other += 1;
    }
    PLACE[me].store(AWAY, Release);
}

fn enter(me: usize) {
    lock(me);
    let others = INSIDERS.fetch_add(1, Relaxed);
    assert!(others == 0);
    INSIDERS.fetch_sub(1, Relaxed);
    unlock(me);
}

fn main() {
    thread::scope(|scope| {
        scope.spawn(|| enter(0));
        scope.spawn(|| enter(1));
    });
    assert!(INSIDERS.load(Relaxed) == 0);
}
