// threads: mailbox::send receive
// sees: GOT
// sc: 1 2
// tso: 1 2
// fails: never

//! A library: nothing is called by a `main`.

#![crate_type = "lib"]

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

pub static GOT: AtomicU32 = AtomicU32::new(0);

pub mod mailbox {
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::{Acquire, Relaxed, Release}};

    static LETTER: AtomicU32 = AtomicU32::new(1);
    static FULL: AtomicBool = AtomicBool::new(false);

    pub fn send() {
        LETTER.store(2, Relaxed);
        FULL.store(true, Release);
    }

    pub fn is_full() -> bool {
        FULL.load(Acquire)
    }

    pub fn read() -> u32 {
        LETTER.load(Relaxed)
    }
}

pub fn receive() {
    let was_full = mailbox::is_full();
    let letter = mailbox::read();
    assert!(!was_full || letter == 2);
    GOT.store(letter, Relaxed);
}
