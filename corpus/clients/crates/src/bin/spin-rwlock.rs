//! A writer changes two numbers under a spinning reader-writer lock, and a reader sees both or neither.
use spin::RwLock;
use std::thread;

static BOTH: RwLock<(usize, usize)> = RwLock::new((0, 0));

fn main() {
    let writer = thread::spawn(|| {
        let mut both = BOTH.write();
        both.0 = 1;
        both.1 = 1;
    });
    let (left, right) = *BOTH.read();
    assert!(left == right);
    writer.join().unwrap();
}
