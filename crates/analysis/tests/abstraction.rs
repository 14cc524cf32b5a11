//! What the abstraction shows is true: the oracle agrees wherever it says that a program is
//! persistent. And the two ways in which the construction of the paper, read literally, is not
//! sound, each with the flattened program that it would give.

use std::ops::ControlFlow;

use analysis::abstraction::{DecidedBy, is_shown_by_flattening};
use analysis::{Criterion, Depth, Options, Reason, Verdict, check, persistence_by_abstraction};
use frontend::{Language, Settings, load};
use oracle::generate::random::{Shape, random_programs};
use oracle::generate::shrink::smallest;
use oracle::generate::tiny::{Alphabet, tiny_programs};
use oracle::{Limits, has_fragility_pattern, holds};
use program::{Program, Sources};

const LIMITS: Limits = Limits { max_states: 30_000, max_length: 60 };
const DEPTHS: [usize; 4] = [0, 1, 2, 3];

/// Whether abstract programs alone show that a program is persistent.
fn shown(program: &Program, depth: usize) -> bool {
    let options = Options { precompile_budget: 1 << 12, ..Options::default() };
    let depth = Depth::Fixed(depth);
    let report =
        persistence_by_abstraction(program, depth, &options, |_| ControlFlow::Continue(()));
    let report = report.expect("a definite program");
    match (report.verdict, report.decided_by) {
        (Verdict::Holds(_), DecidedBy::Abstraction { .. }) => true,
        (Verdict::Holds(_) | Verdict::Violated(_) | Verdict::Undecided(_), _) => false,
    }
}

fn is_persistent(program: &Program) -> Option<bool> {
    holds(program, oracle::Criterion::Persistent, &LIMITS).ok()
}

/// The same with flattened programs only.
fn shown_by_flattening(program: &Program, depth: usize) -> bool {
    let options = Options { precompile_budget: 1 << 12, ..Options::default() };
    is_shown_by_flattening(program, depth, &options).expect("a definite program")
}

/// How often the oracle was asked, and for each depth how often the abstraction showed what holds.
#[derive(Debug, Default)]
struct Tally {
    asked: usize,
    persistent: usize,
    shown: [usize; DEPTHS.len()],
    by_flattening: [usize; DEPTHS.len()],
}

fn compare(programs: impl Iterator<Item = Program>) -> Tally {
    compare_with(programs, is_persistent)
}

/// Whether a program is persistent, by the pattern: so also if it has loops.
fn has_no_pattern(program: &Program) -> Option<bool> {
    has_fragility_pattern(program, &LIMITS).ok().map(|fragile| !fragile)
}

fn compare_with(
    programs: impl Iterator<Item = Program>,
    is_persistent: fn(&Program) -> Option<bool>,
) -> Tally {
    let mut tally = Tally::default();
    for program in programs {
        let Some(persistent) = is_persistent(&program) else { continue };
        tally.asked += 1;
        tally.persistent += usize::from(persistent);
        for depth in DEPTHS {
            let expected = (persistent, is_persistent);
            tally.shown[depth] += usize::from(is_right(&program, expected, depth, shown));
            let by_flattening = is_right(&program, expected, depth, shown_by_flattening);
            tally.by_flattening[depth] += usize::from(by_flattening);
        }
    }
    tally
}

/// Whether a program is shown to be persistent, which must be right.
fn is_right(
    program: &Program,
    (persistent, is_persistent): (bool, fn(&Program) -> Option<bool>),
    depth: usize,
    shown: fn(&Program, usize) -> bool,
) -> bool {
    let is_shown = shown(program, depth);
    if is_shown && !persistent {
        let is_wrong =
            &mut |program: &Program| shown(program, depth) && is_persistent(program) == Some(false);
        let text = frontend::fw::print(&smallest(program, is_wrong));
        panic!("not persistent, but shown to be at depth {depth}:\n{text}");
    }
    is_shown
}

#[test]
fn random_programs_shown_to_be_persistent_are() {
    let tally = compare(random_programs(61, Shape::default()).take(300));
    assert!(tally.asked >= 280 && tally.shown[3] > tally.persistent / 2, "{tally:?}");
    assert!(tally.by_flattening.is_sorted(), "a greater depth shows more: {tally:?}");
}

#[test]
fn programs_with_loops_shown_to_be_persistent_are() {
    let tally = compare(random_programs(62, Shape::COUNTED).take(150));
    assert!(tally.asked >= 140 && tally.shown[3] > tally.persistent / 2, "{tally:?}");
    let tally = compare_with(random_programs(63, Shape::LOOPING).take(150), has_no_pattern);
    assert!(tally.asked >= 148 && tally.shown[3] > tally.persistent / 2, "{tally:?}");
}

#[test]
fn tiny_programs_shown_to_be_persistent_are() {
    let programs = (0..=3).flat_map(|length| tiny_programs(Alphabet::RICH, length));
    let tally = compare(programs);
    assert!(tally.asked > 2000 && tally.shown[3] == tally.persistent, "{tally:?}");
}

