//! Every criterion agrees with the oracle, which compares sets of computations; and what implies
//! what does.

mod decided;

use std::ops::ControlFlow;

use analysis::robustness::per_attack;
use analysis::{Criterion, Options, Query, Reason, Reductions, Verdict, check, reach};
use decided::decided;
use frontend::{Language, Settings};
use oracle::generate::random::{Shape, random_programs};
use oracle::generate::shrink::hold_for_all;
use oracle::generate::tiny::{Alphabet, tiny_programs};
use oracle::{
    Census, Feature, Limits, MemoryModel, breaks_within, has_data_race, has_fragility_pattern,
    has_triangular_race, holds, reachable_faults,
};
use program::{Observable, Program, Sources, StateProposition};

const LIMITS: Limits = Limits { max_states: 30_000, max_length: 60 };
const CRITERIA: [Criterion; 4] =
    [Criterion::Drf, Criterion::Trf, Criterion::Robustness, Criterion::Persistence];

fn options(reductions: Reductions) -> Options {
    Options { reductions, precompile_budget: 1 << 12, probe_states: 0, ..Options::default() }
}

/// What Fencewright says of each criterion, asked one by one so that nothing is implied.
fn says(program: &Program, reductions: Reductions) -> Vec<Option<bool>> {
    let options = options(reductions);
    let one = |criterion| {
        let answers = check(program, &[criterion], &options, |_| ControlFlow::Continue(()));
        decided(&answers.expect("a definite program")[0].verdict)
    };
    CRITERIA.into_iter().map(one).collect()
}

/// The same, asked all at once.
fn says_at_once(program: &Program) -> Vec<Option<bool>> {
    let options = options(Reductions::ALL);
    let answers = check(program, &CRITERIA, &options, |_| ControlFlow::Continue(()));
    let answers = answers.expect("a definite program");
    answers.iter().map(|answer| decided(&answer.verdict)).collect()
}

/// What the search says of the instrumented programs, for robustness and persistence: whether their
/// goals cannot be reached.
fn says_by_instrumentation(program: &Program) -> [Option<bool>; 2] {
    let instrumented = [instrument::robustness_single(program), instrument::persistence(program)];
    instrumented.map(|instrumented| {
        let instrumented = instrumented.expect("a small program");
        let suc = Observable::Cell(instrumented.goal.address);
        let goal = Some(StateProposition::Equals(suc, instrument::Goal::VALUE));
        let query = Query { goal, ..Query::default() };
        let options = options(Reductions::ALL);
        let report = reach(&instrumented.program, &query, &options, |_| ControlFlow::Continue(()));
        decided(&report.expect("a definite program").verdict)
    })
}

/// Whether every way to ask gives these answers, in the order of [`CRITERIA`].
fn is_what_we_say(program: &Program, expected: [bool; 4]) -> bool {
    let table = per_attack(program, &options(Reductions::ALL)).expect("a definite program");
    let all = expected.map(Some);
    says(program, Reductions::ALL) == all
        && says(program, Reductions::NONE) == all
        && says_at_once(program) == all
        && (table.feasible.is_empty() == expected[2] && table.undecided == 0)
        && says_by_instrumentation(program) == [all[2], all[3]]
}

/// What the oracle says, from the definitions.
fn expected(program: &Program) -> Option<[bool; 4]> {
    let criterion = |criterion| holds(program, criterion, &LIMITS).ok();
    Some([
        !has_data_race(program, &LIMITS).ok()?,
        criterion(oracle::Criterion::TriangularRaceFree)?,
        criterion(oracle::Criterion::Robust)?,
        criterion(oracle::Criterion::Persistent)?,
    ])
}

/// Whether all agree; nothing where the oracle cannot enumerate.
fn agree(program: &Program) -> Option<bool> {
    let expected = expected(program)?;
    Some(
        is_what_we_say(program, expected)
            && (!(expected[2] || expected[3]) || same_faults(program)?),
    )
}

/// Whether a program goes wrong under TSO as it does under SC: what `reach --model tso` concludes from
/// robustness and from persistence.
fn same_faults(program: &Program) -> Option<bool> {
    let faults = |model| reachable_faults(program, model, &LIMITS).ok();
    Some(faults(MemoryModel::Sc)?.is_empty() == faults(MemoryModel::Tso)?.is_empty())
}

