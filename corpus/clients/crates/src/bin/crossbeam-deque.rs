//! The owner pushes one task and pops it while a thief steals: exactly one of them gets it.
use crossbeam_deque::{Steal, Worker};
use std::thread;

fn main() {
    let worker = Worker::new_lifo();
    let stealer = worker.stealer();
    worker.push(1_usize);
    let thief = thread::spawn(move || matches!(stealer.steal(), Steal::Success(1)));
    let ours = worker.pop().is_some();
    let theirs = thief.join().unwrap();
    assert!(!(ours && theirs));
}
