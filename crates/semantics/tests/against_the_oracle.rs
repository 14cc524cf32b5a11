//! The semantics reaches exactly the plain configurations that the oracle enumerates, under both
//! models, on random programs and on all tiny ones. The two share no code but the program model.

use std::collections::BTreeSet;

use frontend::{Language, Settings, load};
use oracle::generate::across::random_programs_across;
use oracle::generate::random::{Shape, random_programs};
use oracle::generate::shrink::hold_for_all;
use oracle::generate::tiny::{Alphabet, tiny_programs};
use oracle::{
    Census, Configuration, Feature, Limits, MemoryModel, ThreadConfiguration, plain_configurations,
};
use program::{Program, Sources};
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
    hold_for_all(programs, agree, |_| "the oracle disagrees".to_owned())
}

#[test]
fn random_programs_reach_the_same_configurations() {
    assert!(check(random_programs(7, Shape::default()).take(1000)) > 900);
}

#[test]
fn programs_with_loops_types_and_waiting_reach_the_same_configurations() {
    for (shape, floor) in [(Shape::COUNTED, 390), (Shape::LOOPING, 350)] {
        let mut census = Census::default();
        let programs = random_programs(8, shape).take(400);
        let checked = hold_for_all(
            programs,
            |program| {
                census.count(program);
                agree(program)
            },
            |_| "the oracle disagrees".to_owned(),
        );
        assert!(checked >= floor, "{checked}");
        census.assert_at_least(400, &[(Feature::Loop, 100), (Feature::RangedRegister, 200)]);
    }
}

#[test]
fn programs_with_accesses_across_cells_reach_the_same_configurations() {
    assert!(check(random_programs_across(9).take(1000)) > 990);
}

#[test]
fn tiny_programs_reach_the_same_configurations() {
    let programs = (0..=3).flat_map(|length| tiny_programs(Alphabet::RICH, length));
    assert!(check(programs) > 2000);
}

/// Every way to go wrong, several at once where an order decides, and beside a buffered store and a
/// held lock.
#[test]
fn faults_are_the_same() {
    let statements = [
        "mem[999] = 1 / 0",
        "a[1 / 0] = b[9]",
        "a[7] = 1 / 0",
        "small = 9",
        "small = 1 / 0",
        "r = small + 9; s = r",
        "s = x",
        "xchg(mem[999], 1 / 0)",
        "r = cas(x, 1 / 0, 2)",
        "fetch_add(small, 9)",
        "s = fetch_add(x, 1)",
        "store(mem[999], 1 / 0, seq_cst)",
        "r = load(mem[999], exclusive)",
        "r = load(x, exclusive); r = store_exclusive(mem[999], 1 / 0)",
        "r = load(x, exclusive); s = store_exclusive(small, 9)",
        "r = load(byte, bytes(4))",
        "r = load(byte, across(u32))",
        "r = load(x, across(u32))",
        "store(word[1], 7, across(u32))",
        "store(word[4], 7, across(u64))",
        "assert x == 0",
        "assume 1 / x",
        "r = 1 << (0 - x)",
        "unlock_memory",
        "lock_memory; lock_memory",
        "lock_memory; small = 9; unlock_memory",
        "arw(x, 1 / 0, 1)",
    ];
    for statement in statements {
        let text = format!(
            "shared x, a[2], b[2], small: 0..=3, byte: u8, word[6]: u8 at 16
             thread p {{ local r, s: 0..=3
               x = 7
               {statement}
             }}
             thread q {{ local r; atomic {{ x = x + 1 }}; r = byte }}"
        );
        let mut sources = Sources::new();
        let source = sources.add("faults.fw", text.as_str());
        let program = load(&sources, source, Language::Fw, &Settings::default());
        let program = program.unwrap_or_else(|errors| panic!("{statement}: {errors:#?}"));
        assert_eq!(agree(&program), Some(true), "{statement}");
    }
}