/// What the oracle can say of robustness in spite of loops: it holds if there is no triangular race,
/// and it does not if a short computation shows that, or if TSO has states that SC does not have.
fn robustness_with_loops(program: &Program, triangular_race_free: bool) -> Option<bool> {
    let short = Limits { max_states: 20_000, max_length: 14 };
    let is_broken = || {
        breaks_within(program, oracle::Criterion::Robust, &short) == Ok(true)
            || holds(program, oracle::Criterion::SameStates, &LIMITS) == Ok(false)
    };
    if triangular_race_free { Some(true) } else { is_broken().then_some(false) }
}

/// Whether all agree about a program with any loops. The patterns of races and fragility are decided on
/// the states of SC; that they mean what the criteria say is tested where traces can be enumerated.
fn agree_with_loops(program: &Program, robustness_known: &mut [usize; 2]) -> Option<bool> {
    let data_race_free = !has_data_race(program, &LIMITS).ok()?;
    let triangular_race_free = !has_triangular_race(program, &LIMITS).ok()?;
    let persistent = !has_fragility_pattern(program, &LIMITS).ok()?;
    let known = robustness_with_loops(program, triangular_race_free);
    if let Some(known) = known {
        robustness_known[usize::from(known)] += 1;
    }
    let options = options(Reductions::ALL);
    let robust = check(program, &[Criterion::Robustness], &options, |_| ControlFlow::Continue(()));
    // What is not known must at least be decided, and the same in every way.
    let robust = decided(&robust.expect("a definite program")[0].verdict);
    let expected = known.or(robust);
    Some(expected.is_some_and(|robust| {
        is_what_we_say(program, [data_race_free, triangular_race_free, robust, persistent])
    }))
}

fn told(small: &Program) -> String {
    let text = frontend::fw::print(small);
    let expected = expected(small);
    let [all, none] = [Reductions::ALL, Reductions::NONE].map(|ones| says(small, ones));
    let (at_once, by_instrumentation) = (says_at_once(small), says_by_instrumentation(small));
    format!(
        "the oracle says {expected:?}, we {all:?}, without reductions {none:?}, at once \
         {at_once:?}, by instrumentation {by_instrumentation:?}, of\n{text}"
    )
}

fn check_all(programs: impl Iterator<Item = Program>) -> usize {
    hold_for_all(programs, agree, told)
}

#[test]
fn programs_at_random() {
    let checked = check_all(random_programs(21, Shape::default()).take(150));
    assert!(checked >= 140, "{checked}");
}

#[test]
fn programs_with_loops_that_end() {
    let mut census = Census::default();
    let programs = random_programs(22, Shape::COUNTED).take(120);
    let checked = check_all(programs.inspect(|program| census.count(program)));
    assert!(checked >= 110, "{checked}");
    census.assert_at_least(120, &FLOORS);
}

#[test]
fn programs_with_any_loops() {
    let mut census = Census::default();
    let mut robustness_known = [0, 0];
    let programs = random_programs(23, Shape::LOOPING).take(120);
    let programs = programs.inspect(|program| census.count(program));
    let agree = |program: &Program| agree_with_loops(program, &mut robustness_known);
    let checked = hold_for_all(programs, agree, told);
    assert!(checked >= 118, "{checked}");
    let [broken, robust] = robustness_known;
    assert!(broken >= 10 && robust >= 60 && broken + robust >= 100, "{robustness_known:?}");
    census.assert_at_least(120, &FLOORS);
}

/// What programs with loops must have.
const FLOORS: [(Feature, usize); 7] = [
    (Feature::Loop, 30),
    (Feature::Await, 20),
    (Feature::Section, 5),
    (Feature::Exclusive, 5),
    (Feature::RangedCell, 60),
    (Feature::WrappingRegister, 60),
    (Feature::EqualCopies, 10),
];

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
                assert!(check_all(programs) > 45_000);
                let programs = random_programs(200 + seed, Shape::COUNTED).take(20_000);
                assert!(check_all(programs) > 18_000);
                let programs = random_programs(300 + seed, Shape::LOOPING).take(20_000);
                let agree = |program: &Program| agree_with_loops(program, &mut [0, 0]);
                assert!(hold_for_all(programs, agree, told) > 19_000);
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

/// A store out of its range writes nothing, also where stores must know who has reserved a cell.
#[test]
fn a_faulting_store_beside_an_exclusive_one_is_on_no_cycle() {
    let program = load(
        "shared x at 10
         shared y[2]: 0..=1 at 20
         thread P0 { local a, b; x = 2; y[0] = 2; b = store_exclusive(x, 1) }
         thread P1 { local a; y[0] = 1; a = x; a = y[0] }",
    );
    assert_eq!(check_all([program].into_iter()), 1);
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
        assert_eq!(decided(verdict), Some(false), "{criterion}: {verdict:?}");
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
