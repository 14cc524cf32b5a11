//! Whoever needs the square first computes it, by `OnceLock`, and counts that by `Once`; the others
//! wait and find it made.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Once, OnceLock};
use std::thread;

static SQUARE: OnceLock<u32> = OnceLock::new();
static COUNTED: Once = Once::new();
static TIMES_MADE: AtomicU32 = AtomicU32::new(0);

fn read() {
    let square = *SQUARE.get_or_init(|| 7 * 7);
    COUNTED.call_once(|| TIMES_MADE.store(TIMES_MADE.load(Relaxed) + 1, Relaxed));
    assert!(square == 49);
}

fn main() {
    thread::scope(|scope| {
        scope.spawn(read);
        scope.spawn(read);
    });
    assert!(TIMES_MADE.load(Relaxed) == 1);
}
