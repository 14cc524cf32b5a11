//! Two workers hand a value back and forth. Both use atomic exchanges whose results nobody looks at,
//! where plain stores would do: each thread only ever waits for the other's answer.

use std::sync::atomic::{
    AtomicU32,
    Ordering::{AcqRel, Acquire, Relaxed},
};
use std::thread;

const ASKER: u32 = 0;
const ANSWERER: u32 = 1;

static VALUE: AtomicU32 = AtomicU32::new(0); // belongs to whoever has the turn
static TURN: AtomicU32 = AtomicU32::new(ASKER);
static ANSWERS: AtomicU32 = AtomicU32::new(0); // how many were given

fn ask() {
    VALUE.store(20, Relaxed);
    TURN.swap(ANSWERER, AcqRel);
    while TURN.load(Acquire) != ASKER {}
    assert!(VALUE.load(Relaxed) == 21);
}

fn answer() {
    while TURN.load(Acquire) != ANSWERER {}
    VALUE.store(VALUE.load(Relaxed) + 1, Relaxed);
    ANSWERS.swap(1, Relaxed);
    TURN.swap(ASKER, AcqRel);
}

fn main() {
    thread::scope(|scope| {
        scope.spawn(ask);
        scope.spawn(answer);
    });
    assert!(ANSWERS.load(Relaxed) == 1);
}
