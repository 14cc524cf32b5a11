//! Two threads add to a floating-point number.
use atomic_float::AtomicF64;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;

static SUM: AtomicF64 = AtomicF64::new(0.0);

fn main() {
    let other = thread::spawn(|| SUM.fetch_add(0.5, Relaxed));
    SUM.fetch_add(0.25, Relaxed);
    other.join().unwrap();
    assert!(SUM.load(Relaxed) == 0.75);
}
