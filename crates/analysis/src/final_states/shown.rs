//! What is worth showing of final states, and what is seen of it in each.

use std::collections::{BTreeMap, BTreeSet};

use program::{IndexVec, Observable, Program, Thread, ThreadId, Value};

use crate::outcomes::{Outcome, written_registers};
use crate::tso_only::Seen;

/// What the program's question mentions; if it mentions nothing and everything is to be seen, the registers that are
/// written and the cells that some state has changed. Of these, what nobody has named is left out if the rest tells all
/// states apart, also from the others that they are compared with.
pub fn shown(
    program: &Program,
    threads: &IndexVec<ThreadId, Thread>,
    (outcomes, others): (&[Outcome], &[Outcome]),
    seen: Seen,
) -> Vec<Observable> {
    let mut known = BTreeSet::new();
    let mentioned: Vec<Observable> =
        program.question().observables().into_iter().filter(|seen| known.insert(*seen)).collect();
    match seen {
        Seen::Everything if mentioned.is_empty() => {}
        Seen::Everything | Seen::Observed => return mentioned,
    }
    let mut all = Vec::new();
    let written = written_registers(program).unwrap_or_default();
    for (id, registers) in written.enumerate() {
        let Thread { template, copy, .. } = threads[id];
        let data = program.template(template).registers();
        let named = registers.iter().filter(|register| !data[**register].generated);
        all.extend(named.map(|register| Observable::Register {
            template,
            copy,
            register: *register,
        }));
    }
    let changed = outcomes.iter().flat_map(|outcome| outcome.changed_memory.keys().copied());
    let cells: BTreeSet<Value> =
        changed.filter(|cell| !program.memory().is_generated(*cell)).collect();
    for element in cells.into_iter().map(|cell| program.memory().element_of(cell)) {
        if known.insert(element) {
            all.push(element);
        }
    }
    let named: Vec<Observable> =
        all.iter().copied().filter(|seen| !is_unnamed(program, *seen)).collect();
    let states = |shown: &[Observable]| {
        let values = |outcome: &Outcome| -> Vec<Value> {
            shown.iter().map(|seen| see(program, threads, outcome, *seen)).collect()
        };
        outcomes.iter().chain(others).map(values).collect::<BTreeSet<_>>().len()
    };
    if named.len() < all.len() && states(&named) == states(&all) { named } else { all }
}

/// Whether something has no name in the program's text: LLVM writes `%` then.
fn is_unnamed(program: &Program, seen: Observable) -> bool {
    match seen {
        Observable::Cell(address) => program.memory().cell_name(address).contains('%'),
        Observable::Across(address, int) => {
            program.memory().name_across(address, int).contains('%')
        }
        Observable::Register { template, register, .. } => {
            program.template(template).registers()[register].name.contains('%')
        }
    }
}

/// What is seen in the states that the program's filter lets through, each with a state in which
/// it is.
pub(super) fn project(
    program: &Program,
    threads: &IndexVec<ThreadId, Thread>,
    outcomes: &[Outcome],
    shown: &[Observable],
) -> BTreeMap<Vec<Value>, usize> {
    let filter = program.question().filter.as_ref();
    let mut all = BTreeMap::new();
    for (number, outcome) in outcomes.iter().enumerate() {
        let seen = |observable| see(program, threads, outcome, observable);
        if filter.is_none_or(|filter| filter.holds(&seen)) {
            let values = shown.iter().map(|observable| seen(*observable)).collect();
            all.entry(values).or_insert(number);
        }
    }
    all
}

/// What is seen in a state.
pub fn see(
    program: &Program,
    threads: &IndexVec<ThreadId, Thread>,
    outcome: &Outcome,
    observable: Observable,
) -> Value {
    match observable {
        Observable::Cell(_) | Observable::Across(..) => {
            let memory = program.memory();
            let held = |address: Value| {
                let initial = || memory.cell(address).map_or(0, |cell| cell.initial);
                outcome.changed_memory.get(&address).copied().unwrap_or_else(initial)
            };
            observable.in_memory(memory, held).unwrap_or_default()
        }
        Observable::Register { template, copy, register } => {
            let is_it = |thread: &Thread| (thread.template, thread.copy) == (template, copy);
            let found = threads.enumerate().find(|(_, thread)| is_it(thread));
            found.map_or(0, |(thread, _)| outcome.registers[thread][register])
        }
    }
}
