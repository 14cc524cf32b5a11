//! Tests of one rule each: what a model preserves of program order.

use program::FenceKind;

use super::{Between, Dep, Op, Test, depending, pair, r, w};

/// Message passing whose reader goes through a local write: `y` is read, `z` written, `z` read, and
/// `x` read at an address that depends on it. (PPOCA and PPOAA of PLDI 2011.)
pub(crate) fn through_a_local_write(to_the_write: Between) -> Test {
    let mut reader = pair(r(1), to_the_write, w(2, 1));
    reader.extend([r(2), depending(r(0), Dep::Addr)]);
    let writer = vec![w(0, 1), Op::Fence(FenceKind::Full), w(1, 1)];
    Test { threads: vec![writer, reader], read: vec![1, 1, 0], memory: vec![] }
}

/// Message passing whose reader reads `z` twice, from the same write or from different ones. (RSW and
/// RDW of PLDI 2011.)
pub(crate) fn reading_twice(different: bool) -> Test {
    let reader = vec![r(1), depending(r(2), Dep::Addr), r(2), depending(r(0), Dep::Addr)];
    let writer = vec![w(0, 1), Op::Fence(FenceKind::Full), w(1, 1)];
    let mut threads = vec![writer, reader];
    if different {
        threads.push(vec![w(2, 1)]);
    }
    let second = i128::from(different);
    Test { threads, read: vec![1, 0, second, 0], memory: vec![] }
}

/// Message passing with this reader: what it reads of `y`, then what follows.
pub(crate) fn message_to(reader: Vec<Op>, read: &[i128], more: Vec<Vec<Op>>) -> Test {
    let writer = vec![w(0, 1), Op::Fence(FenceKind::Full), w(1, 1)];
    let threads = [vec![writer, reader], more].concat();
    Test { threads, read: read.to_vec(), memory: vec![] }
}

/// The reader overwrites what it read, reads that back, and branches on it. (`fri-rfi-ctrlisb` of
/// Herding cats: seen on Arm, which is why its model lacks `po-loc` in `cc0`.)
pub(crate) fn overwriting_the_message() -> Test {
    let barrier = Op::Fence(FenceKind::Control);
    message_to(vec![r(1), w(1, 2), r(1), Op::Branch, barrier, r(0)], &[1, 2, 0], vec![])
}

/// The reader writes `z`, another thread overwrites it, and the reader reads that. (`detour`.)
pub(crate) fn detour() -> Test {
    let to_z = depending(w(2, 1), Dep::Addr);
    let reader = vec![r(1), to_z, r(2), depending(r(0), Dep::Addr)];
    message_to(reader, &[1, 2, 0], vec![vec![w(2, 2)]])
}

/// The reader reads `z`, writes it and reads that back.
pub(crate) fn reading_around_a_write() -> Test {
    let reader = vec![r(1), depending(r(2), Dep::Addr), w(2, 1), r(2), depending(r(0), Dep::Addr)];
    message_to(reader, &[1, 0, 1, 0], vec![])
}

/// Load buffering where one write comes after an access whose address depends on the read.
pub(crate) fn after_a_dependent_address() -> Test {
    let threads =
        vec![vec![r(0), depending(r(2), Dep::Addr), w(1, 1)], pair(r(1), Between::Data, w(0, 1))];
    Test { threads, read: vec![1, 0, 1], memory: vec![] }
}

/// Load buffering where one write is overwritten by its own thread before the other reads it.
pub(crate) fn after_an_overwritten_write() -> Test {
    let overwriting = vec![r(0), depending(w(1, 1), Dep::Data), w(1, 2)];
    let threads = vec![overwriting, pair(r(1), Between::Data, w(0, 1))];
    Test { threads, read: vec![1, 2], memory: vec![] }
}

/// Load buffering where one thread overwrites what it read, reads that back, and goes on from there.
/// (`fri-rfi` of Herding cats again.)
pub(crate) fn after_what_was_overwritten(last: Between) -> Test {
    let overwriting = [vec![r(0), w(0, 2)], pair(r(0), last, w(1, 1))].concat();
    let threads = vec![overwriting, pair(r(1), Between::Data, w(0, 1))];
    Test { threads, read: vec![1, 2, 1], memory: vec![(0, 2)] }
}
