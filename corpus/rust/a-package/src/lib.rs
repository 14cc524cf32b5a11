//! A ring buffer for one producer and one consumer. With one slot they take turns, so that the
//! fences that more slots would need for robustness (see spsc-ring.rs) are not needed.

use std::sync::atomic::{
    AtomicU32, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};

const SLOTS: usize = 1;

/// Both ends wait.
#[derive(Default)]
pub struct Ring {
    slots: [AtomicU32; SLOTS],
    taken: AtomicUsize, // written by the consumer
    put: AtomicUsize,   // written by the producer
}

impl Ring {
    pub fn put(&self, value: u32) {
        let put = self.put.load(Relaxed);
        while put - self.taken.load(Acquire) == SLOTS {}
        self.slots[put % SLOTS].store(value, Relaxed);
        self.put.store(put + 1, Release);
    }

    pub fn take(&self) -> u32 {
        let taken = self.taken.load(Relaxed);
        while self.put.load(Acquire) == taken {}
        let value = self.slots[taken % SLOTS].load(Relaxed);
        self.taken.store(taken + 1, Release);
        value
    }
}
