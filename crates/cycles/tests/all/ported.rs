//! Programs compared with TSO, and repaired by orders as well as by fences, against all executions: with what
//! is decided, the machine ends in no state in which TSO, or SC, does not end with the program as it was.

use crate::ports::{self, Decided};
use cycles::{Arch, Reference};

/// The machines that can be enumerated and are weaker than x86.
const MACHINES: [Arch; 7] =
    [Arch::Pso, Arch::Rmo, Arch::Power, Arch::ArmV7, Arch::AArch64, Arch::AArch64Lse, Arch::RiscV];

#[test]
fn random_programs_are_ported() {
    let mut seen = ports::Seen::default();
    for arch in MACHINES {
        for reference in Reference::ALL {
            for decided in [Decided::Fences, Decided::Orders] {
                ports::check_random(17, 60, arch, reference, decided, &mut seen);
            }
        }
    }
    assert!(seen.weak > 100 && seen.robust > 100 && seen.orders > 100, "{seen:?}");
}

#[test]
fn a_thread_may_be_visited_twice() {
    // x = 1; y = 1; r1 = z; r2 = w || r3 = y; z = 1 || w = 1; x = 2 (the header of `cycles::reference`).
    use oracle::generate::straight::{Op, straight_line};
    let threads: [&[Op]; 3] = [
        &[Op::Store(0, 1), Op::Store(1, 1), Op::Load(2), Op::Load(3)],
        &[Op::Load(1), Op::Store(2, 1)],
        &[Op::Store(3, 1), Op::Store(0, 2)],
    ];
    let program = straight_line("twice", &threads);
    let mut seen = ports::Seen::default();
    for arch in MACHINES {
        for decided in [Decided::Fences, Decided::Orders] {
            ports::check(&program, arch, Reference::Tso, decided, &mut seen, &|| {
                "twice".to_owned()
            });
        }
    }
    assert_eq!((seen.weak, seen.robust), (2 * MACHINES.len(), 0), "{seen:?}");
}
