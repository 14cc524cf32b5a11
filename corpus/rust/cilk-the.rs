//! The work-stealing queue of Cilk-5, called THE after its three variables: the owner pushes and pops
//! tasks at the tail T, thieves steal at the head H under the lock L. Owner and thief each announce
//! their claim by moving T or H and then look at the other end, as in Dekker's mutual exclusion, and
//! take the lock only when they meet. A task is its number in the queue.
//! Wrong on x86 without a fence after each announcement: a claim that still waits in the store buffer
//! is not seen, and the last task is run twice.

use std::sync::atomic::{
    AtomicBool, AtomicI32,
    Ordering::{Acquire, Relaxed, Release},
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
