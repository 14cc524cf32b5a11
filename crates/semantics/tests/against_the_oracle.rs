//! The semantics reaches exactly the plain configurations that the oracle enumerates, under both
//! models, on random programs and on all tiny ones. The two share no code but the program model.

use std::collections::BTreeSet;

use oracle::generate::random::{Shape, random_programs};
use oracle::generate::shrink::smallest;
use oracle::generate::tiny::{Alphabet, tiny_programs};
use oracle::{Configuration, Limits, MemoryModel, ThreadConfiguration, plain_configurations};
use program::Program;
use semantics::{Control, Machine, Model, State};

const LIMITS: Limits = Limits { max_states: 20_000, max_length: 200 };

/// All plain configurations that the semantics reaches.
fn reached(program: &Program, model: Model) -> BTreeSet<Configuration> {
    let machine = Machine::new(program, model).expect("a definite program");
    let mut seen = BTreeSet::from([machine.initial()]);
    let mut next = vec![machine.initial()];
    let mut plain = BTreeSet::new();
    while let Some(state) = next.pop() {
        if state.buffers_are_empty() {
            plain.insert(configuration(&machine, &state));
        }
        for taken in machine.moves(&state) {
            let (after, _) = machine.apply(&state, taken).expect("an enabled move");
            if seen.insert(after.clone()) {
                next.push(after);
            }
        }
    }
    plain
}

fn configuration(machine: &Machine<'_>, state: &State) -> Configuration {
    let threads = state.threads().enumerate().map(|(id, thread)| {
        let (label, fault) = match thread.control() {
            Control::At(label) => (label, None),
            Control::Stopped { edge, fault } => (machine.template(id).edge(edge).from, Some(fault)),
        };
        ThreadConfiguration { label, registers: thread.registers().clone(), fault }
    });
    Configuration { threads: threads.collect(), cells: state.changed_memory().clone() }
}

/// Whether both agree; nothing where the oracle cannot enumerate.
fn agree(program: &Program) -> Option<bool> {
    let mut same = true;
    for (model, memory_model) in [(Model::Sc, MemoryModel::Sc), (Model::Tso, MemoryModel::Tso)] {
        let expected = plain_configurations(program, memory_model, &LIMITS).ok()?;
        same &= reached(program, model) == expected;
    }
    Some(same)
}

fn check(programs: impl Iterator<Item = Program>) -> usize {
    let mut checked = 0;
    for program in programs {
        match agree(&program) {
            None => {}
            Some(true) => checked += 1,
            Some(false) => {
                let small = smallest(&program, &mut |program| agree(program) == Some(false));
                panic!("the oracle disagrees about {small:#?}");
            }
        }
    }
    checked
}

#[test]
fn random_programs_reach_the_same_configurations() {
    assert!(check(random_programs(7, Shape::default()).take(1000)) > 900);
}

#[test]
fn tiny_programs_reach_the_same_configurations() {
    let programs = (0..=3).flat_map(|length| tiny_programs(Alphabet::RICH, length));
    assert!(check(programs) > 2000);
}
