// sees: FIRST SECOND
// sc: 1,2
// tso: 1,2
// fails: never

//! Two functions of one name, whose closures are called alike.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;

static FIRST: AtomicU32 = AtomicU32::new(0);
static SECOND: AtomicU32 = AtomicU32::new(0);

fn main() {
    {
        fn run() {
            thread::spawn(|| FIRST.store(1, Relaxed)).join().unwrap();
        }
        run();
    }
    {
        fn run() {
            thread::spawn(|| SECOND.store(2, Relaxed)).join().unwrap();
        }
        run();
    }
}
