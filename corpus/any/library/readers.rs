// What any number of threads read while one writes, and a stack, those of corpus/any in Rust. Each is robust against TSO,
// or has a variant beside it that is not, for want of a fence.
#![crate_type = "lib"]

use std::sync::atomic::{AtomicI32, AtomicU8, AtomicU32, Ordering, fence};

static SEQUENCE: AtomicU32 = AtomicU32::new(0);
static DATA: AtomicI32 = AtomicI32::new(0);
static HALT: AtomicI32 = AtomicI32::new(0);

/// A sequence lock.
#[unsafe(no_mangle)]
pub fn seq_write() {
    SEQUENCE.store(1, Ordering::Relaxed);
    DATA.store(1, Ordering::Release);
    SEQUENCE.store(2, Ordering::Release);
}

#[unsafe(no_mangle)]
pub fn seq_read() -> i32 {
    loop {
        let before = SEQUENCE.load(Ordering::Acquire);
        let found = DATA.load(Ordering::Acquire);
        if before & 1 == 0 && before == SEQUENCE.load(Ordering::Relaxed) {
            return found;
        }
    }
}

/// The same with a writer that looks whether it is to stop, right after publishing: that load can overtake it.
#[unsafe(no_mangle)]
pub fn seq_write_until() -> i32 {
    SEQUENCE.store(1, Ordering::Relaxed);
    DATA.store(1, Ordering::Release);
    SEQUENCE.store(2, Ordering::Release);
    HALT.load(Ordering::Relaxed)
}

#[unsafe(no_mangle)]
pub fn seq_read_stop() -> u32 {
    HALT.swap(1, Ordering::Relaxed);
    SEQUENCE.load(Ordering::Acquire)
}

static CCF: AtomicU8 = AtomicU8::new(0);
static BUFFER: AtomicI32 = AtomicI32::new(0);
static ACKNOWLEDGED: AtomicI32 = AtomicI32::new(0);

/// Non-blocking write.
#[unsafe(no_mangle)]
pub fn nbw_write() {
    CCF.store(1, Ordering::Relaxed);
    BUFFER.store(1, Ordering::Release);
    CCF.store(2, Ordering::Release);
}

#[unsafe(no_mangle)]
pub fn nbw_read() -> i32 {
    let begun = CCF.load(Ordering::Acquire);
    let found = BUFFER.load(Ordering::Acquire);
    if begun & 1 == 0 && begun == CCF.load(Ordering::Relaxed) { found } else { -1 }
}

/// The same with acknowledgements, at which the writer looks after its last store.
#[unsafe(no_mangle)]
pub fn nbw_write_acknowledged() -> i32 {
    CCF.store(1, Ordering::Relaxed);
    BUFFER.store(1, Ordering::Release);
    CCF.store(2, Ordering::Release);
    ACKNOWLEDGED.load(Ordering::Relaxed)
}

#[unsafe(no_mangle)]
pub fn nbw_read_acknowledge() -> i32 {
    ACKNOWLEDGED.swap(1, Ordering::Relaxed);
    let begun = CCF.load(Ordering::Acquire);
    let found = BUFFER.load(Ordering::Acquire);
    if begun & 1 == 0 && begun == CCF.load(Ordering::Relaxed) { found } else { -1 }
}

static READERS: AtomicU8 = AtomicU8::new(0);
static CURRENT: AtomicI32 = AtomicI32::new(0);
static OLD: AtomicI32 = AtomicI32::new(1);

/// Readers in the manner of RCU: entering and leaving is counted.
#[unsafe(no_mangle)]
pub fn rcu_read() -> i32 {
    READERS.fetch_add(1, Ordering::Acquire);
    let found =
        if CURRENT.load(Ordering::Acquire) == 0 { OLD.load(Ordering::Relaxed) } else { 1 };
    READERS.fetch_sub(1, Ordering::Release);
    found
}

/// The writer publishes, waits for readers, and takes the old version away.
#[unsafe(no_mangle)]
pub fn rcu_write() {
    CURRENT.swap(1, Ordering::Release);
    while READERS.load(Ordering::Acquire) != 0 {}
    OLD.store(0, Ordering::Relaxed);
}

/// The same, published by a plain store: the look at the readers can overtake it.
#[unsafe(no_mangle)]
pub fn rcu_write_plain() {
    CURRENT.store(1, Ordering::Release);
    while READERS.load(Ordering::Acquire) != 0 {}
    OLD.store(0, Ordering::Relaxed);
}

static TOP: AtomicI32 = AtomicI32::new(1);
static BELOW: AtomicI32 = AtomicI32::new(0);
static UNUSED: AtomicI32 = AtomicI32::new(0);
static WANTED: AtomicI32 = AtomicI32::new(0);

/// Treiber's stack with one node, which is there: a node comes from a pool, and whoever finds none says so and looks again.
#[unsafe(no_mangle)]
pub fn push() {
    if UNUSED.compare_exchange(1, 0, Ordering::Acquire, Ordering::Relaxed).is_err() {
        WANTED.swap(1, Ordering::Relaxed);
        if UNUSED.compare_exchange(1, 0, Ordering::Acquire, Ordering::Relaxed).is_err() {
            return;
        }
    }
    let mut under = TOP.load(Ordering::Relaxed);
    loop {
        BELOW.store(under, Ordering::Relaxed);
        match TOP.compare_exchange(under, 1, Ordering::Release, Ordering::Relaxed) {
            Ok(_) => return,
            Err(found) => under = found,
        }
    }
}

#[unsafe(no_mangle)]
pub fn pop() -> i32 {
    let below = BELOW.load(Ordering::Relaxed);
    if TOP.compare_exchange(1, below, Ordering::Acquire, Ordering::Relaxed).is_err() {
        return 0;
    }
    UNUSED.swap(1, Ordering::Release);
    WANTED.load(Ordering::Relaxed)
}

/// The same, the node given back by a store: the look whether one is wanted can overtake it.
#[unsafe(no_mangle)]
pub fn pop_plain() -> i32 {
    let below = BELOW.load(Ordering::Relaxed);
    if TOP.compare_exchange(1, below, Ordering::Acquire, Ordering::Relaxed).is_err() {
        return 0;
    }
    UNUSED.store(1, Ordering::Release);
    WANTED.load(Ordering::Relaxed)
}

static HEAD: AtomicU32 = AtomicU32::new(0);
static TAIL: AtomicU32 = AtomicU32::new(0);

/// A ring between one producer and one consumer, of which only the indices are shown; any number observe it.
#[unsafe(no_mangle)]
pub fn produce() -> u32 {
    TAIL.store(1, Ordering::Release);
    HEAD.load(Ordering::Acquire)
}

#[unsafe(no_mangle)]
pub fn consume() -> u32 {
    HEAD.store(1, Ordering::Release);
    TAIL.load(Ordering::Acquire)
}

#[unsafe(no_mangle)]
pub fn observe() -> u32 {
    TAIL.load(Ordering::Acquire).wrapping_sub(HEAD.load(Ordering::Acquire))
}

/// The same with fences.
#[unsafe(no_mangle)]
pub fn produce_fenced() -> u32 {
    TAIL.store(1, Ordering::Release);
    fence(Ordering::SeqCst);
    HEAD.load(Ordering::Acquire)
}

#[unsafe(no_mangle)]
pub fn consume_fenced() -> u32 {
    HEAD.store(1, Ordering::Release);
    fence(Ordering::SeqCst);
    TAIL.load(Ordering::Acquire)
}
