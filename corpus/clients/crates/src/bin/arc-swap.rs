//! Two readers' worth of `load`, and one `store`: what is read is one of the two values.
use arc_swap::ArcSwap;
use std::sync::Arc;
use std::thread;

fn main() {
    let shared = Arc::new(ArcSwap::from_pointee(1_usize));
    let theirs = Arc::clone(&shared);
    let writer = thread::spawn(move || theirs.store(Arc::new(2)));
    let seen = **shared.load();
    writer.join().unwrap();
    assert!(seen == 1 || seen == 2);
    assert!(**shared.load() == 2);
}
