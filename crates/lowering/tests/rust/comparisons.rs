// sees: SIGNED UNSIGNED SAME
// sc: 1,2,3
// tso: 1,2,3
// fails: never

use std::cmp::Ordering;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

static LOW: AtomicI32 = AtomicI32::new(-1);
static HIGH: AtomicI32 = AtomicI32::new(5);
static SIGNED: AtomicI32 = AtomicI32::new(0);
static UNSIGNED: AtomicI32 = AtomicI32::new(0);
static SAME: AtomicI32 = AtomicI32::new(0);

fn number(ordering: Ordering) -> i32 {
    match ordering {
        Ordering::Less => 1,
        Ordering::Greater => 2,
        Ordering::Equal => 3,
    }
}

fn main() {
    let (low, high) = (LOW.load(Relaxed), HIGH.load(Relaxed));
    SIGNED.store(number(low.cmp(&high)), Relaxed);
    UNSIGNED.store(number((low as u32).cmp(&(high as u32))), Relaxed);
    SAME.store(number(high.cmp(&HIGH.load(Relaxed))), Relaxed);
}
