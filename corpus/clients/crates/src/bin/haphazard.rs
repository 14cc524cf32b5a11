//! A hazard pointer protects a node while the other thread replaces and retires it.
use haphazard::{AtomicPtr, HazardPointer};
use std::sync::Arc;
use std::thread;

fn main() {
    let shared = Arc::new(AtomicPtr::from(Box::new(1_usize)));
    let theirs = Arc::clone(&shared);
    let reader = thread::spawn(move || {
        let mut hazard = HazardPointer::new();
        let seen = *theirs.safe_load(&mut hazard).unwrap();
        assert!(seen == 1 || seen == 2);
    });
    let old = shared.swap(Box::new(2)).unwrap();
    unsafe { old.retire() };
    reader.join().unwrap();
}
