//! Treiber's lock-free stack: two pushers and two poppers. Nodes are static and pushed once, so no
//! address comes back. A pusher links its node in front of the head it saw and swings the head; a
//! popper swings it back.
//! Fine on x86: the only store before a read of the head is followed by a compare-and-swap, which
//! waits for the store buffer.

use std::ptr;
use std::sync::atomic::{
    AtomicPtr,
    Ordering::{Acquire, Relaxed, Release},
};
use std::thread;

struct Node {
    next: AtomicPtr<Node>,
}

static HEAD: AtomicPtr<Node> = AtomicPtr::new(ptr::null_mut());
static NODES: [Node; 2] = [const { Node { next: AtomicPtr::new(ptr::null_mut()) } }; 2];
static POPPED: [AtomicPtr<Node>; 2] = [const { AtomicPtr::new(ptr::null_mut()) }; 2];

fn push(node: &'static Node) {
    loop {
        let old = HEAD.load(Relaxed);
        node.next.store(old, Relaxed);
        let new = ptr::from_ref(node).cast_mut();
        if HEAD.compare_exchange(old, new, Release, Relaxed).is_ok() {
            return;
        }
    }
}

/// Null if the stack is empty.
fn pop() -> *mut Node {
    loop {
        let node = HEAD.load(Acquire);
        if node.is_null() {
            return node;
        }
        // SAFETY: only static nodes are pushed.
        let rest = unsafe { &*node }.next.load(Relaxed);
        if HEAD.compare_exchange(node, rest, Relaxed, Relaxed).is_ok() {
            return node;
        }
    }
}

fn main() {
    thread::scope(|scope| {
        scope.spawn(|| push(&NODES[0]));
        scope.spawn(|| push(&NODES[1]));
        scope.spawn(|| POPPED[0].store(pop(), Relaxed));
        scope.spawn(|| POPPED[1].store(pop(), Relaxed));
    });
    let (first, second) = (POPPED[0].load(Relaxed), POPPED[1].load(Relaxed));
    assert!(first.is_null() || first != second);
}
