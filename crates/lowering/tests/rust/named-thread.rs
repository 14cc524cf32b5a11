// sees: STEPS
// sc: 1
// tso: 1
// fails: never

//! What has nothing to do with memory: names, scheduling, time, output.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

static STEPS: AtomicU32 = AtomicU32::new(0);

fn main() {
    let builder = thread::Builder::new().name("worker".to_owned());
    let worker = builder
        .spawn(|| {
            thread::park();
            thread::yield_now();
            std::hint::spin_loop();
            thread::sleep(Duration::from_millis(1));
            println!("steps: {}", STEPS.fetch_add(1, Relaxed));
        })
        .unwrap();
    worker.thread().unpark();
    worker.join().unwrap();
    eprintln!("{}", format!("{:?}", STEPS));
}
