//! Final states agree with what is written down about the litmus tests, and exploring buffers
//! agrees with the axioms wherever both can answer.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;

use analysis::tso_only::Seen;
use analysis::{FinalStates, Limits, Options, Outcome, compare, final_states, outcomes};
use axiomatic::{Model, Observation};
use frontend::litmus;
use program::{Observable, Program, Sources, Value};

use crate::{entries, for_each_instance, load_with, read};

/// What one program may take.
const LIMITS: Limits =
    Limits { memory: Some(1 << 30), process: None, deadline: None, states: Some(100_000) };
const EXECUTIONS: axiomatic::Limits = axiomatic::Limits { max_executions: 5_000, unroll: Some(1) };

fn options() -> Options {
    Options { limits: LIMITS, ..Options::default() }
}

fn ask(program: &Program, model: Model) -> FinalStates {
    final_states(program, model, Seen::Everything, &options(), |_| ControlFlow::Continue(()))
        .expect("a definite program")
}

#[test]
fn conditions_of_x86_tests_hold_under_tso() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/litmus");
    let tests = entries(&folder);
    let tests = tests.iter().filter(|path| path.extension().is_some_and(|it| it == "litmus"));
    let mut asked = 0;
    for path in tests {
        let program = load_with(path, &BTreeMap::new()).expect("a test of the corpus");
        let states = ask(&program, Model::Tso);
        assert!(states.doubt.is_none(), "{}", path.display());
        let answer = states.answer.expect("a litmus test asks");
        assert_eq!(answer.holds, Some(true), "{}", path.display());
        asked += 1;
    }
    assert!(asked > 30, "{asked}");
}

#[test]
fn tests_for_weak_machines_have_the_verdicts_written_down() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/litmus-weak");
    let mut asked = 0;
    for line in read(&folder.join("verdicts.csv")).lines().skip(1) {
        let [file, verdict, under_sc] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("three columns: {line}");
        };
        let model = match file.split('/').next() {
            Some("aarch64") => Model::AArch64,
            Some("arm") => Model::ArmV7,
            Some("ppc") => Model::Power,
            Some("riscv") => Model::RiscV,
            Some(_) | None => panic!("an architecture: {line}"),
        };
        let program = load_with(&folder.join(file), &BTreeMap::new()).expect("a test");
        for (model, verdict) in [(model, verdict), (Model::Sc, under_sc)] {
            let answer = ask(&program, model).answer.expect("a litmus test asks");
            let observation = answer.observation.expect("litmus tests are small");
            let ours = if observation == Observation::Never { "Forbidden" } else { "Allowed" };
            assert_eq!(ours, verdict, "{file} under {model}");
        }
        asked += 1;
    }
    assert!(asked > 100, "{asked}");
}

/// The final states by the axioms, if they can be enumerated.
fn by_axioms(program: &Program, model: Model) -> Option<BTreeSet<Outcome>> {
    let found = axiomatic::outcomes(program, model, &EXECUTIONS).ok()?;
    if found.bound.is_some() {
        return None;
    }
    let states = found.states;
    let outcome = |state: axiomatic::FinalState| Outcome {
        registers: state.registers,
        changed_memory: state.cells,
    };
    Some(states.into_keys().map(outcome).collect())
}

/// The same without what registers hold that have no name.
fn named(program: &Program, mut outcome: Outcome) -> Outcome {
    let threads = program.threads().expect("a definite program");
    for (id, thread) in threads.enumerate() {
        let template = program.template(thread.template);
        let start = template.initial_registers(thread.copy);
        for (register, data) in template.registers().enumerate() {
            if data.generated {
                outcome.registers[id][register] = start[register];
            }
        }
    }
    outcome
}

#[test]
fn exploring_and_the_axioms_agree() {
    let mut compared = 0;
    let mut agree = |path: &Path, program: &Program| {
        for (axioms, machine) in
            [(Model::Sc, semantics::Model::Sc), (Model::Tso, semantics::Model::Tso)]
        {
            let Some(allowed) = by_axioms(program, axioms) else { return };
            let found = outcomes(program, machine, &options(), |_| ControlFlow::Continue(()))
                .expect("a definite program");
            if found.complete.is_ok() {
                compared += 1;
                let found: BTreeSet<Outcome> =
                    found.found.into_iter().map(|outcome| named(program, outcome)).collect();
                assert_eq!(found, allowed, "{} under {axioms}", path.display());
            }
        }
    };
    for_each_instance(|path, instance| {
        agree(path, &load_with(path, &instance.set).expect("a program of the corpus"));
    });
    let weak = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/litmus-weak");
    for folder in entries(&weak).iter().filter(|path| path.is_dir()) {
        for path in entries(folder) {
            agree(&path, &load_with(&path, &BTreeMap::new()).expect("a test of the corpus"));
        }
    }
    assert!(compared > 250, "{compared}");
}

/// Every state of a test can be written down as a test that asks for it.
#[test]
fn tests_that_ask_for_a_state_have_it() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let folders = [
        ("litmus", Model::Tso),
        ("litmus-weak/aarch64", Model::AArch64),
        ("litmus-weak/arm", Model::ArmV7),
        ("litmus-weak/ppc", Model::Power),
        ("litmus-weak/riscv", Model::RiscV),
    ];
    for (folder, model) in folders {
        let tests = entries(&corpus.join(folder));
        let tests = tests.iter().filter(|path| path.extension().is_some_and(|it| it == "litmus"));
        for path in tests {
            let mut sources = Sources::new();
            let source = sources.add(path.display().to_string(), read(path));
            let program = litmus::load(&sources, source).expect("a test of the corpus");
            let states = ask(&program, model);
            for state in &states.states {
                let values: Vec<(Observable, Value)> =
                    states.shown.iter().copied().zip(state.values.iter().copied()).collect();
                let text = litmus::with_exists(&sources, source, &program, &values)
                    .expect("a test can be read again");
                let written = sources.add("written", text.clone());
                let again = litmus::load(&sources, written)
                    .unwrap_or_else(|errors| panic!("{text}\n{errors:#?}"));
                let answer = ask(&again, model).answer.expect("it asks");
                assert_eq!((answer.holds, answer.positive), (Some(true), 1), "{text}");
            }
        }
    }
}

/// Where a criterion says that TSO has the final states of SC, exploring buffers finds no others.
#[test]
fn criteria_that_spare_a_search_are_right() {
    let mut compared = 0;
    for_each_instance(|path, instance| {
        let program = load_with(path, &instance.set).expect("a program of the corpus");
        if ask(&program, Model::Tso).because.is_none() {
            return;
        }
        let both = compare(&program, &options(), |_| ControlFlow::Continue(()))
            .expect("a definite program");
        if let Ok(new) = both.only_under_tso() {
            assert!(new.is_empty(), "{}: {new:?}", path.display());
            compared += 1;
        }
    });
    assert!(compared > 50, "{compared}");
}
