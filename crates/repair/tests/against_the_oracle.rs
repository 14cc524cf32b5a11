//! Small programs, random ones and all tiny ones: the oracle, which tries all sets of fences, finds
//! nothing cheaper, and agrees that nothing can be done where we say so.

use std::ops::ControlFlow;

use analysis::{Criterion, Options};
use oracle::generate::random::{Shape, random_programs};
use oracle::generate::shrink::{hold_for_all, smallest};
use oracle::generate::straight::{Op, straight_line};
use oracle::generate::tiny::{Alphabet, tiny_programs};
use oracle::{Candidate, Census, Feature, Limits, Place, Position, minimum_fences};
use program::Change;
use program::{FenceKind, Instruction, Program};
use repair::checkers::Exact;
use repair::decision::{Decision, Kind, existing, fences, locked_stores};
use repair::esop13::{Queries, by_attacks};
use repair::esop15::algorithm_1;
use repair::{Outcome, Positions, Problem, cheapest_repair};

const LIMITS: Limits = Limits { max_states: 20_000, max_length: 60 };
const CRITERIA: [(Criterion, oracle::Criterion); 4] = [
    (Criterion::Trf, oracle::Criterion::TriangularRaceFree),
    (Criterion::Robustness, oracle::Criterion::Robust),
    (Criterion::Persistence, oracle::Criterion::Persistent),
    (Criterion::States, oracle::Criterion::SameEnds),
];

/// The places that a decision puts fences in, as the oracle calls them.
fn candidate(program: &Program, decision: &Decision) -> Candidate {
    let threads = program.threads().expect("a definite program");
    let of_change = |(template, change): &(_, Change)| {
        let place = match change {
            Change::FenceBefore(label, _) => Place::At(*label),
            Change::FenceAfter(edge, _) => Place::After(*edge),
            Change::Become(..) => panic!("no fence"),
        };
        let copies = threads.enumerate().filter(|(_, thread)| thread.template == *template);
        copies.map(|(thread, _)| Position { thread, place }).collect::<Vec<_>>()
    };
    decision.changes.iter().flat_map(of_change).collect()
}

/// The cost of a repair; nothing if there is none.
fn ours(
    program: &Program,
    criterion: Criterion,
    positions: Positions,
    costs: &[u64],
) -> Option<u64> {
    let decisions = fences(program, positions, true);
    let problem = Problem { program, decisions: &decisions, costs, preferences: &[] };
    let options = Options::default();
    let mut checker = Exact { criterion, options: &options, watch: nobody };
    let solved = cheapest_repair(&problem, &mut checker, false).expect("a definite program");
    match solved.outcome {
        Outcome::Repaired { sets, .. } => Some(problem.cost(sets[0].iter().copied())),
        Outcome::Unrepairable(_) => None,
        Outcome::Undecided { reason, .. } => panic!("{reason}"),
    }
}

/// Whether the oracle finds the same costs; nothing if a program is too large for it.
fn same_costs(program: &Program, seed: Option<u64>) -> Option<bool> {
    for positions in [Positions::Labels, Positions::AfterInstructions] {
        let decisions = fences(program, positions, true);
        let candidates: Vec<Candidate> =
            decisions.iter().map(|decision| candidate(program, decision)).collect();
        let mut random = fastrand::Rng::with_seed(seed.unwrap_or(0));
        let costs: Vec<u64> =
            decisions.iter().map(|_| if seed.is_some() { random.u64(1..8) } else { 1 }).collect();
        for (criterion, of_oracle) in CRITERIA {
            let theirs =
                minimum_fences(program, of_oracle, &candidates, |at| costs[at], &LIMITS).ok()?;
            let theirs = theirs.map(|set| set.into_iter().map(|at| costs[at]).sum::<u64>());
            if ours(program, criterion, positions, &costs) != theirs {
                return Some(false);
            }
        }
    }
    Some(true)
}

fn check_all(
    programs: impl Iterator<Item = Program>,
    seed: impl Fn(usize) -> Option<u64>,
) -> usize {
    let mut checked = 0;
    for (number, program) in programs.enumerate() {
        let seed = seed(number);
        match same_costs(&program, seed) {
            None => {}
            Some(true) => checked += 1,
            Some(false) => {
                let least = smallest(&program, &mut |other| same_costs(other, seed) == Some(false));
                panic!("another cost than the oracle's, seed {seed:?}: {least:#?}");
            }
        }
    }
    checked
}

