// sees: NOTHING ONE PAIR MANY
// sc: 1,42,50,70
// tso: 1,42,50,70
// fails: never

//! What a closure holds is nothing, one value, two, or a structure in memory, and not constant.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;

static START: AtomicU64 = AtomicU64::new(20);
static NOTHING: AtomicU64 = AtomicU64::new(0);
static ONE: AtomicU64 = AtomicU64::new(0);
static PAIR: AtomicU64 = AtomicU64::new(0);
static MANY: AtomicU64 = AtomicU64::new(0);

fn main() {
    let start = START.load(Relaxed);
    thread::spawn(|| NOTHING.store(1, Relaxed)).join().unwrap();
    thread::spawn(move || ONE.store(start + 22, Relaxed)).join().unwrap();
    let twice = 2 * start - 10;
    thread::spawn(move || PAIR.store(start + twice, Relaxed)).join().unwrap();
    let values = [start, 10, twice];
    let target = &MANY;
    thread::spawn(move || target.store(values[0] + values[1] + values[2] + 10, Relaxed))
        .join()
        .unwrap();
}
