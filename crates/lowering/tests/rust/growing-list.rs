// sees: SUM
// sc: 30
// tso: 30
// fails: never

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;

static SUM: AtomicU32 = AtomicU32::new(0);

fn main() {
    let mut handles = Vec::new();
    for me in [10, 20] {
        handles.push(thread::spawn(move || me));
    }
    let sum = handles.into_iter().map(|handle| handle.join().unwrap()).sum();
    SUM.store(sum, Relaxed);
}
