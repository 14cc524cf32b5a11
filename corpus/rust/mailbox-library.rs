//! A library without a `main`: a mailbox for one letter. Producers fill it when it is empty, a
//! consumer empties it. To be analysed under a client such as two producers and one consumer.
//! Robust: a producer claims the mailbox by a compare-and-swap before it writes the letter, and
//! publishes it by a store after which it looks at nothing.

#![crate_type = "lib"]

use std::sync::atomic::{
    AtomicU32, AtomicU8,
    Ordering::{Acquire, Relaxed, Release},
};

const EMPTY: u8 = 0;
const CLAIMED: u8 = 1;
const FULL: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(EMPTY);
static LETTER: AtomicU32 = AtomicU32::new(0);

#[no_mangle]
pub extern "C" fn producer() {
    while STATE.compare_exchange_weak(EMPTY, CLAIMED, Acquire, Relaxed).is_err() {}
    LETTER.store(LETTER.load(Relaxed) + 1, Relaxed);
    STATE.store(FULL, Release);
}

#[no_mangle]
pub extern "C" fn consumer() {
    while STATE.load(Acquire) != FULL {}
    assert!(LETTER.load(Relaxed) > 0);
    LETTER.store(0, Relaxed);
    STATE.store(EMPTY, Release);
}
