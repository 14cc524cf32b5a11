// A ring buffer for one producer and one consumer in an Arc, whose slots are narrower than the counters
// beside them: an index is bounded by a remainder, and by the check that Rust makes. Three values go through
// two slots; see spsc-ring.rs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::thread;

struct Ring {
    head: AtomicUsize, // how many were taken: written by the consumer
    tail: AtomicUsize, // how many were put: written by the producer
    slots: [AtomicU32; 2],
}

impl Ring {
    fn put(&self, value: u32) {
        let tail = self.tail.load(Ordering::Relaxed);
        while tail.wrapping_sub(self.head.load(Ordering::Acquire)) == self.slots.len() {}
        self.slots[tail % self.slots.len()].store(value, Ordering::Relaxed);
        self.tail.store(tail.wrapping_add(1), Ordering::Release);
    }

    fn take(&self) -> u32 {
        let head = self.head.load(Ordering::Relaxed);
        while self.tail.load(Ordering::Acquire) == head {}
        let value = self.slots[head % self.slots.len()].load(Ordering::Relaxed);
        self.head.store(head.wrapping_add(1), Ordering::Release);
        value
    }
}

fn main() {
    let ring = Arc::new(Ring {
        head: AtomicUsize::new(0),
        tail: AtomicUsize::new(0),
        slots: [AtomicU32::new(0), AtomicU32::new(0)],
    });
    let end = Arc::clone(&ring);
    let producer = thread::spawn(move || {
        for value in 1..=3 {
            end.put(value);
        }
    });
    for value in 1..=3 {
        assert!(ring.take() == value);
    }
    producer.join().unwrap();
}
