//! A writer publishes twice, and a reader never sees an older value after a newer one.
use std::thread;
use triple_buffer::triple_buffer;

fn main() {
    let (mut input, mut output) = triple_buffer(&0_usize);
    let writer = thread::spawn(move || {
        input.write(1);
        input.write(2);
    });
    let first = *output.read();
    let second = *output.read();
    assert!(first <= second);
    writer.join().unwrap();
}
