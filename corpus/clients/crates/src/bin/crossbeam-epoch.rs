//! One thread replaces a node and defers its destruction while the other one reads it.
use crossbeam_epoch::{self as epoch, Atomic, Owned};
use std::sync::atomic::Ordering::{AcqRel, Acquire};
use std::sync::Arc;
use std::thread;

fn main() {
    let shared = Arc::new(Atomic::new(1_usize));
    let theirs = Arc::clone(&shared);
    let reader = thread::spawn(move || {
        let guard = epoch::pin();
        let seen = unsafe { *theirs.load(Acquire, &guard).deref() };
        assert!(seen == 1 || seen == 2);
    });
    {
        let guard = epoch::pin();
        let old = shared.swap(Owned::new(2), AcqRel, &guard);
        unsafe { guard.defer_destroy(old) };
    }
    reader.join().unwrap();
}
