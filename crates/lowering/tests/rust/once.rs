// sees: TIMES SUM
// sc: 2,18
// tso: 2,18
// fails: never

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Once, OnceLock};
use std::thread;

static BEGUN: Once = Once::new();
static NINE: OnceLock<u32> = OnceLock::new();
static TIMES: AtomicU32 = AtomicU32::new(0);
static SUM: AtomicU32 = AtomicU32::new(0);

fn work() {
    BEGUN.call_once(|| TIMES.store(TIMES.load(Relaxed) + 1, Relaxed));
    let nine = NINE.get_or_init(|| {
        TIMES.store(TIMES.load(Relaxed) + 1, Relaxed);
        9
    });
    SUM.fetch_add(*nine, Relaxed);
}

fn main() {
    let other = thread::spawn(work);
    work();
    other.join().unwrap();
}
