//! The lock-free queue of Michael and Scott with boxed nodes: two enqueuers and two dequeuers. Nodes
//! are never freed. An enqueuer appends behind the last node and then swings the tail; whoever finds
//! the tail lagging helps.
//! Fine on x86, but neither free of triangular races nor persistent: an enqueuer's value can wait in
//! the store buffer while it reads a tail that others are moving. Nobody can notice, for nobody looks
//! at the value before the compare-and-swap that publishes the node.

use std::ptr;
use std::sync::atomic::{
    AtomicPtr, AtomicU32,
    Ordering::{AcqRel, Acquire, Relaxed},
};
use std::thread;

struct Node {
    next: AtomicPtr<Node>,
    value: u32,
}

struct Queue {
    head: AtomicPtr<Node>,
    tail: AtomicPtr<Node>,
}

fn swing(link: &AtomicPtr<Node>, from: *mut Node, to: *mut Node) -> bool {
    link.compare_exchange(from, to, AcqRel, Relaxed).is_ok()
}

/// The link to the node after this one.
fn next(node: *mut Node) -> &'static AtomicPtr<Node> {
    // SAFETY: nodes are never freed.
    unsafe { &(*node).next }
}

fn new_node(value: u32) -> *mut Node {
    Box::into_raw(Box::new(Node { next: AtomicPtr::new(ptr::null_mut()), value }))
}

impl Queue {
    fn new() -> Self {
        let sentinel = new_node(0);
        Self { head: AtomicPtr::new(sentinel), tail: AtomicPtr::new(sentinel) }
    }

    fn enqueue(&self, value: u32) {
        let node = new_node(value);
        loop {
            let last = self.tail.load(Acquire);
            let after = next(last).load(Acquire);
            if last != self.tail.load(Relaxed) {
                continue;
            }
            if !after.is_null() {
                swing(&self.tail, last, after);
            } else if swing(next(last), ptr::null_mut(), node) {
                swing(&self.tail, last, node);
                return;
            }
        }
    }

    fn dequeue(&self) -> Option<u32> {
        loop {
            let first = self.head.load(Acquire);
            let last = self.tail.load(Acquire);
            let after = next(first).load(Acquire);
            if first != self.head.load(Relaxed) {
                continue;
            }
            if after.is_null() {
                return None;
            }
            if first == last {
                swing(&self.tail, last, after);
                continue;
            }
            // SAFETY: nodes are never freed, and nobody writes to one that has been appended.
            let value = unsafe { (*after).value };
            if swing(&self.head, first, after) {
                return Some(value);
            }
        }
    }
}

fn main() {
    let queue = Queue::new();
    let dequeued = [AtomicU32::new(0), AtomicU32::new(0)];
    thread::scope(|scope| {
        scope.spawn(|| queue.enqueue(1));
        scope.spawn(|| queue.enqueue(2));
        scope.spawn(|| dequeued[0].store(queue.dequeue().unwrap_or(0), Relaxed));
        scope.spawn(|| dequeued[1].store(queue.dequeue().unwrap_or(0), Relaxed));
    });
    let (one, other) = (dequeued[0].load(Relaxed), dequeued[1].load(Relaxed));
    assert!(one == 0 || one != other);
}
