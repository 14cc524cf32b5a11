//! Cilk's work-stealing queue THE (see cilk-the.rs), with a fence after the owner's and after the
//! thief's announcement. Under the lock the owner announces once more, but then no thief can meet it.

use std::sync::atomic::{
    fence, AtomicBool, AtomicI32,
    Ordering::{Acquire, Relaxed, Release, SeqCst},
};
use std::thread;

static T: AtomicI32 = AtomicI32::new(0);
static H: AtomicI32 = AtomicI32::new(0);
static L: AtomicBool = AtomicBool::new(false);

// Sets of tasks: bit k is task k.
static POPPED: AtomicI32 = AtomicI32::new(0);
static STOLEN: AtomicI32 = AtomicI32::new(0);

fn lock() {
    while L.compare_exchange(false, true, Acquire, Relaxed).is_err() {}
}

fn unlock() {
    L.store(false, Release);
}

fn push() {
    T.store(T.load(Relaxed) + 1, Release);
}

fn pop() -> Option<i32> {
    let tail = T.load(Relaxed) - 1;
    T.store(tail, Relaxed);
    fence(SeqCst);
    if H.load(Acquire) > tail {
        // Met a thief: undo, and decide under the lock.
        T.store(tail + 1, Relaxed);
        lock();
        T.store(tail, Relaxed);
        if H.load(Relaxed) > tail {
            T.store(tail + 1, Relaxed);
            unlock();
            return None;
        }
        unlock();
    }
    Some(tail)
}

fn steal() -> Option<i32> {
    lock();
    let head = H.load(Relaxed);
    H.store(head + 1, Relaxed);
    fence(SeqCst);
    if head + 1 > T.load(Acquire) {
        H.store(head, Relaxed);
        unlock();
        return None;
    }
    unlock();
    Some(head)
}

/// The set of one task or none.
fn set(task: Option<i32>) -> i32 {
    match task {
        Some(task) => 1 << task,
        None => 0,
    }
}

fn main() {
    thread::scope(|scope| {
        scope.spawn(|| {
            push();
            push();
            let (first, second) = (pop(), pop());
            POPPED.store(set(first) | set(second), Relaxed);
        });
        scope.spawn(|| STOLEN.store(set(steal()), Relaxed));
    });
    assert!(POPPED.load(Relaxed) & STOLEN.load(Relaxed) == 0);
}
