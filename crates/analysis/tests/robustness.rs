//! Robustness agrees with the oracle, which compares sets of traces.

use std::ops::ControlFlow;

use analysis::robustness::per_attack;
use analysis::{Options, Reductions, Verdict, robustness};
use oracle::generate::random::{Shape, random_programs};
use oracle::generate::shrink::smallest;
use oracle::generate::tiny::{Alphabet, tiny_programs};
use oracle::{Criterion, Limits, holds};
use program::Program;

const LIMITS: Limits = Limits { max_states: 30_000, max_length: 60 };

fn options(reductions: Reductions) -> Options {
    Options { reductions, foresight: 1 << 12, ..Options::default() }
}

fn says(program: &Program, options: &Options) -> Option<bool> {
    let report = robustness(program, options, |_| ControlFlow::Continue(())).expect("definite");
    match report.verdict {
        Verdict::Holds => Some(true),
        Verdict::Violated(_) => Some(false),
        Verdict::Undecided(_) => None,
    }
}

/// Whether all agree; nothing where the oracle cannot enumerate.
fn agree(program: &Program) -> Option<bool> {
    let expected = holds(program, Criterion::Robust, &LIMITS).ok()?;
    let one = says(program, &options(Reductions::ALL))?;
    let plain = says(program, &options(Reductions::NONE))?;
    let table = per_attack(program, &options(Reductions::ALL)).expect("definite");
    let by_attacks = table.feasible.is_empty();
    Some([one, plain, by_attacks] == [expected; 3] && table.undecided == 0)
}

fn check(programs: impl Iterator<Item = Program>) -> usize {
    let mut checked = 0;
    for program in programs {
        match agree(&program) {
            None => {}
            Some(true) => checked += 1,
            Some(false) => {
                let small = smallest(&program, &mut |program| agree(program) == Some(false));
                let text = frontend::fw::print(&small);
                let expected = holds(&small, Criterion::Robust, &LIMITS);
                panic!("the oracle says {expected:?} of\n{text}");
            }
        }
    }
    checked
}

#[test]
fn programs_at_random() {
    assert!(check(random_programs_from(21).take(300)) > 200);
}

#[test]
fn tiny_programs_of_three_operations() {
    let programs = (0..=3).flat_map(|length| tiny_programs(Alphabet::RICH, length));
    assert!(check(programs) > 2000);
}

/// The full comparison: `cargo test --release -p fencewright-analysis -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn very_many_programs() {
    assert!(check(random_programs_from(22).take(100_000)) > 80_000);
    assert!(check(tiny_programs(Alphabet::RICH, 4)) > 10_000);
}

fn random_programs_from(seed: u64) -> impl Iterator<Item = Program> {
    random_programs(seed, Shape::default())
}
