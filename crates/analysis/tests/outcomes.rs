//! Final states under SC and TSO against the oracle's, with a run to each that the semantics accepts.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use analysis::tso_only::Seen;
use analysis::{Limit, Limits, Options, Outcome, Outcomes, Reason, Reductions, compare, outcomes};
use frontend::{Language, Settings, load};
use oracle::generate::across::random_programs_across;
use oracle::generate::random::{Shape, random_programs};
use oracle::generate::tiny::{Alphabet, tiny_programs};
use oracle::{Configuration, MemoryModel, final_states, reachable_errors};
use program::{EdgeId, Program, Sources, ThreadId};
use semantics::Model;

fn explored(program: &Program, model: Model) -> Outcomes {
    outcomes(program, model, &Options::default(), |_| ControlFlow::Continue(())).unwrap()
}

const LIMITS: oracle::Limits = oracle::Limits { max_states: 100_000, max_length: 60 };

/// Compares with the oracle, unless it gives up.
fn check(program: &Program) -> bool {
    let models = [
        (Model::Sc, axiomatic::Model::Sc, MemoryModel::Sc),
        (Model::Tso, axiomatic::Model::Tso, MemoryModel::Tso),
    ];
    for (model, shown, of_oracle) in models {
        let Ok(expected) = final_states(program, of_oracle, &LIMITS) else {
            return false;
        };
        let answer = oracle::answer(program, of_oracle, &LIMITS).expect("as many states");
        let ours =
            analysis::final_states(program, shown, Seen::Everything, &Options::default(), |_| {
                ControlFlow::Continue(())
            });
        let ours = ours.expect("a definite program").answer;
        assert_eq!(
            ours.map(|answer| answer.holds),
            answer.map(|answer| Some(answer.holds)),
            "{model:?}: {}",
            frontend::fw::print(program)
        );
        let outcome = |state: Configuration| Outcome {
            registers: state.threads.iter().map(|thread| thread.registers.clone()).collect(),
            changed_memory: state.cells,
        };
        let expected: BTreeSet<Outcome> = expected.into_iter().map(outcome).collect();
        let outcomes = explored(program, model);
        assert_eq!(outcomes.complete.clone().err(), None, "{program:#?}");
        assert!(outcomes.found.iter().eq(expected.iter()), "{model:?}: {program:#?}");
        for outcome in &outcomes.found {
            // It panics if the semantics does not accept it.
            assert!(outcomes.run(program, outcome).is_some());
        }
        let Ok(expected) = reachable_errors(program, of_oracle, &oracle::Limits::default()) else {
            return false;
        };
        let errors: BTreeSet<(ThreadId, EdgeId)> =
            outcomes.errors.iter().map(|error| (error.thread, error.edge)).collect();
        let text = || frontend::print(program, Language::Fw).unwrap_or_default();
        assert_eq!(errors, expected, "{model:?}:\n{}", text());
        for error in &outcomes.errors {
            assert!(outcomes.failing_run(program, *error).is_some());
        }
    }
    true
}

fn check_random(seed: u64, count: usize, shape: Shape) {
    let decided = random_programs(seed, shape).take(count).filter(check).count();
    assert!(decided * 100 >= count * 99, "only {decided} of {count} programs were decided");
}

#[test]
fn tiny_programs_agree() {
    assert!(tiny_programs(Alphabet::SIMPLE, 4).all(|program| check(&program)));
    assert!(tiny_programs(Alphabet::RICH, 3).all(|program| check(&program)));
}

#[test]
fn random_programs_agree() {
    check_random(11, 2000, Shape::default());
}

#[test]
fn programs_with_accesses_across_cells_agree() {
    let count = 1500;
    let decided = random_programs_across(12).take(count).filter(check).count();
    assert!(decided * 100 >= count * 99, "only {decided} of {count} programs were decided");
}

#[test]
fn programs_with_loops_agree() {
    check_random(13, 500, Shape::COUNTED);
    // Those whose buffers grow for ever are not decided.
    let decided = random_programs(14, Shape::LOOPING).take(300).filter(check).count();
    assert!(decided >= 270, "only {decided} programs were decided");
}

/// Ways to search that must make no difference.
fn ways() -> Vec<Options> {
    let none = Reductions::NONE;
    let reductions = [
        Reductions::ALL,
        none,
        Reductions { dead_registers: true, ..none },
        Reductions { local_steps: true, ..none },
        Reductions { locked_sections: true, ..none },
        Reductions { partial_order: true, ..none },
        Reductions { symmetry: true, ..none },
        Reductions { local_steps: true, partial_order: true, ..none },
    ];
    let mut ways = Vec::new();
    for reductions in reductions {
        let default = Options { reductions, ..Options::default() };
        // Automata that are known as a whole, and others that grow.
        ways.push(Options { probe_states: 1, ..default });
        ways.push(Options { precompile_budget: 0, threads: 2, ..default });
    }
    ways
}

