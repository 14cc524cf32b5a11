//! What the static analysis says, against all executions of small programs: a program without delays has
//! none that is not SC, and with the fences that are placed it has none.

use crate::common::{fenced, has_weak_execution, model, placed};
use cycles::Arch;
use fastrand::Rng;
use oracle::generate::straight::{Op, straight_line};
use program::{FenceKind, Program};

/// What was seen.
#[derive(Default)]
struct Seen {
    weak: usize,
    robust: usize,
    /// Programs that get fences without need.
    superfluous: usize,
}

fn check(program: &Program, arch: Arch, seen: &mut Seen, describe: &dyn Fn() -> String) {
    let Some(model) = model(arch) else { return };
    let is_weak = has_weak_execution(program, model);
    let is_robust = crate::common::is_robust(program, arch);
    assert!(!(is_weak && is_robust), "{}: {} is not robust", arch.name(), describe());
    seen.weak += usize::from(is_weak);
    seen.robust += usize::from(is_robust);
    seen.superfluous += usize::from(!is_weak && !is_robust);
    if is_robust {
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
    assert!(crate::common::is_robust(&repaired, arch), "{}: {}", arch.name(), describe());
}

const FENCES: [FenceKind; 5] = [
    FenceKind::Full,
    FenceKind::Lightweight,
    FenceKind::StoreStore,
    FenceKind::Acquire,
    FenceKind::Release,
];

/// Threads of accesses to few variables, with a fence here and there.
fn random_threads(rng: &mut Rng) -> Vec<Vec<Op>> {
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
fn random_cycle(rng: &mut Rng) -> Vec<Vec<Op>> {
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

fn check_random(seed: u64, count: usize, generate: fn(&mut Rng) -> Vec<Vec<Op>>) -> Seen {
    let mut rng = Rng::with_seed(seed);
    let mut seen = Seen::default();
    for _ in 0..count {
        let threads = generate(&mut rng);
        let slices: Vec<&[Op]> = threads.iter().map(Vec::as_slice).collect();
        let program = straight_line("random", &slices);
        for arch in Arch::ALL {
            check(&program, arch, &mut seen, &|| format!("{threads:?}"));
        }
    }
    seen
}

#[test]
fn random_programs_are_repaired() {
    let seen = check_random(1, 300, random_threads);
    assert!(seen.weak > 100 && seen.robust > 100, "{} {}", seen.weak, seen.robust);
}

#[test]
fn random_cycles_are_repaired() {
    let seen = check_random(2, 300, random_cycle);
    assert!(seen.weak > 100 && seen.robust > 100, "{} {}", seen.weak, seen.robust);
}

#[test]
#[ignore = "takes minutes"]
#[expect(clippy::print_stderr, reason = "what was seen is of interest")]
fn many_random_programs_are_repaired() {
    for (name, generate, seed) in [
        ("threads", random_threads as fn(&mut Rng) -> Vec<Vec<Op>>, 11),
        ("cycles", random_cycle, 12),
    ] {
        let seen = check_random(seed, 10_000, generate);
        eprintln!(
            "{name}: {} weak, {} robust, {} with superfluous fences",
            seen.weak, seen.robust, seen.superfluous
        );
    }
}