fn shapes() -> impl Iterator<Item = Shape> {
    let one = |max_threads, max_accesses, sections, exclusives| Shape {
        max_threads,
        max_accesses,
        sections,
        exclusives,
        ..Shape::default()
    };
    let loops = Shape { max_threads: 2, max_accesses: 5, ..Shape::COUNTED };
    [one(2, 6, false, false), one(3, 7, false, true), one(2, 8, true, false), loops].into_iter()
}

#[test]
fn random_programs_are_repaired_at_the_least_cost() {
    let checked: usize = shapes()
        .zip(70..)
        .map(|(shape, seed)| {
            let programs = random_programs(seed, shape).take(150);
            check_all(programs, |number| (number % 2 == 1).then_some(number as u64))
        })
        .sum();
    assert!(checked > 450, "{checked}");
}

#[test]
fn tiny_programs_are_repaired_with_the_fewest_fences() {
    assert!(check_all(tiny_programs(Alphabet::RICH, 3), |_| None) > 500);
}

/// All cheapest sets, by asking the oracle about the program with each set of changes.
fn all_cheapest(problem: &Problem<'_>, criterion: oracle::Criterion) -> Option<Vec<Vec<usize>>> {
    let sets = (0_u32..1 << problem.decisions.len()).map(|bits| -> Vec<usize> {
        (0..problem.decisions.len()).filter(|at| bits >> at & 1 == 1).collect()
    });
    let mut valid: Vec<Vec<usize>> = Vec::new();
    for set in sets {
        let changed = problem.with(set.iter().copied());
        if oracle::holds(&changed.program, criterion, &LIMITS).ok()? {
            valid.push(set);
        }
    }
    let cost = |set: &Vec<usize>| problem.cost(set.iter().copied());
    let least = valid.iter().map(cost).min();
    valid.retain(|set| Some(cost(set)) == least);
    valid.sort();
    Some(valid)
}

