//! Random programs with branches, loops, locked sections and atomic operations: where the static analysis
//! has no delay on x86, enumeration of all traces finds no violation of robustness.

use ::cycles::Arch;
use ::oracle::generate::random::{Shape, random_programs};
use ::oracle::{Criterion, Limits, holds};

use crate::common::is_robust;

fn compare(shape: Shape, seed: u64, count: usize) -> (usize, usize) {
    let (mut robust, mut with_delays) = (0, 0);
    for program in random_programs(seed, shape).take(count) {
        let is_static = is_robust(&program, Arch::X86);
        let Ok(expected) = holds(&program, Criterion::Robust, &Limits::default()) else { continue };
        assert!(expected || !is_static, "a violation without a delay: {program:#?}");
        robust += usize::from(is_static);
        with_delays += usize::from(!is_static && expected);
    }
    (robust, with_delays)
}

#[test]
fn no_violation_without_a_delay() {
    let (straight, _) = compare(Shape::LOOP_FREE, 31, 400);
    let (counted, _) = compare(Shape::COUNTED, 32, 250);
    compare(Shape::KEPT_OUT, 36, 300);
    assert!(straight > 100 && counted > 60, "{straight} {counted}");
}

#[test]
#[ignore = "takes minutes"]
#[expect(clippy::print_stderr, reason = "what was seen is of interest")]
fn no_violation_without_a_delay_in_many_programs() {
    for (shape, seed) in [(Shape::LOOP_FREE, 33), (Shape::COUNTED, 34), (Shape::KEPT_OUT, 35)] {
        let (robust, with_delays) = compare(shape, seed, 10_000);
        eprintln!("{robust} robust without delays, {with_delays} robust with delays");
    }
}