fn no_option_changes_the_outcomes(programs: impl Iterator<Item = Program>) {
    let (mut ends, mut errors) = (0, 0);
    for program in programs {
        for model in [Model::Sc, Model::Tso] {
            let expected = explored(&program, model);
            ends += expected.found.len();
            errors += expected.errors.len();
            for options in ways() {
                let limits = Limits { states: Some(100_000), ..Limits::default() };
                let options = Options { limits, ..options };
                let found = outcomes(&program, model, &options, |_| ControlFlow::Continue(()));
                let found = found.unwrap();
                let text = || frontend::print(&program, Language::Fw).unwrap_or_default();
                let same = (&found.found, &found.errors) == (&expected.found, &expected.errors);
                let alike = found.complete.is_ok() == expected.complete.is_ok();
                let is_limit = found.complete == Err(Reason::Limit(Limit::States));
                assert!(same && alike || is_limit, "{model:?}, {options:?}:\n{}", text());
            }
        }
    }
    assert!(ends > 100 && errors > 0, "{ends} ends, {errors} errors");
}

#[test]
fn no_option_changes_the_outcomes_of_random_programs() {
    no_option_changes_the_outcomes(random_programs(31, Shape::default()).take(250));
    no_option_changes_the_outcomes(random_programs(32, Shape::COUNTED).take(120));
    no_option_changes_the_outcomes(random_programs(33, Shape::KEPT_OUT).take(120));
}

#[test]
#[ignore = "takes minutes"]
fn many_random_programs_agree() {
    check_random(12, 100_000, Shape::default());
}

fn parse(text: &str) -> Program {
    let mut sources = Sources::new();
    let source = sources.add("test", text);
    load(&sources, source, Language::Fw, &Settings::default())
        .unwrap_or_else(|errors| panic!("{errors:?}"))
}

const STORE_BUFFERING: &str = "shared x\nshared y\n\
    thread P { local a\n x = 1\n a = y }\nthread Q { local b\n y = 1\n b = x }\n";

#[test]
fn store_buffering_has_one_more_outcome_under_tso() {
    let program = parse(STORE_BUFFERING);
    let comparison = compare(&program, &Options::default(), |_| ControlFlow::Continue(())).unwrap();
    assert_eq!((comparison.sc.found.len(), comparison.tso.found.len()), (3, 4));
    let new = comparison.only_under_tso().unwrap();
    assert_eq!(new.len(), 1);
    assert!(new[0].registers.iter().flatten().all(|value| *value == 0));
    let run = comparison.tso.run(&program, new[0]).unwrap();
    assert_eq!(run.computation.steps.len(), 6);
}

#[test]
fn loops_with_few_states_are_exact() {
    let text = "shared x\nshared y\nthread P { local a\n x = 1\n fence\n while a == 0 { a = y } }\n\
                thread Q { local b\n while b == 0 { b = x }\n y = 1 }\n";
    let program = parse(text);
    let outcomes = explored(&program, Model::Tso);
    assert_eq!((outcomes.complete.clone().err(), outcomes.found.len()), (None, 1));
}

#[test]
fn a_buffer_that_grows_for_ever_is_noticed() {
    let endless = "shared x\nshared y\nthread P { local a\n while a == 0 { x = 1\n a = y } }\n\
                   thread Q { y = 1 }\n";
    for (model, grows) in [(Model::Sc, false), (Model::Tso, true)] {
        let outcomes = explored(&parse(endless), model);
        let expected = grows.then(|| Reason::BufferGrows { thread: "P".to_owned() });
        assert_eq!(outcomes.complete.clone().err(), expected);
    }
    // The same with a loop that writes what it reads back.
    let counting = "shared x: u8\nshared y\nthread P { local a\n local b: u8\n \
                    while a == 0 { b = x\n x = b + 1\n a = y } }\nthread Q { y = 1 }\n";
    let outcomes = explored(&parse(counting), Model::Sc);
    assert_eq!(outcomes.complete.clone().err(), None);
    assert_eq!(outcomes.found.len(), 256);
}

#[test]
fn a_thread_that_never_ends_leaves_nothing_to_explore() {
    let endless = "shared x\nthread P { local a\n while true { x = 1 } }\nthread Q { x = 2 }\n";
    let outcomes = explored(&parse(endless), Model::Tso);
    assert_eq!((outcomes.complete.clone().err(), outcomes.found.len()), (None, 0));
}

#[test]
fn limits_are_respected() {
    let program = parse(STORE_BUFFERING);
    let limits = Limits { states: Some(5), ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let outcomes = outcomes(&program, Model::Tso, &options, |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(outcomes.complete.clone().err(), Some(Reason::Limit(Limit::States)));
}
