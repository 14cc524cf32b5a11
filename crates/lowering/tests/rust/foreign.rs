// sees: HELD
// sc: 0 1
// tso: 0 1
// fails: never

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

extern "C" {
    fn rand() -> i32;
}

static HELD: AtomicU32 = AtomicU32::new(0);

fn main() {
    // SAFETY: it has no preconditions.
    if unsafe { rand() } % 2 == 1 {
        HELD.store(1, Relaxed);
    }
}
