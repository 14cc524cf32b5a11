//! Two threads of one closure that share a structure in an `Arc`, and forget to take turns.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

struct Shared {
    turn: AtomicU32,
    slots: [AtomicU32; 2],
}

fn main() {
    let shared = Arc::new(Shared { turn: AtomicU32::new(0), slots: [const { AtomicU32::new(0) }; 2] });
    let workers: [_; 2] = [0, 1].map(|own| {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            let turn = shared.turn.load(Ordering::Relaxed);
            shared.slots[own].store(turn + 1, Ordering::Relaxed);
            shared.turn.store(turn + 1, Ordering::Relaxed);
        })
    });
    for worker in workers {
        worker.join().unwrap();
    }
    assert!(shared.turn.load(Ordering::Relaxed) == 2);
}
