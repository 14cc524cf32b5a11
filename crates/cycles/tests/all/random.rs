//! Random small programs, and what the static analysis says of them against all executions.

use crate::common::{fenced, has_weak_execution, is_robust, model, placed};
use cycles::Arch;
use fastrand::Rng;
use oracle::generate::straight::{Op, straight_line};
use program::{FenceKind, Program};

/// A program of such threads.
pub(crate) fn program(threads: &[Vec<Op>]) -> Program {
    let slices: Vec<&[Op]> = threads.iter().map(Vec::as_slice).collect();
    straight_line("random", &slices)
}

/// What was seen.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) weak: usize,
    pub(crate) robust: usize,
    /// Programs that get fences without need.
    pub(crate) superfluous: usize,
}

pub(crate) fn check(program: &Program, arch: Arch, seen: &mut Seen, describe: &dyn Fn() -> String) {
    let model = model(arch);
    let is_weak = has_weak_execution(program, model);
    let has_no_delay = is_robust(program, arch);
    assert!(!(is_weak && has_no_delay), "{}: {} is not robust", arch.name(), describe());
    seen.weak += usize::from(is_weak);
    seen.robust += usize::from(has_no_delay);
    seen.superfluous += usize::from(!is_weak && !has_no_delay);
    if has_no_delay {
        return;
    }
    let (graph, placement) = placed(program, arch);
    assert!(!placement.fences.is_empty() && placement.is_optimal);
    let repaired = fenced(program, &graph, &placement.fences);
    assert!(
        !has_weak_execution(&repaired, model),
        "{}: {} is not repaired by {:?}",
        arch.name(),
        describe(),
        placement.fences
    );
    assert!(is_robust(&repaired, arch), "{}: {}", arch.name(), describe());
}

const FENCES: [FenceKind; 5] = [
    FenceKind::Full,
    FenceKind::Lightweight,
    FenceKind::StoreStore,
    FenceKind::Acquire,
    FenceKind::Release,
];

/// Threads of accesses to few variables, with a fence here and there.
pub(crate) fn random_threads(rng: &mut Rng) -> Vec<Vec<Op>> {
    let threads = rng.usize(2..5);
    let variables = rng.usize(2..4);
    (0..threads)
        .map(|_| {
            let length = if threads == 2 { rng.usize(2..4) } else { rng.usize(1..3) };
            let mut ops = Vec::new();
            for number in 0..length {
                if number > 0 && rng.u8(..3) == 0 {
                    ops.push(Op::Fence(FENCES[rng.usize(..FENCES.len())]));
                }
                let variable = rng.usize(..variables);
                let has_read = ops.iter().any(|op| matches!(op, Op::Load(_)));
                ops.push(match rng.u8(..10) {
                    0..=4 => Op::Load(variable),
                    5 if has_read => Op::StoreLast(variable),
                    6 => Op::StoreSeqCst(variable, 1),
                    7 if rng.bool() => Op::Exchange(variable, 2),
                    _ => Op::Store(variable, 1),
                });
            }
            ops
        })
        .collect()
}

/// The threads of one critical cycle, with fences and dependencies at random.
pub(crate) fn random_cycle(rng: &mut Rng) -> Vec<Vec<Op>> {
    let length = rng.usize(2..5);
    // How each thread is left: by which access, to which variable.
    let leaves_by_write: Vec<bool> = (0..length).map(|_| rng.bool()).collect();
    (0..length)
        .map(|thread| {
            let before = (thread + length - 1) % length;
            let (comes, goes) = (before, thread);
            // A read must be followed by a write.
            let enters_by_write = !leaves_by_write[before] || rng.bool();
            let value = i128::try_from(thread).expect("few threads") + 1;
            let enter = if enters_by_write { Op::Store(comes, value) } else { Op::Load(comes) };
            // A write alone in its thread.
            if enters_by_write && leaves_by_write[thread] && rng.u8(..4) == 0 && length > 2 {
                return vec![enter];
            }
            let mut ops = vec![enter];
            match rng.u8(..4) {
                0 => {}
                1 => ops.push(Op::Fence(FenceKind::Full)),
                2 => ops.push(Op::Fence(FenceKind::Lightweight)),
                _ => ops.push(Op::Fence(FENCES[rng.usize(..FENCES.len())])),
            }
            ops.push(match (leaves_by_write[thread], enters_by_write, rng.bool()) {
                (true, false, true) => Op::StoreLast(goes),
                (true, _, _) => Op::Store(goes, value),
                (false, _, _) => Op::Load(goes),
            });
            ops
        })
        .collect()
}
