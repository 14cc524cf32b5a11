// sees: TOTAL
// sc: 9
// tso: 9
// fails: never

//! Generic functions that spawn, closures in methods, a trait with two implementations.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::Arc;
use std::thread;

static TOTAL: AtomicU32 = AtomicU32::new(0);

trait Counter: Send + Sync + 'static {
    fn add(&self, more: u32);
    fn total(&self) -> u32;
}

struct Plain(AtomicU32);
struct Doubling {
    _name: &'static str,
    half: AtomicU32,
}

impl Counter for Plain {
    fn add(&self, more: u32) {
        self.0.fetch_add(more, Relaxed);
    }
    fn total(&self) -> u32 {
        self.0.load(Relaxed)
    }
}

impl Counter for Doubling {
    fn add(&self, more: u32) {
        self.half.fetch_add(more, Relaxed);
    }
    fn total(&self) -> u32 {
        2 * self.half.load(Relaxed)
    }
}

struct Pair<C> {
    counter: Arc<C>,
}

impl<C: Counter> Pair<C> {
    fn run(&self, more: u32) -> u32 {
        let theirs = Arc::clone(&self.counter);
        let other = thread::spawn(move || theirs.add(more));
        self.counter.add(1);
        other.join().unwrap();
        self.counter.total()
    }
}

fn both<F: Fn(u32) -> u32>(f: F) -> u32 {
    f(0) + f(1)
}

fn main() {
    let plain = Pair { counter: Arc::new(Plain(AtomicU32::new(0))) };
    let doubling = Doubling { _name: "twice", half: AtomicU32::new(0) };
    let doubling = Pair { counter: Arc::new(doubling) };
    let total = plain.run(1) + doubling.run(1);
    TOTAL.store(total + both(|which| which + 1), Relaxed);
}
