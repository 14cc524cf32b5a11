// sees: MANY
// sc: 0 1
// tso: 0 1
// fails: never

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;
use std::time::Instant;

static MANY: AtomicU32 = AtomicU32::new(0);

fn main() {
    let begin = Instant::now();
    let processors = thread::available_parallelism().map(|n| n.get()).unwrap_or(1);
    assert!(processors >= 1 && std::process::id() != 0);
    if processors > 8 {
        MANY.store(1, Relaxed);
    }
    println!("{:?}", begin.elapsed());
}
