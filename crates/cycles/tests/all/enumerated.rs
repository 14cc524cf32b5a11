//! What the static analysis says, against all executions of small programs: a program without delays has
//! none that is not SC, and with the fences that are placed it has none. The example `random_table` does so with
//! many more.

use crate::random::{Seen, check, program, random_cycle, random_threads};
use cycles::Arch;
use fastrand::Rng;
use oracle::generate::straight::Op;

fn check_random(seed: u64, count: usize, generate: fn(&mut Rng) -> Vec<Vec<Op>>) -> Seen {
    let mut rng = Rng::with_seed(seed);
    let mut seen = Seen::default();
    for _ in 0..count {
        let threads = generate(&mut rng);
        let program = program(&threads);
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
