// sees: SUM
// sc: 30
// tso: 30
// fails: never

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread::{self, JoinHandle};

static SUM: AtomicU32 = AtomicU32::new(0);

fn main() {
    let handles: Vec<JoinHandle<u32>> = (1..3).map(|me| thread::spawn(move || 10 * me)).collect();
    let mut sum = 0;
    for handle in handles {
        sum += handle.join().unwrap();
    }
    SUM.store(sum, Relaxed);
}
