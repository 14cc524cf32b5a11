//! What lies beyond a bound of a translation is not part of a program, so nothing may be said to hold
//! that it could change. Random programs are cut off at random places; what holds of what is left must
//! hold of the whole.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use analysis::abstraction::walks_of_pivots;
use analysis::robustness::per_attack;
use analysis::tso_only::check_safety;
use analysis::{
    Criterion, Depth, Options, Query, Reason, Verdict, check, outcomes, persistence_by_abstraction,
    reach, reach_with_buffers, violations, whole,
};
use fastrand::Rng;
use frontend::Language;
use oracle::generate::cut_off::{BOUND, bound, cut_off, cut_off_where_read};
use oracle::generate::random::{Shape, random_programs};
use oracle::generate::tiny::{Alphabet, tiny_programs};
use oracle::{Exceeded, Limits, MemoryModel, final_states};
use program::{Expr, Instruction, Program, Template, TemplateBuilder};
use semantics::Model;

fn nobody(_: &analysis::Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// What is known: yes, no, or nothing.
fn known<E>(verdict: &Verdict<E>) -> Option<bool> {
    match verdict {
        Verdict::Holds(_) => Some(true),
        Verdict::Violated(_) => Some(false),
        Verdict::Undecided(_) => None,
    }
}

/// All answers about a program, whichever way they are found, with a name.
fn answers(program: &Program) -> Vec<(String, Option<bool>)> {
    let options = Options::default();
    let mut all = Vec::new();
    for criterion in Criterion::ALL {
        let alone = check(program, &[criterion], &options, nobody).expect("definite");
        all.push((format!("{criterion}"), known(&alone[0].verdict)));
        let several = violations(program, criterion, (&options, 4), nobody).expect("definite").0;
        all.push((format!("violations of {criterion}"), known(&several)));
    }
    for answer in check(program, &Criterion::ALL, &options, nobody).expect("definite") {
        all.push((format!("{} among all", answer.criterion), known(&answer.verdict)));
    }
    for depth in [Depth::Fixed(0), Depth::Fixed(2), Depth::Raised { most: 2 }] {
        let report = persistence_by_abstraction(program, depth, &options, nobody);
        all.push((format!("{depth:?}"), known(&report.expect("definite").verdict)));
    }
    let walks = walks_of_pivots(program, &[0, 1], (&options, 4), nobody).expect("definite").0;
    // Walks of an abstract program need not be violations.
    all.push(("walks".to_owned(), known(&walks).filter(|holds| *holds)));
    let table = per_attack(program, &options).expect("definite");
    let attacks = match (table.feasible.is_empty(), &table.reason) {
        (false, _) => Some(false),
        (true, None) => Some(true),
        (true, Some(_)) => None,
    };
    all.push(("attacks one by one".to_owned(), attacks));
    let query = Query { faults: true, deadlocks: true, question: true, goal: None };
    let under_sc = reach(program, &query, &options, nobody).expect("definite").verdict;
    let under_tso =
        reach_with_buffers(program, &query, &options, nobody).expect("definite").verdict;
    let safety = check_safety(program, &options, nobody).expect("definite").0;
    all.push(("reach under SC".to_owned(), known(&under_sc)));
    all.push(("reach under TSO".to_owned(), known(&under_tso)));
    all.push(("safety".to_owned(), known(&safety)));
    all
}

/// The ends of a program under a model, and whether they are all.
fn ends(program: &Program, model: Model) -> (BTreeSet<String>, bool) {
    let found = outcomes(program, model, &Options::default(), nobody).expect("definite");
    let threads = found.threads.clone();
    let states = found.found.iter().map(|outcome| {
        // The cut program has a register more.
        let registers = outcome.registers.enumerate().map(|(thread, values)| {
            let all = program.template(threads[thread].template).registers();
            let named = all.iter().zip(values.iter()).filter(|(register, _)| !register.generated);
            named.map(|(_, value)| *value).collect::<Vec<_>>()
        });
        format!("{:?} {:?}", registers.collect::<Vec<_>>(), outcome.changed_memory)
    });
    let errors = found.errors.iter().map(|error| {
        let template = program.template(threads[error.thread].template);
        let edge = template.edge(error.edge);
        format!("{:?} {:?} {:?}", error.thread, edge.from, edge.instruction)
    });
    (states.chain(errors).collect(), found.complete.is_ok())
}

/// Compares a program with what is left of it; how many answers were sure, and how many of those that
/// are not are so because of the bound.
fn check_cut(program: &Program, cut: &Program) -> (usize, usize) {
    let text = || frontend::print(cut, Language::Fw).unwrap_or_default();
    let (mut sure, mut bounded) = (0, 0);
    for ((what, of_cut), (_, of_whole)) in answers(cut).into_iter().zip(answers(program)) {
        match of_cut {
            Some(answer) => {
                sure += 1;
                assert!(of_whole.is_none_or(|whole| whole == answer), "{what}: {}", text());
            }
            None if of_whole.is_some() => bounded += 1,
            None => {}
        }
    }
    for model in [Model::Sc, Model::Tso] {
        let (left, is_all) = ends(cut, model);
        let (whole, _) = ends(program, model);
        assert!(left.is_subset(&whole), "{model:?}: {}", text());
        assert!(!is_all || left == whole, "{model:?}: {}", text());
    }
    (sure, bounded)
}

fn check_all(programs: impl Iterator<Item = Program>, seed: u64) -> (usize, usize) {
    let mut rng = Rng::with_seed(seed);
    let mut all = (0, 0);
    for program in programs {
        let (sure, bounded) = check_cut(&program, &cut_off(&program, &mut rng));
        all = (all.0 + sure, all.1 + bounded);
    }
    all
}

#[test]
fn what_holds_up_to_a_bound_holds_beyond_it() {
    let shape = Shape { max_threads: 3, max_accesses: 7, ..Shape::default() };
    let (sure, bounded) = check_all(random_programs(18, shape).take(250), 18);
    assert!(sure > 2_600 && bounded > 2_900, "{sure} {bounded}");
}

#[test]
fn tiny_programs_are_not_shown_to_hold_by_cutting_them_off() {
    let (sure, bounded) = check_all(tiny_programs(Alphabet::RICH, 3).step_by(7), 19);
    assert!(sure > 1_000 && bounded > 500, "{sure} {bounded}");
}

#[test]
#[ignore = "takes minutes"]
fn what_holds_up_to_a_bound_holds_beyond_it_in_many_programs() {
    let (sure, bounded) = check_all(random_programs(20, Shape::default()).take(20_000), 20);
    assert!(sure > 100_000 && bounded > 50_000, "{sure} {bounded}");
}

#[test]
fn a_bound_that_nobody_gets_to_changes_nothing() {
    let text = "shared x\nshared y\nthread p { local a\n x = 1\n fence\n a = y }\n\
                thread q { local b\n y = 1\n fence\n b = x }\n";
    let mut sources = program::Sources::new();
    let source = sources.add("p.fw", text);
    let program = frontend::load(&sources, source, Language::Fw, &frontend::Settings::default());
    let program = program.unwrap();
    // A way that nobody takes ends in a bound.
    let with_bound = |template: &Template| {
        let mut builder = TemplateBuilder::like(template);
        let bound = bound(&mut builder);
        let (before, end) = (builder.named_label("before"), builder.named_label("beyond"));
        template.edges().iter().for_each(|edge| builder.edge(edge.clone()));
        builder.bare_edge(template.initial(), before, Instruction::Assume(Expr::Const(0)));
        builder.bare_edge(before, end, bound);
        builder.build(template.initial())
    };
    let with_bounds = program.with_templates(program.templates().iter().map(with_bound).collect());
    let of = |program: &Program| {
        let options = Options::default();
        check(program, &[Criterion::Robustness], &options, nobody).expect("definite")
    };
    let (without, with) = (&of(&program)[0], &of(&with_bounds)[0]);
    assert!(without.verdict.holds() && with.verdict.holds());
    // Control flow is not enough to know that.
    assert!(without.statistics.states == 0 && with.statistics.states > 0);
    let all = with_bounds.templates().iter().map(|template| {
        template.edges().indices().filter_map(|edge| template.bound(edge)).collect::<Vec<_>>()
    });
    assert_eq!(all.collect::<Vec<_>>(), [[BOUND], [BOUND]]);
}

/// Whether somebody gets to a bound, straight from the definition.
fn is_bounded(program: &Program) -> Option<bool> {
    match final_states(program, MemoryModel::Sc, &Limits::default()) {
        Ok(_) => Some(false),
        Err(Exceeded::Overflow) => Some(true),
        Err(
            Exceeded::States
            | Exceeded::Length
            | Exceeded::AnyNumberOfCopies { .. }
            | Exceeded::AccessAcross,
        ) => None,
    }
}

#[test]
fn bounds_that_depend_on_others_are_found() {
    let (mut reached, mut unreached) = (0, 0);
    let mut rng = Rng::with_seed(7);
    for shape in [Shape::default(), Shape::COUNTED, Shape::LOOPING] {
        for program in random_programs(7, shape).take(700) {
            let cut = cut_off_where_read(&program, &mut rng);
            let Some(expected) = is_bounded(&cut) else { continue };
            let text = || frontend::print(&cut, Language::Fw).unwrap_or_default();
            match whole(&cut, &Options::default(), nobody).expect("definite").0 {
                Ok(_) => {
                    unreached += 1;
                    assert!(!expected, "{}", text());
                }
                Err(Reason::Bound { .. }) => {
                    reached += 1;
                    assert!(expected, "{}", text());
                }
                Err(other) => panic!("{other}: {}", text()),
            }
        }
    }
    assert!(reached > 300 && unreached > 300, "{reached} {unreached}");
}

#[test]
fn what_holds_in_spite_of_a_bound_that_depends_on_others_holds() {
    let mut rng = Rng::with_seed(8);
    let shape = Shape { max_threads: 3, max_accesses: 7, ..Shape::default() };
    for program in random_programs(8, shape).take(150) {
        check_cut(&program, &cut_off_where_read(&program, &mut rng));
    }
}

/// Beyond a bound there may be errors, so a thread that never ends does not excuse from looking there.
#[test]
fn a_bound_beside_an_endless_thread_is_met() {
    let text = "shared x\nthread p { x = 1\n x = 2 }\nthread q { while true { x = 3 } }\n";
    let mut sources = program::Sources::new();
    let source = sources.add("p.fw", text);
    let program = frontend::load(&sources, source, Language::Fw, &frontend::Settings::default());
    let program = program.unwrap();
    let mut rng = Rng::with_seed(2);
    let cuts = std::iter::repeat_with(|| cut_off(&program, &mut rng)).take(40);
    let mut bounded = 0;
    for cut in cuts.filter(|cut| is_bounded(cut) == Some(true)) {
        bounded += 1;
        for model in [Model::Sc, Model::Tso] {
            assert!(!ends(&cut, model).1, "{}", frontend::print(&cut, Language::Fw).unwrap());
        }
    }
    assert!(bounded > 5, "{bounded}");
}

#[test]
fn the_reason_names_the_bound() {
    let mut rng = Rng::with_seed(1);
    let program = random_programs(1, Shape::default()).next().expect("there are endlessly many");
    let reasons =
        std::iter::repeat_with(|| cut_off(&program, &mut rng)).take(50).filter_map(|cut| {
            match &check(&cut, &[Criterion::Robustness], &Options::default(), nobody).ok()?[0]
                .verdict
            {
                Verdict::Undecided(Reason::Bound { what, .. }) => Some(what.clone()),
                Verdict::Undecided(other) => panic!("{other}"),
                Verdict::Holds(_) | Verdict::Violated(_) => None,
            }
        });
    let reasons: BTreeSet<String> = reasons.collect();
    assert_eq!(reasons, BTreeSet::from([BOUND.to_owned()]));
}
