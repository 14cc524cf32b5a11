//! Two threads try to borrow: a borrow for writing excludes the other.
use atomic_refcell::AtomicRefCell;
use std::sync::Arc;
use std::thread;

fn main() {
    let shared = Arc::new(AtomicRefCell::new((0_usize, 0_usize)));
    let theirs = Arc::clone(&shared);
    let writer = thread::spawn(move || {
        if let Ok(mut both) = theirs.try_borrow_mut() {
            both.0 = 1;
            both.1 = 1;
        }
    });
    if let Ok(both) = shared.try_borrow() {
        assert!(both.0 == both.1);
    }
    writer.join().unwrap();
}
