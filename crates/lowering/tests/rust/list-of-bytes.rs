// sees: SUM
// sc: 36
// tso: 36
// fails: never

// The standard library has compiled lists of bytes once and for all.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

static SUM: AtomicU32 = AtomicU32::new(0);

fn main() {
    let mut pushed: Vec<u8> = Vec::new();
    for number in 1..=4 {
        pushed.push(number);
    }
    let mut copied: Vec<u8> = Vec::with_capacity(2);
    copied.extend_from_slice(&[5, 6, 7]);
    copied.reserve(20);
    copied.push(8);
    assert!(pushed[..3] != copied[..3]);
    assert!(copied[1..] == copied.clone()[1..]);
    let sum = pushed.iter().chain(&copied).map(|number| u32::from(*number)).sum();
    SUM.store(sum, Relaxed);
}
