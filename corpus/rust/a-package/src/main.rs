//! Three values through the ring of the library beside it.

use std::thread;

use a_package::Ring;

fn main() {
    let ring = Ring::default();
    thread::scope(|scope| {
        scope.spawn(|| {
            for value in 1..=3 {
                ring.put(value);
            }
        });
        scope.spawn(|| {
            for value in 1..=3 {
                assert!(ring.take() == value);
            }
        });
    });
}
