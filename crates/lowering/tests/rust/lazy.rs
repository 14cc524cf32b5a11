// sees: TIMES SUM
// sc: 1,8
// tso: 1,8
// fails: never

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::LazyLock;
use std::thread;

static TIMES: AtomicU32 = AtomicU32::new(0);
static SUM: AtomicU64 = AtomicU64::new(0);
static FOUR: LazyLock<u64> = LazyLock::new(|| {
    TIMES.store(TIMES.load(Relaxed) + 1, Relaxed);
    4
});

fn work() {
    SUM.fetch_add(*FOUR, Relaxed);
}

fn main() {
    let other = thread::spawn(work);
    work();
    other.join().unwrap();
}
