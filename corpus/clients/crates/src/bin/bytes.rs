//! Two handles of the same buffer are dropped by two threads.
use bytes::Bytes;
use std::thread;

fn main() {
    let ours = Bytes::from(vec![1_u8, 2]);
    let theirs = ours.clone();
    let other = thread::spawn(move || assert!(theirs[1] == 2));
    assert!(ours[0] == 1);
    drop(ours);
    other.join().unwrap();
}
