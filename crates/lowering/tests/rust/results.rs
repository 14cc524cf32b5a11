// sees: SMALL TRUTH PERHAPS WIDE BOXED SCOPED
// sc: 3,1,9,60,8,11
// tso: 3,1,9,60,8,11
// fails: never

//! Results in registers, in memory, with and without a place for the failure that does not happen.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;

static SMALL: AtomicU64 = AtomicU64::new(0);
static TRUTH: AtomicU64 = AtomicU64::new(0);
static PERHAPS: AtomicU64 = AtomicU64::new(0);
static WIDE: AtomicU64 = AtomicU64::new(0);
static BOXED: AtomicU64 = AtomicU64::new(0);
static SCOPED: AtomicU64 = AtomicU64::new(0);

fn main() {
    let small: u8 = thread::spawn(|| 3).join().unwrap();
    SMALL.store(small.into(), Relaxed);
    let truth = thread::spawn(move || small == 3).join().unwrap();
    TRUTH.store(truth.into(), Relaxed);
    let perhaps = thread::spawn(move || truth.then_some(9)).join().unwrap();
    PERHAPS.store(perhaps.unwrap_or(0), Relaxed);
    let wide = thread::spawn(|| [10u64, 20, 30]).join().unwrap();
    WIDE.store(wide.iter().sum(), Relaxed);
    let boxed = thread::spawn(|| Box::new(8)).join().unwrap();
    BOXED.store(*boxed, Relaxed);
    let pair = thread::scope(|scope| {
        let left = scope.spawn(|| 5);
        let right = scope.spawn(|| 6);
        (left.join().unwrap(), right.join().unwrap())
    });
    SCOPED.store(pair.0 + pair.1, Relaxed);
}
