//! An idempotent work-stealing double-ended queue, by Michael, Vechev and Saraswat; the array never
//! grows. One word, the anchor, packs the head, the number of tasks and a tag that every put
//! increments. The owner works at the tail with plain stores, thieves take the oldest task by a
//! compare-and-swap of the anchor.
//! Robust on x86 for the reason of iwsq-lifo.rs.

use std::sync::atomic::{
    AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release, SeqCst},
};
use std::thread;

const SLOTS: u64 = 3;
const EMPTY: u32 = 0;

/// What the anchor packs.
#[derive(Clone, Copy)]
struct Anchor {
    head: u64,
    size: u64,
    tag: u64,
}

impl Anchor {
    fn of(word: u64) -> Self {
        Self { head: word & 0xffff, size: word >> 16 & 0xffff, tag: word >> 32 }
    }

    fn word(self) -> u64 {
        self.tag << 32 | self.size << 16 | self.head
    }
}

static ANCHOR: AtomicU64 = AtomicU64::new(0);
static TASK: [AtomicU32; SLOTS as usize] = [const { AtomicU32::new(EMPTY) }; SLOTS as usize];

fn slot(index: u64) -> &'static AtomicU32 {
    &TASK[(index % SLOTS) as usize]
}

fn put(task: u32) {
    let Anchor { head, size, tag } = Anchor::of(ANCHOR.load(Relaxed));
    slot(head + size).store(task, Relaxed);
    ANCHOR.store(Anchor { head, size: size + 1, tag: tag + 1 }.word(), Release);
}

fn take() -> u32 {
    let Anchor { head, size, tag } = Anchor::of(ANCHOR.load(Relaxed));
    if size == 0 {
        return EMPTY;
    }
    let task = slot(head + size - 1).load(Relaxed);
    assert!(task != EMPTY);
    ANCHOR.store(Anchor { head, size: size - 1, tag }.word(), Relaxed);
    task
}

/// `EMPTY` also if somebody else was faster.
fn steal() -> u32 {
    let seen = ANCHOR.load(Acquire);
    let Anchor { head, size, tag } = Anchor::of(seen);
    if size == 0 {
        return EMPTY;
    }
    let task = slot(head).load(Relaxed);
    let less = Anchor { head: (head + 1) % SLOTS, size: size - 1, tag };
    if ANCHOR.compare_exchange(seen, less.word(), SeqCst, Relaxed).is_err() {
        return EMPTY;
    }
    assert!(task != EMPTY);
    task
}

fn main() {
    thread::scope(|scope| {
        scope.spawn(|| {
            put(1);
            put(2);
            if take() != EMPTY {
                take();
            }
        });
        scope.spawn(|| {
            steal();
            steal();
        });
    });
}
