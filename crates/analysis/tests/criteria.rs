//! Every criterion agrees with the oracle, which compares sets of computations; and what implies
//! what does.

use std::ops::ControlFlow;

use analysis::robustness::per_attack;
use analysis::{Criterion, Options, Query, Reason, Reductions, Verdict, check, reach};
use frontend::{Language, Settings};
use oracle::generate::random::{Shape, random_programs};
use oracle::generate::shrink::hold_for_all;
use oracle::generate::tiny::{Alphabet, tiny_programs};
use oracle::{Limits, MemoryModel, has_data_race, holds, reachable_faults};
use program::{Observable, Program, Sources, StateProposition};

const LIMITS: Limits = Limits { max_states: 30_000, max_length: 60 };
const CRITERIA: [Criterion; 4] =
    [Criterion::Drf, Criterion::Trf, Criterion::Robustness, Criterion::Persistence];

fn options(reductions: Reductions) -> Options {
    Options { reductions, foresight: 1 << 12, first_look: 0, ..Options::default() }
}

/// What Fencewright says of each criterion, asked one by one so that nothing is implied.
fn says(program: &Program, reductions: Reductions) -> Option<Vec<bool>> {
    let options = options(reductions);
    let one = |criterion| {
        let answers = check(program, &[criterion], &options, |_| ControlFlow::Continue(()));
        match &answers.expect("a definite program")[0].verdict {
            Verdict::Holds(_) => Some(true),
            Verdict::Violated(_) => Some(false),
            Verdict::Undecided(_) => None,
        }
    };
    CRITERIA.into_iter().map(one).collect()
}

/// The same, asked all at once.
fn says_at_once(program: &Program) -> Option<Vec<bool>> {
    let options = options(Reductions::ALL);
    let answers = check(program, &CRITERIA, &options, |_| ControlFlow::Continue(()));
    let verdict = |verdict: &Verdict<_>| match verdict {
        Verdict::Holds(_) => Some(true),
        Verdict::Violated(_) => Some(false),
        Verdict::Undecided(_) => None,
    };
    let answers = answers.expect("a definite program");
    answers.iter().map(|answer| verdict(&answer.verdict)).collect()
}

/// What the search says of the instrumented programs: whether their goals cannot be reached.
fn says_by_instrumentation(program: &Program) -> Option<[bool; 2]> {
    let instrumented =
        [instrument::robustness_single(program).ok()?, instrument::persistence(program).ok()?];
    let is_free = |instrumented: &instrument::Instrumented| {
        let suc = Observable::Cell(instrumented.goal.address);
        let goal = Some(StateProposition::Equals(suc, instrument::Goal::VALUE));
        let query = Query { goal, ..Query::default() };
        let options = options(Reductions::ALL);
        let report = reach(&instrumented.program, &query, &options, |_| ControlFlow::Continue(()));
        match report.expect("a definite program").verdict {
            Verdict::Holds(_) => Some(true),
            Verdict::Violated(_) => Some(false),
            Verdict::Undecided(_) => None,
        }
    };
    Some([is_free(&instrumented[0])?, is_free(&instrumented[1])?])
}

fn expected(program: &Program) -> Option<Vec<bool>> {
    let criterion = |criterion| holds(program, criterion, &LIMITS).ok();
    Some(vec![
        !has_data_race(program, &LIMITS).ok()?,
        criterion(oracle::Criterion::TriangularRaceFree)?,
        criterion(oracle::Criterion::Robust)?,
        criterion(oracle::Criterion::Persistent)?,
    ])
}

/// Whether all agree; nothing where the oracle cannot enumerate.
fn agree(program: &Program) -> Option<bool> {
    let expected = expected(program)?;
    let table = per_attack(program, &options(Reductions::ALL)).expect("a definite program");
    Some(
        says(program, Reductions::ALL)? == expected
            && says(program, Reductions::NONE)? == expected
            && says_at_once(program)? == expected
            && (table.feasible.is_empty() == expected[2] && table.undecided == 0)
            && says_by_instrumentation(program)? == [expected[2], expected[3]]
            && (!(expected[2] || expected[3]) || same_faults(program)?),
    )
}

