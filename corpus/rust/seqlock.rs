//! A sequence lock: one writer makes the sequence number odd, changes two words and makes it even
//! again; two readers repeat until they saw the same even number before and after.
//! Fine on x86, which keeps stores in order and loads in order.

use std::sync::atomic::{
    fence, AtomicI32, AtomicU32,
    Ordering::{Acquire, Relaxed, Release},
};
use std::sync::Arc;
use std::thread;

#[derive(Default)]
struct SeqLock {
    sequence: AtomicU32,
    low: AtomicI32,
    high: AtomicI32,
}

impl SeqLock {
    fn write(&self, value: i32) {
        let before = self.sequence.load(Relaxed);
        self.sequence.store(before + 1, Relaxed);
        fence(Release);
        self.low.store(value, Relaxed);
        self.high.store(value, Relaxed);
        self.sequence.store(before + 2, Release);
    }

    fn read(&self) -> (i32, i32) {
        loop {
            let before = self.sequence.load(Acquire);
            let low = self.low.load(Relaxed);
            let high = self.high.load(Relaxed);
            fence(Acquire);
            if self.sequence.load(Relaxed) == before && before % 2 == 0 {
                return (low, high);
            }
        }
    }
}

fn check(pair: &SeqLock) {
    let (low, high) = pair.read();
    assert!(low == high);
}

fn main() {
    let pair = Arc::new(SeqLock::default());
    let (written, read, also_read) = (Arc::clone(&pair), Arc::clone(&pair), Arc::clone(&pair));
    let writer = thread::spawn(move || {
        written.write(1);
        written.write(2);
    });
    let reader = thread::spawn(move || check(&read));
    let other_reader = thread::spawn(move || check(&also_read));
    writer.join().unwrap();
    reader.join().unwrap();
    other_reader.join().unwrap();
    assert!(pair.read() == (2, 2));
}
