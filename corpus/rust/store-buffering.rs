//! The smallest program that shows that x86 buffers stores, with the weakest atomic accesses that
//! Rust has. Threads return what they saw.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::Arc;
use std::thread;

#[derive(Default)]
struct Cells {
    x: AtomicU32,
    y: AtomicU32,
}

fn main() {
    let cells = Arc::new(Cells::default());
    let left_cells = Arc::clone(&cells);
    let left = thread::spawn(move || {
        left_cells.x.store(1, Relaxed);
        left_cells.y.load(Relaxed)
    });
    let right_cells = Arc::clone(&cells);
    let right = thread::spawn(move || {
        right_cells.y.store(1, Relaxed);
        right_cells.x.load(Relaxed)
    });
    let saw_y = left.join().unwrap();
    let saw_x = right.join().unwrap();
    assert!(saw_x == 1 || saw_y == 1);
}
