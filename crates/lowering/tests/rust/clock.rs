// undecided: a step that depends on what `<std::time::Instant>::elapsed` returns

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

static LATE: AtomicU32 = AtomicU32::new(0);

fn main() {
    if Instant::now().elapsed() > Duration::from_millis(5) {
        LATE.store(1, Relaxed);
    }
}
