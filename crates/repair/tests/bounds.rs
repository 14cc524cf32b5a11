//! A program that is translated up to a bound only is repaired only if nobody gets to the bound: then the
//! same fences repair all of it.

use std::ops::ControlFlow;

use analysis::{Criterion, Options, Progress};
use fastrand::Rng;
use oracle::generate::cut_off::cut_off;
use oracle::generate::random::{Shape, random_programs};
use program::Program;
use repair::checkers::{Abstract, Exact, Safety};
use repair::decision::fences;
use repair::esop13::by_attacks;
use repair::esop15::algorithm_1;
use repair::optimal::Checker;
use repair::{Outcome, Positions, Problem, cheapest_repair};

const DEFINITE: &str = "a definite program";

fn nobody(_: &Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// How many fences each way to find them takes, where it is sure.
fn costs(program: &Program) -> Vec<(String, Option<usize>)> {
    let options = Options::default();
    let decisions = fences(program, Positions::Labels, true);
    let costs = vec![1; decisions.len()];
    let problem = Problem { program, decisions: &decisions, costs: &costs, preferences: &[] };
    let count = |outcome: &Outcome| match outcome {
        Outcome::Repaired { sets, .. } => Some(sets[0].len()),
        Outcome::Unrepairable(_) | Outcome::Undecided { .. } => None,
    };
    let mut all = Vec::new();
    for criterion in
        [Criterion::Trf, Criterion::Robustness, Criterion::Persistence, Criterion::States]
    {
        let mut exact = Exact { criterion, options: &options, watch: nobody };
        let optimal = count(&solved(&problem, &mut exact));
        all.push((format!("{criterion}"), optimal));
        // Minimal by inclusion, so not always as many; none is none.
        let minimal = algorithm_1(&problem, &mut exact).expect(DEFINITE).outcome;
        let none = count(&minimal).filter(|fences| *fences == 0);
        all.push((format!("{criterion} by ESOP'15"), none));
    }
    let mut safety = Safety { options: &options, watch: nobody };
    all.push(("safety".to_owned(), count(&solved(&problem, &mut safety))));
    let mut abstraction = Abstract { depths: vec![0], states: 0, options: &options, watch: nobody };
    let by_abstraction = count(&solved(&problem, &mut abstraction));
    all.push(("abstraction".to_owned(), by_abstraction.filter(|fences| *fences == 0)));
    let by_attacks = by_attacks(&problem, &options).expect(DEFINITE).0.outcome;
    all.push(("ESOP'13".to_owned(), count(&by_attacks)));
    all
}

fn solved(problem: &Problem<'_>, checker: &mut impl Checker) -> Outcome {
    cheapest_repair(problem, checker, false).expect(DEFINITE).outcome
}

#[test]
fn what_is_repaired_up_to_a_bound_is_repaired_beyond_it() {
    let mut rng = Rng::with_seed(5);
    let shape = Shape { max_threads: 2, max_accesses: 6, ..Shape::default() };
    let (mut sure, mut bounded) = (0, 0);
    for program in random_programs(5, shape).take(150) {
        let cut = cut_off(&program, &mut rng);
        for ((what, of_cut), (_, of_whole)) in costs(&cut).into_iter().zip(costs(&program)) {
            match of_cut {
                Some(fences) => {
                    sure += 1;
                    assert_eq!(of_whole, Some(fences), "{what}: {program:#?}");
                }
                None if of_whole.is_some() => bounded += 1,
                None => {}
            }
        }
    }
    assert!(sure > 560 && bounded > 850, "{sure} {bounded}");
}
