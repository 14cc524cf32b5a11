// sees: SAW
// sc: 7
// tso: 7
// fails: never

//! Message passing through a heap structure that is published by a pointer.

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering::{Acquire, Relaxed, Release}};
use std::thread;

struct Letter {
    _stamp: u8,
    value: u32,
}

static MAIL: AtomicPtr<Letter> = AtomicPtr::new(ptr::null_mut());
static SAW: AtomicU32 = AtomicU32::new(0);

fn main() {
    let reader = thread::spawn(|| {
        let letter = loop {
            let letter = MAIL.load(Acquire);
            if !letter.is_null() {
                break letter;
            }
            thread::yield_now();
        };
        // SAFETY: it was published once, and belongs to who finds it.
        let letter = unsafe { Box::from_raw(letter) };
        SAW.store(letter.value, Relaxed);
    });
    MAIL.store(Box::into_raw(Box::new(Letter { _stamp: 1, value: 7 })), Release);
    reader.join().unwrap();
}
