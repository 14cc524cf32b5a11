// sees: WHO COUNT
// sc: 7,3
// tso: 7,3
// fails: never

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;

static WHO: AtomicU32 = AtomicU32::new(0);
static COUNT: AtomicU32 = AtomicU32::new(0);

fn main() {
    let count = AtomicU32::new(0);
    thread::scope(|scope| {
        for me in 0..3 {
            let count = &count;
            scope.spawn(move || {
                WHO.fetch_or(1 << me, Relaxed);
                count.fetch_add(1, Relaxed);
            });
        }
    });
    COUNT.store(count.into_inner(), Relaxed);
}
