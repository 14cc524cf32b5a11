//! Harris' lock-free set as a sorted linked list. The lowest bit of a node's link says that the node
//! is deleted; whoever passes unlinks it. The set starts as {1}; one thread inserts 2, one removes 1,
//! one looks for 2. The node of key k is number k, and node 3 the end of the list.
//! Fine on x86: the only store is followed by a compare-and-swap.

use std::sync::atomic::{
    AtomicUsize,
    Ordering::{AcqRel, Acquire, Relaxed},
};
use std::thread;

const LAST: usize = 3;

/// The links of all nodes: twice the number of the next node, plus the mark.
static LINKS: [AtomicUsize; LAST + 1] = [
    AtomicUsize::new(link_to(1)),
    AtomicUsize::new(link_to(LAST)),
    AtomicUsize::new(0),
    AtomicUsize::new(0),
];

const fn link_to(node: usize) -> usize {
    node << 1
}

fn target(link: usize) -> usize {
    link >> 1
}

fn is_marked(link: usize) -> bool {
    link & 1 == 1
}

fn replace(node: usize, from: usize, to: usize) -> bool {
    LINKS[node].compare_exchange(from, to, AcqRel, Relaxed).is_ok()
}

/// The first node that is not below the key, with the node before it and its own link.
struct Found {
    before: usize,
    node: usize,
    link: usize,
}

/// One pass over the list. Unlinks deleted nodes on the way; nothing if somebody else was faster.
fn pass(key: usize) -> Option<Found> {
    let mut before = 0;
    let mut node = target(LINKS[0].load(Acquire));
    loop {
        let link = LINKS[node].load(Acquire);
        if is_marked(link) {
            if !replace(before, link_to(node), link - 1) {
                return None;
            }
        } else if node >= key {
            return Some(Found { before, node, link });
        } else {
            before = node;
        }
        node = target(link);
    }
}

fn find(key: usize) -> Found {
    loop {
        if let Some(found) = pass(key) {
            return found;
        }
    }
}

fn insert(key: usize) {
    loop {
        let Found { before, node, .. } = find(key);
        LINKS[key].store(link_to(node), Relaxed);
        if replace(before, link_to(node), link_to(key)) {
            return;
        }
    }
}

fn remove(key: usize) {
    loop {
        let Found { before, node, link } = find(key);
        if node != key {
            return;
        }
        // First logically, then physically if nobody else has.
        if replace(node, link, link | 1) {
            replace(before, link_to(node), link);
            return;
        }
    }
}

fn look_for(key: usize) {
    let mut node = target(LINKS[0].load(Acquire));
    while node < key {
        node = target(LINKS[node].load(Acquire));
    }
    assert!(node == key || node == LAST);
}

fn main() {
    thread::scope(|scope| {
        scope.spawn(|| insert(2));
        scope.spawn(|| remove(1));
        scope.spawn(|| look_for(2));
    });
    assert!(LINKS[2].load(Relaxed) == link_to(LAST));
}