/// Whether a program goes wrong under TSO as it does under SC: what `reach --model tso` concludes from
/// robustness and from persistence.
fn same_faults(program: &Program) -> Option<bool> {
    let faults = |model| reachable_faults(program, model, &LIMITS).ok();
    Some(faults(MemoryModel::Sc)?.is_empty() == faults(MemoryModel::Tso)?.is_empty())
}

fn check_all(programs: impl Iterator<Item = Program>) -> usize {
    hold_for_all(programs, agree, |small| {
        let text = frontend::fw::print(small);
        let (expected, says) = (expected(small), says(small, Reductions::ALL));
        let plain = says_at_once(small);
        format!("the oracle says {expected:?}, we {says:?} {plain:?}, of\n{text}")
    })
}

#[test]
fn programs_at_random() {
    assert!(check_all(random_programs(21, Shape::default()).take(200)) > 150);
}

#[test]
fn tiny_programs_of_three_operations() {
    let programs = (0..=3).flat_map(|length| tiny_programs(Alphabet::RICH, length));
    assert!(check_all(programs) > 2000);
}

/// The full comparison: `cargo test --release -p fencewright-analysis -- --ignored`.
#[test]
#[ignore = "takes many minutes"]
fn very_many_programs() {
    let workers = 2_u64;
    let seeds = (0..workers).collect::<Vec<_>>();
    std::thread::scope(|scope| {
        for seed in seeds {
            scope.spawn(move || {
                let programs = random_programs(100 + seed, Shape::default()).take(50_000);
                assert!(check_all(programs) > 40_000);
            });
        }
    });
    assert!(check_all(tiny_programs(Alphabet::RICH, 4)) > 10_000);
}

fn load(text: &str) -> Program {
    let mut sources = Sources::new();
    let source = sources.add("text.fw", text);
    frontend::load(&sources, source, Language::Fw, &Settings::default())
        .unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// Two customers of Lamport's bakery whose tickets grow without bound.
fn bakery(fence: &str) -> Program {
    load(&format!(
        "shared choosing[2], number[2]
         thread p[i in 0..2] {{
           local n
           while true {{
             choosing[i] = 1
             {fence}
             n = number[1 - i]
             number[i] = n + 1
             choosing[i] = 0
             {fence}
             while choosing[1 - i] == 1 {{ }}
             n = number[1 - i]
             while n != 0 && n < number[i] {{ n = number[1 - i] }}
             number[i] = 0
             {fence}
           }}
         }}"
    ))
}

#[test]
fn a_shallow_violation_is_found_however_far_counters_can_grow() {
    for criterion in CRITERIA {
        let answers =
            check(&bakery(""), &[criterion], &Options::default(), |_| ControlFlow::Continue(()));
        let verdict = &answers.expect("a definite program")[0].verdict;
        assert!(matches!(verdict, Verdict::Violated(_)), "{criterion}: {verdict:?}");
    }
}

#[test]
fn what_a_limit_ends_is_undecided_and_never_holds() {
    let limits = analysis::Limits { states: Some(5000), ..analysis::Limits::default() };
    let options = Options { limits, ..Options::default() };
    // The other thread never stores to `z`, but only all values of `x` show it.
    let program = load(
        "shared x, y, z
         thread p { local r; while true { r = x; x = r + 1; fence; y = r; r = z } }
         thread q { local s; while true { s = x; if s < 0 { z = 1; s = y } } }",
    );
    for criterion in [Criterion::Trf, Criterion::Robustness, Criterion::Persistence] {
        let answers = check(&program, &[criterion], &options, |_| ControlFlow::Continue(()));
        let verdict = &answers.expect("a definite program")[0].verdict;
        let is_limit =
            matches!(verdict, Verdict::Undecided(Reason::Limit(analysis::Limit::States)));
        assert!(is_limit, "{criterion}: {verdict:?}");
    }
}
