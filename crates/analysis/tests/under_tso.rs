//! What goes wrong under TSO, final states that only TSO has, and the runs that show them, against the
//! oracle on random programs and all tiny ones.

use std::ops::ControlFlow;

use analysis::elsewhere::{Wrong, goes_wrong};
use analysis::{Criterion, Options, Query, Verdict, check, reach_under_tso, violations};
use oracle::generate::random::{Shape, random_programs};
use oracle::generate::shrink::hold_for_all;
use oracle::generate::tiny::{Alphabet, tiny_programs};
use oracle::{Limits, MemoryModel, holds, reachable_faults};
use program::Program;
use semantics::Model;

const LIMITS: Limits = Limits { max_states: 30_000, max_length: 60 };

fn nobody(_: &analysis::Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn agree(program: &Program) -> Option<bool> {
    let options = Options::default();
    let under_tso = !reachable_faults(program, MemoryModel::Tso, &LIMITS).ok()?.is_empty();
    let under_sc = !reachable_faults(program, MemoryModel::Sc, &LIMITS).ok()?.is_empty();
    let same = holds(program, oracle::Criterion::SameEnds, &LIMITS).ok()?;

    let query = Query { faults: true, ..Query::default() };
    let found = reach_under_tso(program, &query, &options, nobody).expect("a definite program");
    let faults = match found.verdict {
        Verdict::Holds(_) => false,
        Verdict::Violated(_) => true,
        Verdict::Undecided(_) => return None,
    };
    let wrong = match goes_wrong(program, &options, nobody).expect("a definite program").0 {
        Verdict::Holds(_) => None,
        Verdict::Violated(Wrong::UnderSc(_)) => Some(Model::Sc),
        Verdict::Violated(Wrong::UnderTso(_)) => Some(Model::Tso),
        Verdict::Undecided(_) => return None,
    };
    let expected = match (under_sc, under_tso) {
        (true, _) => Some(Model::Sc),
        (false, true) => Some(Model::Tso),
        (false, false) => None,
    };
    let checked = check(program, &[Criterion::States], &options, nobody).expect("definite");
    let states = match &checked[0].verdict {
        Verdict::Holds(_) => true,
        Verdict::Violated(_) => false,
        Verdict::Undecided(_) => return None,
    };
    let asked = (&options, 8);
    let all = violations(program, Criterion::States, asked, nobody).expect("definite").0;
    let none = matches!(all, Verdict::Holds(_));
    Some(faults == under_tso && wrong == expected && states == same && none == same)
}

fn check_all(programs: impl Iterator<Item = Program>) -> usize {
    hold_for_all(programs, agree, |_| "not what the oracle says".to_owned())
}

#[test]
fn many_random_programs() {
    assert!(check_all(random_programs(17, Shape::default()).take(700)) > 300);
}

#[test]
fn all_tiny_programs() {
    assert!(check_all(tiny_programs(Alphabet::RICH, 3)) > 500);
}
