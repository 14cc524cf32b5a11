//! The classic families of litmus tests, by what stands between the accesses of each thread.
//!
//! Names and shapes are those of the test catalogue of Sarkar et al., "Understanding POWER
//! multiprocessors" (PLDI 2011), and of Herding cats (TOPLAS 2014), Table III.

use super::{Between, Test, pair, r, w};

const X: usize = 0;
const Y: usize = 1;
const Z: usize = 2;

fn test(threads: Vec<Vec<super::Op>>, read: &[program::Value], memory: &[(usize, i128)]) -> Test {
    Test { threads, read: read.to_vec(), memory: memory.to_vec() }
}

/// Store buffering.
pub(crate) fn sb(a: Between, b: Between) -> Test {
    test(vec![pair(w(X, 1), a, r(Y)), pair(w(Y, 1), b, r(X))], &[0, 0], &[])
}

/// Message passing.
pub(crate) fn mp(a: Between, b: Between) -> Test {
    test(vec![pair(w(X, 1), a, w(Y, 1)), pair(r(Y), b, r(X))], &[1, 0], &[])
}

/// Load buffering.
pub(crate) fn lb(a: Between, b: Between) -> Test {
    test(vec![pair(r(X), a, w(Y, 1)), pair(r(Y), b, w(X, 1))], &[1, 1], &[])
}

pub(crate) fn s(a: Between, b: Between) -> Test {
    test(vec![pair(w(X, 2), a, w(Y, 1)), pair(r(Y), b, w(X, 1))], &[1], &[(X, 2)])
}

pub(crate) fn r_(a: Between, b: Between) -> Test {
    test(vec![pair(w(X, 1), a, w(Y, 1)), pair(w(Y, 2), b, r(X))], &[0], &[(Y, 2)])
}

pub(crate) fn two_plus_two_w(a: Between, b: Between) -> Test {
    let threads = vec![pair(w(X, 2), a, w(Y, 1)), pair(w(Y, 2), b, w(X, 1))];
    test(threads, &[], &[(X, 2), (Y, 2)])
}

/// Write-to-read causality.
pub(crate) fn wrc(a: Between, b: Between) -> Test {
    let threads = vec![vec![w(X, 1)], pair(r(X), a, w(Y, 1)), pair(r(Y), b, r(X))];
    test(threads, &[1, 1, 0], &[])
}

/// Read-to-write causality.
pub(crate) fn rwc(a: Between, b: Between) -> Test {
    let threads = vec![vec![w(X, 1)], pair(r(X), a, r(Y)), pair(w(Y, 1), b, r(X))];
    test(threads, &[1, 0, 0], &[])
}

pub(crate) fn isa2(a: Between, b: Between, c: Between) -> Test {
    let threads = vec![pair(w(X, 1), a, w(Y, 1)), pair(r(Y), b, w(Z, 1)), pair(r(Z), c, r(X))];
    test(threads, &[1, 1, 0], &[])
}

pub(crate) fn w_rwc(a: Between, b: Between, c: Between) -> Test {
    let threads = vec![pair(w(X, 1), a, w(Y, 1)), pair(r(Y), b, r(Z)), pair(w(Z, 1), c, r(X))];
    test(threads, &[1, 0, 0], &[])
}

/// Independent reads of independent writes.
pub(crate) fn iriw(a: Between, b: Between) -> Test {
    let threads = vec![vec![w(X, 1)], pair(r(X), a, r(Y)), vec![w(Y, 1)], pair(r(Y), b, r(X))];
    test(threads, &[1, 0, 1, 0], &[])
}

/// Coherence and a read after message passing to a third thread.
pub(crate) fn z6_0(a: Between, b: Between, c: Between) -> Test {
    let threads = vec![pair(w(X, 1), a, w(Y, 1)), pair(r(Y), b, w(Z, 1)), pair(w(Z, 2), c, r(X))];
    test(threads, &[1, 0], &[(Z, 2)])
}

/// A reader of a write that comes after the second of two others, whose first it has not seen.
pub(crate) fn wrr_2w(a: Between, b: Between) -> Test {
    let threads = vec![vec![w(X, 2)], pair(r(X), a, r(Y)), pair(w(Y, 1), b, w(X, 1))];
    test(threads, &[2, 0], &[(X, 2)])
}

/// What no model but RMO allows: reads of one location out of order, as `CoRR`, `CoRR1` and `CoRR2`.
pub(crate) fn incoherent_reads() -> Vec<Test> {
    vec![
        test(vec![vec![w(X, 1)], vec![r(X), r(X)]], &[1, 0], &[]),
        test(vec![vec![w(X, 1), w(X, 2)], vec![r(X), r(X)]], &[2, 1], &[]),
        test(
            vec![vec![w(X, 1)], vec![w(X, 2)], vec![r(X), r(X)], vec![r(X), r(X)]],
            &[1, 2, 2, 1],
            &[],
        ),
    ]
}

/// What no model allows: accesses to one location out of order.
pub(crate) fn incoherent() -> Vec<Test> {
    vec![
        // CoWW, CoWR, CoRW1 and CoRW2.
        test(vec![vec![w(X, 1), w(X, 2)]], &[], &[(X, 1)]),
        test(vec![vec![w(X, 1), r(X)], vec![w(X, 2)]], &[2], &[(X, 1)]),
        test(vec![vec![w(X, 1), r(X)]], &[0], &[]),
        test(vec![vec![r(X), w(X, 1)]], &[1], &[]),
        test(vec![vec![r(X), w(X, 1)], vec![w(X, 2)]], &[2], &[(X, 2)]),
    ]
}
