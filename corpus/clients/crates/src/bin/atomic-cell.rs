//! Two threads exchange values of a type that fits an atomic one.
use crossbeam_utils::atomic::AtomicCell;
use std::thread;

static CELL: AtomicCell<(u32, u32)> = AtomicCell::new((0, 0));

fn main() {
    let other = thread::spawn(|| CELL.swap((1, 1)));
    let (left, right) = CELL.load();
    assert!(left == right);
    let (left, right) = other.join().unwrap();
    assert!(left == 0 && right == 0);
}
