//! Treiber's lock-free stack (see treiber.rs) with boxed nodes that carry a value: a pusher and a
//! popper that push and pop twice. Popped nodes are never freed, so no address comes back.
//! Robust on x86, but neither free of triangular races nor persistent: the value of a node can wait
//! in the store buffer while its thread reads a head that the other one is moving. Nobody looks at
//! the value before the compare-and-swap that publishes the node.

use std::ptr;
use std::sync::atomic::{
    AtomicPtr,
    Ordering::{Acquire, Relaxed, Release},
};
use std::thread;

struct Node {
    value: u32,
    next: *mut Node,
}

static HEAD: AtomicPtr<Node> = AtomicPtr::new(ptr::null_mut());

fn push(value: u32) {
    let node = Box::into_raw(Box::new(Node { value, next: ptr::null_mut() }));
    loop {
        let old = HEAD.load(Relaxed);
        // SAFETY: the node is still our own.
        unsafe { (*node).next = old };
        if HEAD.compare_exchange(old, node, Release, Relaxed).is_ok() {
            return;
        }
    }
}

fn pop() -> Option<u32> {
    loop {
        let node = HEAD.load(Acquire);
        if node.is_null() {
            return None;
        }
        // SAFETY: nodes are never freed, and nobody writes to one that has been pushed.
        let (value, rest) = unsafe { ((*node).value, (*node).next) };
        if HEAD.compare_exchange(node, rest, Relaxed, Relaxed).is_ok() {
            return Some(value);
        }
    }
}

fn main() {
    thread::scope(|scope| {
        scope.spawn(|| {
            push(1);
            push(2);
        });
        scope.spawn(|| {
            let first = pop();
            let second = pop();
            assert!(first.is_none() || first != second);
        });
    });
}