fn nobody(_: &analysis::Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Whether all cheapest sets are found, also with locked stores, and the algorithms of the papers find
/// none that is cheaper, and with attacks one that is as cheap.
fn same_sets(program: &Program, positions: Positions, seed: u64) -> Option<bool> {
    let mut decisions = fences(program, positions, true);
    decisions.extend(locked_stores(program, true));
    if decisions.len() > 8 {
        return None;
    }
    let mut random = fastrand::Rng::with_seed(seed);
    let costs: Vec<u64> = decisions.iter().map(|_| random.u64(1..4)).collect();
    let problem = Problem { program, decisions: &decisions, costs: &costs, preferences: &[] };
    let options = Options::default();
    for (criterion, of_oracle) in CRITERIA {
        let theirs = all_cheapest(&problem, of_oracle)?;
        let mut checker = Exact { criterion, options: &options, watch: nobody };
        let solved = cheapest_repair(&problem, &mut checker, true).expect("a definite program");
        let ours = sets(&solved.outcome);
        if ours != theirs {
            return Some(false);
        }
        let cost = |sets: &[Vec<usize>]| sets.first().map(|set| problem.cost(set.iter().copied()));
        let minimal = algorithm_1(&problem, &mut checker).expect("a definite program");
        let minimal = sets(&minimal.outcome);
        if cost(&minimal) < cost(&ours) || !is_irreducible(&problem, of_oracle, &minimal)? {
            return Some(false);
        }
        if criterion == Criterion::Robustness {
            let (by_attacks, queries) = by_attacks(&problem, &options).expect("a definite program");
            let Queries { all, refuted_by_control_flow, refuted_by_search, feasible } = queries;
            if cost(&sets(&by_attacks.outcome)) != cost(&ours)
                || all != refuted_by_control_flow + refuted_by_search + feasible
            {
                return Some(false);
            }
        }
    }
    Some(true)
}

fn sets(outcome: &Outcome) -> Vec<Vec<usize>> {
    match outcome {
        Outcome::Repaired { sets, .. } => sets.clone(),
        Outcome::Unrepairable(_) => Vec::new(),
        Outcome::Undecided { reason, .. } => panic!("{reason}"),
    }
}

fn is_irreducible(
    problem: &Problem<'_>,
    criterion: oracle::Criterion,
    sets: &[Vec<usize>],
) -> Option<bool> {
    for set in sets {
        for left_out in set {
            let fewer = set.iter().copied().filter(|at| at != left_out);
            if oracle::holds(&problem.with(fewer).program, criterion, &LIMITS).ok()? {
                return Some(false);
            }
        }
    }
    Some(true)
}

#[test]
fn all_cheapest_sets_are_found_and_the_papers_find_none_that_is_cheaper() {
    let mut checked = 0;
    for (shape, seed) in shapes().zip(40..) {
        for (number, program) in random_programs(seed, shape).take(60).enumerate() {
            for positions in [Positions::Labels, Positions::AfterInstructions] {
                let seed = number as u64;
                match same_sets(&program, positions, seed) {
                    None => {}
                    Some(true) => checked += 1,
                    Some(false) => {
                        let fails =
                            &mut |other: &Program| same_sets(other, positions, seed) == Some(false);
                        panic!("{positions:?}, seed {seed}: {:#?}", smallest(&program, fails));
                    }
                }
            }
        }
    }
    assert!(checked > 50, "{checked}");
}

/// Whether exactly those fences and locked stores of a program are kept that are cheapest to keep: each
/// instruction that waits for an empty buffer and could do without is a decision.
fn same_kept(program: &Program, census: &mut Census) -> Option<bool> {
    let (weaker, decisions) = existing(program, true);
    if decisions.is_empty() || decisions.len() > 5 {
        return None;
    }
    let costs: Vec<u64> = vec![1; decisions.len()];
    let problem =
        Problem { program: &weaker, decisions: &decisions, costs: &costs, preferences: &[] };
    let options = Options::default();
    for (criterion, of_oracle) in CRITERIA {
        let theirs = all_cheapest(&problem, of_oracle)?;
        let mut checker = Exact { criterion, options: &options, watch: nobody };
        let solved = cheapest_repair(&problem, &mut checker, true).expect("a definite program");
        if sets(&solved.outcome) != theirs {
            return Some(false);
        }
    }
    census.count(program);
    Some(true)
}

#[test]
fn only_fences_that_are_needed_are_kept() {
    let mut census = Census::default();
    let mut checked = 0;
    for (shape, seed) in shapes().zip(90..) {
        let programs = random_programs(seed, shape).take(120);
        let told = |small: &Program| format!("{small:#?}");
        checked += hold_for_all(programs, |program| same_kept(program, &mut census), told);
    }
    assert!(checked >= 80, "{checked}");
    let kinds = [FenceKind::Full, FenceKind::StoreLoad].map(|kind| (Feature::Fence(kind), 3));
    census.assert_at_least(80, &kinds);
}

/// What can be weakened is offered, and nothing else is.
#[test]
fn what_waits_for_an_empty_buffer_and_need_not_is_offered() {
    let offered = |op: Op| {
        let program = straight_line("one", &[&[op, Op::Load(0)]]);
        let (weaker, decisions) = existing(&program, true);
        let kinds: Vec<Kind> = decisions.iter().map(|decision| decision.kind).collect();
        let all: Vec<usize> = (0..decisions.len()).collect();
        let problem = Problem {
            program: &weaker,
            decisions: &decisions,
            costs: &vec![1; all.len()],
            preferences: &[],
        };
        let put_back = problem.with(all).program;
        let instructions = |program: &Program| -> Vec<Instruction> {
            let edges = program.templates().iter().flat_map(|template| template.edges().iter());
            edges.map(|edge| edge.instruction.clone()).collect()
        };
        assert_eq!(instructions(&put_back), instructions(&program), "{op:?}");
        let drains =
            |program: &Program| instructions(program).iter().any(Instruction::drains_buffer);
        assert!(kinds.is_empty() || drains(&program) && !drains(&weaker), "{op:?}");
        kinds
    };
    for kind in FenceKind::ALL {
        let expected: &[Kind] =
            if kind.orders_store_before_load() { &[Kind::OldFence] } else { &[] };
        assert_eq!(offered(Op::Fence(kind)), expected, "{kind:?}");
    }
    assert_eq!(offered(Op::StoreSeqCst(0, 1)), [Kind::OldLockedStore]);
    assert_eq!(offered(Op::Exchange(0, 1)), [Kind::OldExchange], "nobody uses what it read");
    assert_eq!(offered(Op::Store(0, 1)), []);
    assert_eq!(offered(Op::CompareAndSwap(0, 0, 1)), []);
}

/// Takes minutes in a release build: `cargo test --release -p fencewright-repair -- --ignored`.
#[test]
#[ignore = "long"]
fn very_many_programs() {
    let each = 5000;
    let checked: usize = shapes()
        .zip(700..)
        .map(|(shape, seed)| {
            check_all(random_programs(seed, shape).take(each), |number| Some(number as u64))
        })
        .sum();
    assert!(checked > each, "{checked}");
    assert!(check_all(tiny_programs(Alphabet::RICH, 4), |_| None) > 10_000);
}
