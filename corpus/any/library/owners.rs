// Locks whose threads know themselves by an identity, those of corpus/any in Rust: `--thread 'recursive(self)*any'`.
// Nothing but equality matters of identities, so what holds of some copies holds of all.
#![crate_type = "lib"]

use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

static LOCKED: AtomicI32 = AtomicI32::new(0);
static OWNER: AtomicU32 = AtomicU32::new(0);
static DEPTH: AtomicI32 = AtomicI32::new(0);

/// A lock that its holder can take again. Whoever finds its own identity has stored it.
fn lock(me: u32) -> bool {
    if OWNER.load(Ordering::Relaxed) == me {
        return false;
    }
    while LOCKED.swap(1, Ordering::Acquire) == 1 {}
    OWNER.store(me, Ordering::Relaxed);
    true
}

#[unsafe(no_mangle)]
pub fn recursive(me: u32) {
    if lock(me) {
        DEPTH.store(1, Ordering::Relaxed);
        assert!(!lock(me));
        assert!(OWNER.load(Ordering::Relaxed) == me);
        DEPTH.store(0, Ordering::Relaxed);
        OWNER.store(0, Ordering::Relaxed);
        LOCKED.swap(0, Ordering::Release);
    }
}

/// Whoever finds the lock taken gives it back all the same: two threads are enough for the assertion to fail.
#[unsafe(no_mangle)]
pub fn careless(me: u32) {
    if OWNER.compare_exchange(0, me, Ordering::Acquire, Ordering::Relaxed).is_ok() {
        assert!(OWNER.load(Ordering::Relaxed) == me);
    }
    OWNER.store(0, Ordering::Release);
}

static BIAS: AtomicU32 = AtomicU32::new(0);
static BUSY: AtomicI32 = AtomicI32::new(0);
static REVOKED: AtomicI32 = AtomicI32::new(0);
static TAKEN: AtomicI32 = AtomicI32::new(0);

/// A lock that is biased towards the first that takes it; both ways store a flag and load the other's (Dekker).
#[unsafe(no_mangle)]
pub fn biased(me: u32) {
    let _ = BIAS.compare_exchange(0, me, Ordering::Acquire, Ordering::Relaxed);
    if BIAS.load(Ordering::Relaxed) == me {
        BUSY.store(1, Ordering::Relaxed);
        if REVOKED.load(Ordering::Acquire) == 0 {
            DEPTH.store(1, Ordering::Relaxed);
        }
        BUSY.store(0, Ordering::Release);
    } else if TAKEN.swap(1, Ordering::Acquire) == 0 {
        REVOKED.store(1, Ordering::Relaxed);
        if BUSY.load(Ordering::Acquire) == 0 {
            DEPTH.store(2, Ordering::Relaxed);
        }
        REVOKED.store(0, Ordering::Release);
        TAKEN.swap(0, Ordering::Release);
    }
}
