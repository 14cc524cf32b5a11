// Locks and protocols for any number of threads, those of corpus/any in Rust. Each is robust against TSO, or has a
// variant beside it that is not, for want of a fence.
#![crate_type = "lib"]

use std::sync::atomic::{AtomicI32, AtomicU8, Ordering};

static LOCKED: AtomicI32 = AtomicI32::new(0);
static HINT: AtomicI32 = AtomicI32::new(0);

/// Test-and-test-and-set.
#[unsafe(no_mangle)]
pub fn ttas() {
    loop {
        while LOCKED.load(Ordering::Relaxed) == 1 {}
        if LOCKED.swap(1, Ordering::Acquire) == 0 {
            break;
        }
    }
    LOCKED.store(0, Ordering::Release);
}

/// The same with a hint beside the lock: the look at the lock can overtake it.
#[unsafe(no_mangle)]
pub fn ttas_hint() -> i32 {
    loop {
        HINT.store(1, Ordering::Relaxed);
        while LOCKED.load(Ordering::Relaxed) == 1 {}
        if LOCKED.swap(1, Ordering::Acquire) == 0 {
            break;
        }
    }
    let seen = HINT.load(Ordering::Relaxed);
    LOCKED.store(0, Ordering::Release);
    seen
}

static NEXT: AtomicU8 = AtomicU8::new(0);
static SERVING: AtomicU8 = AtomicU8::new(0);

/// A ticket lock.
#[unsafe(no_mangle)]
pub fn ticket() {
    let mine = NEXT.fetch_add(1, Ordering::Relaxed);
    while SERVING.load(Ordering::Acquire) != mine {}
    SERVING.store(mine.wrapping_add(1), Ordering::Release);
}

/// The same, and whoever releases it looks whether somebody waits: that load can overtake the release.
#[unsafe(no_mangle)]
pub fn ticket_look() -> bool {
    let mine = NEXT.fetch_add(1, Ordering::Relaxed);
    while SERVING.load(Ordering::Acquire) != mine {}
    SERVING.store(mine.wrapping_add(1), Ordering::Release);
    NEXT.load(Ordering::Relaxed) != mine.wrapping_add(1)
}

static READY: AtomicI32 = AtomicI32::new(0);
static MADE: AtomicI32 = AtomicI32::new(0);

/// Double-checked locking.
#[unsafe(no_mangle)]
pub fn once() -> i32 {
    if READY.load(Ordering::Acquire) == 0 {
        while LOCKED.swap(1, Ordering::Acquire) == 1 {}
        if READY.load(Ordering::Relaxed) == 0 {
            MADE.store(1, Ordering::Relaxed);
            READY.store(1, Ordering::Release);
        }
        LOCKED.store(0, Ordering::Release);
    }
    MADE.load(Ordering::Relaxed)
}

static IN_USE: AtomicI32 = AtomicI32::new(0);

/// What was made is taken away by `take_away`, unless somebody uses it: store buffering.
#[unsafe(no_mangle)]
pub fn use_it() -> i32 {
    IN_USE.store(1, Ordering::Relaxed);
    READY.load(Ordering::Acquire)
}

#[unsafe(no_mangle)]
pub fn take_away() -> i32 {
    READY.store(0, Ordering::Relaxed);
    IN_USE.load(Ordering::Acquire)
}

static WORD: AtomicI32 = AtomicI32::new(0);

/// A reader-writer lock in one word: 1000 for a writer, otherwise the number of readers.
#[unsafe(no_mangle)]
pub fn read_locked() -> i32 {
    let is_free = WORD.fetch_add(1, Ordering::Acquire) < 1000;
    let found = if is_free { MADE.load(Ordering::Relaxed) } else { 0 };
    WORD.fetch_sub(1, Ordering::Release);
    found
}

#[unsafe(no_mangle)]
pub fn write_locked() {
    if WORD.fetch_add(1000, Ordering::Acquire) == 0 {
        MADE.store(1, Ordering::Relaxed);
    }
    WORD.fetch_sub(1000, Ordering::Release);
}

static READING: AtomicI32 = AtomicI32::new(0);
static WRITING: AtomicI32 = AtomicI32::new(0);

/// The same with flags, Dekker's way.
#[unsafe(no_mangle)]
pub fn read_flagged() -> i32 {
    READING.store(1, Ordering::Relaxed);
    let found = if WRITING.load(Ordering::Acquire) == 0 { MADE.load(Ordering::Relaxed) } else { 0 };
    READING.store(0, Ordering::Release);
    found
}

#[unsafe(no_mangle)]
pub fn write_flagged() {
    WRITING.store(1, Ordering::Relaxed);
    if READING.load(Ordering::Acquire) == 0 {
        MADE.store(1, Ordering::Relaxed);
    }
    WRITING.store(0, Ordering::Release);
}
