// sees: DROPPED LEFT
// sc: 1,5
// tso: 1,5
// fails: never

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::Arc;
use std::thread;

static DROPPED: AtomicU32 = AtomicU32::new(0);
static LEFT: AtomicU32 = AtomicU32::new(0);

struct Noisy(u32);

impl Drop for Noisy {
    fn drop(&mut self) {
        LEFT.store(self.0, Relaxed);
        DROPPED.fetch_add(1, Relaxed);
    }
}

fn main() {
    let mine = Arc::new(Noisy(5));
    let theirs = Arc::clone(&mine);
    let other = thread::spawn(move || drop(theirs));
    drop(mine);
    other.join().unwrap();
}
