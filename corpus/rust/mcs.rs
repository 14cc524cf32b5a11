//! The queue lock of Mellor-Crummey and Scott. A thread appends its node to the queue by an exchange;
//! if there was one before, it links itself behind that and waits, looking only at its own node.
//! On x86 it can look at its node before the link is seen by the thread before it; that thread
//! unlocks the node only when it has seen the link, so nothing is gained.

use std::ptr;
use std::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU8,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};
use std::thread;

struct Node {
    next: AtomicPtr<Node>,
    locked: AtomicBool,
}

impl Node {
    const fn new() -> Self {
        Self { next: AtomicPtr::new(ptr::null_mut()), locked: AtomicBool::new(false) }
    }
}

static TAIL: AtomicPtr<Node> = AtomicPtr::new(ptr::null_mut());
static NODES: [Node; 2] = [Node::new(), Node::new()]; // one for each thread
static INSIDE: AtomicU8 = AtomicU8::new(0); // how many threads are in the critical section

fn acquire(mine: &'static Node) {
    let before = TAIL.swap(ptr::from_ref(mine).cast_mut(), AcqRel);
    if before.is_null() {
        return;
    }
    mine.locked.store(true, Relaxed);
    // SAFETY: only addresses of static nodes get into the queue.
    unsafe { &*before }.next.store(ptr::from_ref(mine).cast_mut(), Release);
    while mine.locked.load(Acquire) {}
}

fn release(mine: &'static Node) {
    let mut after = mine.next.load(Acquire);
    if after.is_null() {
        let me = ptr::from_ref(mine).cast_mut();
        if TAIL.compare_exchange(me, ptr::null_mut(), Release, Relaxed).is_ok() {
            return;
        }
        // Somebody has appended itself, and will be linked soon.
        while after.is_null() {
            after = mine.next.load(Acquire);
        }
    }
    // SAFETY: only addresses of static nodes get into the queue.
    unsafe { &*after }.locked.store(false, Release);
    mine.next.store(ptr::null_mut(), Relaxed);
}

fn enter(mine: &'static Node) {
    for _ in 0..2 {
        acquire(mine);
        let others = INSIDE.fetch_add(1, Relaxed);
        assert!(others == 0);
        INSIDE.fetch_sub(1, Relaxed);
        release(mine);
    }
}

fn main() {
    thread::scope(|scope| {
        scope.spawn(|| enter(&NODES[0]));
        scope.spawn(|| enter(&NODES[1]));
    });
    assert!(TAIL.load(Relaxed).is_null());
}
