//! Loops, errors and bounds: what is exact, and what ends in a bound.

use std::collections::BTreeSet;

use axiomatic::{
    Axioms, Bound, CatModel, Execution, FinalState, Judgement, Limits, Model, Outcomes, outcomes,
};
use frontend::{Language, Settings, load};
use oracle::generate::random::{Loops, Shape, random_programs};
use oracle::{MemoryModel, final_states, reachable_errors};
use program::{EdgeId, Program, Sources, ThreadId};

fn program(text: &str) -> Program {
    let mut sources = Sources::new();
    let source = sources.add("test", text);
    let program = load(&sources, source, Language::Fw, &Settings::default());
    program.unwrap_or_else(|errors| panic!("{errors:?} in {text}"))
}

fn asked(text: &str, model: Model) -> (Program, Outcomes) {
    let program = program(text);
    let found = outcomes(&program, model, &Limits::default());
    let found = found.unwrap_or_else(|why| panic!("{model}: {why} in {text}"));
    (program, found)
}

fn is_allowed(model: Model, execution: &Execution) -> bool {
    model.judge(execution) == Ok(Judgement::allowed(true))
}

/// Message passing with a loop that waits for the flag.
fn waiting(store: &str, load: &str) -> String {
    format!(
        "shared data, flag
         thread p {{ data = 1; {store} }}
         thread q {{ local f, d; while f == 0 {{ f = {load} }}; d = data }}
         exists q.d == 0"
    )
}

#[test]
fn a_loop_that_waits_is_one_read_that_sees_the_value() {
    for model in Model::MACHINES {
        let (program, found) =
            asked(&waiting("store(flag, 1, release)", "load(flag, acquire)"), model);
        assert_eq!(found.bound, None, "{model}");
        assert!(!found.answer(&program).expect("asked").holds, "{model}");
        let weak = match model {
            Model::Sc | Model::Tso | Model::Rc11 | Model::Imm => false,
            Model::Pso
            | Model::Rmo
            | Model::Power
            | Model::ArmV7
            | Model::AArch64
            | Model::AArch64Lse
            | Model::RiscV => true,
        };
        let (program, found) =
            asked(&waiting("store(flag, 1, relaxed)", "load(flag, relaxed)"), model);
        assert_eq!(found.bound, None, "{model}");
        assert_eq!(found.answer(&program).expect("asked").holds, weak, "{model}");
    }
}

#[test]
fn a_lock_of_exclusives_keeps_others_out() {
    let thread = |name: &str| {
        format!(
            "thread {name} {{ local old, failed = 1, n
               while failed != 0 {{
                 old = load(lock, acquire, exclusive)
                 if old == 0 {{ failed = store_exclusive(lock, 1) }}
               }}
               n = count; count = n + 1
               store(lock, 0, release)
             }}\n"
        )
    };
    let text = format!("shared lock, count\n{}{}exists count != 2", thread("p"), thread("q"));
    for model in [Model::Sc, Model::Tso, Model::Power, Model::AArch64, Model::RiscV] {
        let (program, found) = asked(&text, model);
        assert_eq!(found.bound, None, "{model}");
        assert!(!found.states.is_empty(), "{model}");
        assert!(!found.answer(&program).expect("asked").holds, "{model}");
    }
}

#[test]
fn a_loop_without_end_meets_the_bound() {
    let text =
        "shared x, y\nthread p { while 1 == 1 { x = 1; y = 1 } }\nthread q { local r; r = x }";
    let (_, found) = asked(text, Model::AArch64);
    assert!(matches!(found.bound, Some(Bound::Rounds { .. })), "{:?}", found.bound);
}

#[test]
fn a_loop_that_counts_ends_by_itself() {
    let text = "shared x
        thread p { local i, s; while i < 5 { x = i; i = i + 1 }; s = i }
        thread q { local r; r = x }
        always p.s == 5 && q.r != 5";
    let (program, found) = asked(text, Model::Power);
    assert_eq!(found.bound, None);
    assert_eq!(found.states.len(), 5);
    assert!(found.answer(&program).expect("asked").holds);
}

#[test]
fn an_assertion_fails_exactly_where_the_model_lets_it() {
    let text = "shared x, y
        thread p { x = 1; y = 1 }
        thread q { local a, b; a = y; b = x; assert(a == 0 || b == 1) }";
    for (model, fails) in [
        (Model::Sc, false),
        (Model::Tso, false),
        (Model::Pso, true),
        (Model::Rmo, true),
        (Model::Power, true),
        (Model::AArch64, true),
        (Model::RiscV, true),
    ] {
        let (_, found) = asked(text, model);
        assert_eq!(!found.errors.is_empty(), fails, "{model}");
        assert!(found.errors.values().all(|execution| is_allowed(model, execution)), "{model}");
    }
}

/// A model may let a thread go no further than to its first write.
#[test]
fn an_assertion_fails_where_a_model_stops_the_other_thread() {
    let stops = "acyclic po-loc | rf | co | fr as coherence\n\
                 empty rmw & (fre ; coe) as atomicity\nempty [W] ; po ; [F] as stops\n";
    let model = CatModel::read("stops.cat", stops, &mut |_| None).expect("a model");
    let text = "shared x, y
        thread p { x = 1; fence; y = 1 }
        thread q { local a; a = x; assert(a == 0) }";
    let found = outcomes(&program(text), &model, &Limits::default()).expect("few executions");
    assert_eq!((found.states.len(), found.errors.len()), (0, 1));
}

