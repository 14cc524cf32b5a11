// sees: SAW
// sc: 0 2
// tso: 0 2
// fails: never

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::RwLock;
use std::thread;

static PAIR: RwLock<(u32, u32)> = RwLock::new((0, 0));
static SAW: AtomicU32 = AtomicU32::new(9);

fn main() {
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut pair = PAIR.write().unwrap();
            pair.0 = 1;
            pair.1 = 1;
        });
        scope.spawn(|| {
            let pair = PAIR.read().unwrap();
            SAW.store(pair.0 + pair.1, Relaxed);
        });
    });
}
