// sees: SUM
// sc: 12 21 22
// tso: 12 21 22
// fails: never

//! One call creates the thread on two ways, with other values; and threads run pointers to functions.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::thread;

static FLAG: AtomicBool = AtomicBool::new(false);
static SUM: AtomicU32 = AtomicU32::new(0);

fn tens() {
    SUM.fetch_add(10, Relaxed);
}

fn twenties() {
    SUM.fetch_add(20, Relaxed);
}

fn main() {
    let setter = thread::spawn(|| FLAG.store(true, Relaxed));
    let ones = if FLAG.load(Relaxed) { 1 } else { 2 };
    let adder = thread::spawn(move || SUM.fetch_add(ones, Relaxed));
    let work: fn() = if FLAG.load(Relaxed) { twenties } else { tens };
    let worker = thread::spawn(work);
    adder.join().unwrap();
    worker.join().unwrap();
    setter.join().unwrap();
}