/// The one waits for what the other writes only if it does not fail.
#[test]
fn an_assertion_fails_while_another_thread_waits_for_what_follows_it() {
    let text = "shared x, z
        thread p { x = 1; arw(z, 1, 2) }
        thread q { local a; a = x; assert(a == 0); z = 1 }";
    for model in Model::MACHINES {
        let (_, found) = asked(text, model);
        assert_eq!(found.errors.len(), 1, "{model}");
    }
}

/// The value that it waits for is written once more by an update that reads it.
#[test]
fn a_thread_that_waits_is_woken_by_the_same_value_again() {
    let text = "shared x
        thread p { arw(x, 0, 1) }
        thread q { local a; a = cmpxchg(x, 0, 0) }";
    for model in Model::MACHINES {
        let (_, found) = asked(text, model);
        assert_eq!(found.states.len(), 2, "{model}");
    }
}

/// An update reads what is written by a thread that waited for the value of a third one.
#[test]
fn an_update_reads_what_another_thread_waited_for() {
    let text = "shared x, y
        thread p { local a, b; a = fetch_or(x, 2); b = load(y, acquire) }
        thread q { arw(x, 1, 1, acq_rel); y = 1 }
        thread r { x = 1 }
        exists p.a == 1 && p.b == 1 && x == 3";
    for model in Model::MACHINES {
        let (program, found) = asked(text, model);
        assert!(found.answer(&program).expect("asked").holds, "{model}");
        assert_eq!(found.errors.len(), 0, "{model}");
    }
}

#[test]
fn an_assertion_fails_while_another_thread_waits_for_ever() {
    let text = "shared x, never
        thread p { local f; x = 1; while f == 0 { f = never } }
        thread q { local a; a = x; assert(a == 0) }";
    for model in Model::MACHINES {
        let (_, found) = asked(text, model);
        assert_eq!(found.errors.len(), 1, "{model}");
        assert!(found.states.is_empty(), "{model}: nobody comes to an end");
        assert_eq!(found.bound, None, "{model}");
    }
}

/// Final states and errors of the machine, unless they are too many.
type Ends = (BTreeSet<FinalState>, BTreeSet<(ThreadId, EdgeId)>);

fn of_the_machine(program: &Program, model: MemoryModel) -> Option<Ends> {
    let limits = oracle::Limits { max_states: 20_000, max_length: 30 };
    let states = final_states(program, model, &limits).ok()?;
    let state = |state: oracle::Configuration| FinalState {
        registers: state.threads.iter().map(|thread| thread.registers.clone()).collect(),
        cells: state.cells,
    };
    let errors = reachable_errors(program, model, &limits).ok()?;
    Some((states.into_iter().map(state).collect(), errors))
}

/// Compares the axioms with the machine; says whether they knew everything.
fn agrees(program: &Program, limits: &Limits) -> Option<bool> {
    let mut complete = true;
    for (axioms, machine) in [(Model::Sc, MemoryModel::Sc), (Model::Tso, MemoryModel::Tso)] {
        let Ok(found) = outcomes(program, axioms, limits) else { return Some(false) };
        let (states, errors) = of_the_machine(program, machine)?;
        let allowed: BTreeSet<FinalState> = found.states.into_keys().collect();
        let failed: BTreeSet<_> =
            found.errors.keys().map(|error| (error.thread, error.edge)).collect();
        if found.bound.is_none() {
            assert_eq!(
                allowed,
                states,
                "{axioms}: {}",
                frontend::print(program, Language::Fw).unwrap_or_default()
            );
            let text = frontend::print(program, Language::Fw).unwrap_or_default();
            assert_eq!(failed, errors, "{axioms}: {text}");
        } else {
            assert!(allowed.is_subset(&states), "{axioms}: {program:#?}");
            assert!(failed.is_subset(&errors), "{axioms}: {program:#?}");
            complete = false;
        }
    }
    Some(complete)
}

fn check_random(seed: u64, count: usize, shape: Shape, floor: usize) {
    let limits = Limits { max_executions: 3_000, unroll: Some(6) };
    let answers: Vec<bool> = random_programs(seed, shape)
        .filter_map(|program| agrees(&program, &limits))
        .take(count)
        .collect();
    let complete = answers.iter().filter(|complete| **complete).count();
    assert!(complete * 100 >= count * floor, "{complete} of {count} are complete");
}

const SMALL: Shape = Shape { sections: false, max_threads: 2, max_accesses: 5, ..Shape::COUNTED };

#[test]
fn loops_that_count_agree_with_the_machine() {
    check_random(11, 250, SMALL, 90);
}

#[test]
fn loops_of_all_kinds_agree_with_the_machine() {
    check_random(12, 250, Shape { loops: Loops::Free, ..SMALL }, 50);
}

#[test]
#[ignore = "takes minutes"]
fn many_loops_agree_with_the_machine() {
    check_random(13, 20_000, SMALL, 90);
    check_random(14, 20_000, Shape { loops: Loops::Free, max_accesses: 6, ..SMALL }, 50);
}
