//! A ring buffer for one producer and one consumer, after Lamport: each end is written by one thread
//! only, and whoever finds the ring full or empty waits. Three values go through two slots.
//! Correct on x86 without a fence, but not robust: the producer can find the ring full while its last
//! value waits in its store buffer, and the consumer find it empty while its last removal does.

use std::cell::UnsafeCell;
use std::hint;
use std::sync::atomic::{
    AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};
use std::thread;

struct Ring<const SLOTS: usize> {
    slots: [UnsafeCell<u32>; SLOTS],
    head: AtomicUsize, // how many were taken: written by the consumer
    tail: AtomicUsize, // how many were put: written by the producer
}

// SAFETY: a slot belongs to the producer until `tail` passes it, and then to the consumer until
// `head` does. There is one of each.
unsafe impl<const SLOTS: usize> Sync for Ring<SLOTS> {}

impl<const SLOTS: usize> Ring<SLOTS> {
    fn put(&self, value: u32) {
        let tail = self.tail.load(Relaxed);
        while tail - self.head.load(Acquire) == SLOTS {
            hint::spin_loop();
        }
        // SAFETY: the slot is the producer's.
        unsafe { *self.slots[tail % SLOTS].get() = value };
        self.tail.store(tail + 1, Release);
    }

    fn take(&self) -> u32 {
        let head = self.head.load(Relaxed);
        while self.tail.load(Acquire) == head {
            hint::spin_loop();
        }
        // SAFETY: the slot is the consumer's.
        let value = unsafe { *self.slots[head % SLOTS].get() };
        self.head.store(head + 1, Release);
        value
    }
}

static RING: Ring<2> = Ring {
    slots: [const { UnsafeCell::new(0) }; 2],
    head: AtomicUsize::new(0),
    tail: AtomicUsize::new(0),
};

fn main() {
    thread::scope(|scope| {
        scope.spawn(|| {
            for value in 1..=3 {
                RING.put(value);
            }
        });
        scope.spawn(|| {
            for value in 1..=3 {
                assert!(RING.take() == value);
            }
        });
    });
}
