//! Two threads initialise one cell: both see the value of the first.
use once_cell::sync::OnceCell;
use std::thread;

static CELL: OnceCell<usize> = OnceCell::new();

fn main() {
    let other = thread::spawn(|| *CELL.get_or_init(|| 1));
    let ours = *CELL.get_or_init(|| 2);
    let theirs = other.join().unwrap();
    assert!(ours == theirs);
}