/// The full comparison: `cargo test --release -p fencewright-analysis --test abstraction -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn very_many_programs_shown_to_be_persistent_are() {
    let seeds = [600, 601];
    std::thread::scope(|scope| {
        let compare = |seed| move || compare(random_programs(seed, Shape::default()).take(10_000));
        let tallies = seeds.map(|seed| scope.spawn(compare(seed)));
        for tally in tallies {
            let tally = tally.join().expect("they are");
            assert!(tally.asked > 8_000 && tally.by_flattening.is_sorted(), "{tally:?}");
        }
    });
    let tally = compare(tiny_programs(Alphabet::RICH, 4));
    assert!(tally.asked > 10_000, "{tally:?}");
}

fn parse(text: &str) -> Program {
    let mut sources = Sources::new();
    let source = sources.add("test", text);
    load(&sources, source, Language::Fw, &Settings::default())
        .unwrap_or_else(|errors| panic!("{errors:#?}"))
}

fn concretely(program: &Program) -> bool {
    let answers = check(program, &[Criterion::Persistence], &Options::default(), |_| {
        ControlFlow::Continue(())
    });
    match &answers.expect("a definite program")[0].verdict {
        Verdict::Holds(_) => true,
        Verdict::Violated(_) => false,
        Verdict::Undecided(reason) => panic!("{reason}"),
    }
}

/// A program that is not persistent, and what the paper's construction makes of it at depth 1 with
/// each thread exact in turn: all of that is persistent.
fn check_literal(program: &str, literal: [&str; 2]) {
    let program = parse(program);
    assert!(!concretely(&program) && is_persistent(&program) == Some(false));
    for flattened in literal {
        assert!(concretely(&parse(flattened)), "{flattened}");
    }
    for depth in DEPTHS {
        assert!(!shown(&program, depth), "at depth {depth}");
        assert!(!shown_by_flattening(&program, depth), "at depth {depth}");
    }
}

#[test]
fn values_of_forgotten_registers_are_not_those_of_the_beginning() {
    check_literal(
        "program stale
             shared x, y, z
         thread p { local r; y = 1; r = x }
         thread q { local s; z = 1; s = 1; x = s }",
        [
            // After `z = 1` the assignment is skipped, so that `x = s` writes what is there.
            "program stale_p
             shared x, y, z
             thread p { local r; y = 1; r = x }
             thread q { local s; z = 1; skip; x = s }",
            "program stale_q
             shared x, y, z
             thread p { y = 1; skip }
             thread q { local s; z = 1; s = 1; x = s }",
        ],
    );
}

#[test]
fn addresses_of_forgotten_registers_are_not_those_of_the_beginning() {
    check_literal(
        "program stale_index
             shared a[2], y, z
         thread p { local r; y = 1; r = a[1] }
         thread q { local s; z = 1; s = 1; a[s] = 1 }",
        [
            "program stale_index_p
             shared a[2], y, z
             thread p { local r; y = 1; r = a[1] }
             thread q { local s; z = 1; skip; a[s] = 1 }",
            "program stale_index_q
             shared a[2], y, z
             thread p { y = 1; skip }
             thread q { local s; z = 1; s = 1; a[s] = 1 }",
        ],
    );
}

#[test]
fn what_the_exact_part_of_others_reads_is_written() {
    check_literal(
        "program unread
             shared x, y, z, w
         thread p { local r; y = 1; r = x }
         thread q { local s; s = z; assume s == 1; x = 1 }
         thread o { w = 1; z = 1 }",
        [
            // p does not read z, so `z = 1` is skipped after `w = 1`; but the first step of q does.
            "program unread_p
             shared x, y, z, w
             thread p { local r; y = 1; r = x }
             thread q { local s; s = z; assume s == 1; x = 1 }
             thread o { w = 1; skip }",
            "program unread_q
             shared x, y, z, w
             thread p { y = 1; skip }
             thread q { local s; s = z; assume s == 1; x = 1 }
             thread o { w = 1; z = 1 }",
        ],
    );
}

#[test]
fn without_a_finite_range_nothing_is_shown() {
    let program = parse(
        "program counter
             shared x, y
         thread p { local r; y = 1; r = x }
         thread q { local k; loop { k = k + 1; x = k } }",
    );
    let options = Options::default();
    let report = persistence_by_abstraction(&program, Depth::Fixed(2), &options, |_| {
        ControlFlow::Continue(())
    });
    let report = report.expect("a definite program");
    // The program itself shows it.
    assert!(matches!(report.verdict, Verdict::Violated(_)));
    assert_eq!(report.decided_by, DecidedBy::Program);
    assert!(matches!(report.pivots[0].doubt, Some(Reason::NoFiniteRange(_))));
}

#[test]
fn mutual_exclusion_by_a_lock_is_seen() {
    let program = parse(
        "program locked
             shared l, x, y
         thread p[3] { local r; loop { while xchg(l, 1) == 1 { }; y = 1; r = x; x = 1 - r; l = 0 } }",
    );
    assert!(shown(&program, 0) && shown_by_flattening(&program, 0));
}
