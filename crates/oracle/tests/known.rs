//! Programs whose verdicts are known from the literature or by hand.

use oracle::generate::straight::Op::{self, *};
use oracle::generate::straight::straight_line;
use oracle::{
    Criterion, Limits, Verdicts, edge_candidates, has_triangular_race, label_candidates,
    minimum_fences, verdicts,
};
use program::Program;

const X: usize = 0;
const Y: usize = 1;
const Z: usize = 2;
const FENCE: Op = Op::FENCE;

fn verdicts_of(program: &Program) -> Verdicts {
    let verdicts = verdicts(program, &Limits::default()).unwrap();
    for criterion in Criterion::ALL {
        assert_eq!(
            oracle::holds(program, criterion, &Limits::default()),
            Ok(verdicts.holds(criterion)),
            "{criterion:?}"
        );
    }
    let race = has_triangular_race(program, &Limits::default()).unwrap();
    assert_eq!(race, !verdicts.triangular_race_free, "the pattern of a triangular race");
    verdicts
}

/// Data-race free, triangular-race free, robust, persistent, same states, same final states.
fn check(name: &str, threads: &[&[Op]], expected: &str) {
    let verdicts = verdicts_of(&straight_line(name, threads));
    let mark = |letter: &'static str, holds: bool| if holds { letter } else { "-" };
    let found = [
        mark("D", verdicts.data_race_free),
        mark("T", verdicts.triangular_race_free),
        mark("R", verdicts.robust),
        mark("P", verdicts.persistent),
        mark("S", verdicts.same_states),
        mark("F", verdicts.same_final_states),
    ]
    .concat();
    assert_eq!(found, expected, "{name}");
}

/// The least number of fences at labels and after edges, per criterion in the order of
/// `Criterion::ALL`.
fn check_fences(threads: &[&[Op]], expected: [usize; 5]) {
    let program = straight_line("fences", threads);
    let limits = Limits::default();
    for (criterion, expected) in Criterion::ALL.into_iter().zip(expected) {
        for candidates in [label_candidates(&program), edge_candidates(&program)] {
            let set = minimum_fences(&program, criterion, &candidates.unwrap(), &limits);
            assert_eq!(set.unwrap().map(|set| set.len()), Some(expected), "{criterion:?}");
        }
    }
}

#[test]
fn store_buffering() {
    check("SB", &[&[Store(X, 1), Load(Y)], &[Store(Y, 1), Load(X)]], "------");
    check_fences(&[&[Store(X, 1), Load(Y)], &[Store(Y, 1), Load(X)]], [2, 2, 2, 2, 2]);
    let fenced: &[&[Op]] = &[&[Store(X, 1), FENCE, Load(Y)], &[Store(Y, 1), FENCE, Load(X)]];
    check("SB+mfences", fenced, "-TRPSF");
}
