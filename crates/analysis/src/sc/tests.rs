//! The compiled form of a program has the states and transitions of the semantics, and no reduction
//! changes an answer: on random programs, against a search that is too simple to be wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Mutex;

use automata::{Answer, Options, View, search};
use oracle::generate::random::{Shape, random_programs};
use oracle::generate::shrink::smallest;
use program::index::Idx;
use program::{IndexVec, Program, RegisterId, ThreadId, Value};
use semantics::{Control, Machine, Model, State};

use super::{Cell, Look, OnStates, Sc};
use crate::reach::{Query, reach};
use crate::verdict::{Reductions, Verdict};

/// A state without anything that depends on how it is represented.
type Plain = (
    Vec<(Control, IndexVec<RegisterId, Value>, Option<Value>)>,
    BTreeMap<Value, Value>,
    Option<ThreadId>,
);

fn plain(state: &State) -> Plain {
    let threads = state.threads().iter();
    let threads = threads.map(|one| (one.control(), one.registers().clone(), one.reservation()));
    (threads.collect(), state.changed_memory().clone(), state.lock_holder())
}

/// All states that the semantics reaches and the number of moves between them; nothing if there are
/// too many.
fn by_the_semantics(program: &Program) -> Option<(BTreeSet<State>, u64)> {
    let machine = Machine::new(program, Model::Sc).expect("a definite program");
    let mut seen = BTreeSet::from([machine.initial()]);
    let mut open = vec![machine.initial()];
    let mut moves = 0;
    while let Some(state) = open.pop() {
        for taken in machine.moves(&state) {
            moves += 1;
            let (next, _) = machine.apply(&state, taken).expect("an enabled move");
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
        if seen.len() > 3000 {
            return None;
        }
    }
    Some((seen, moves))
}

fn decoded(program: &Program, threads: usize, view: &View<'_, Sc<'_>>) -> Plain {
    let locals: Vec<_> = (0..threads).map(|thread| view.local(thread)).collect();
    let reservation = |thread: usize, reserved: Option<Value>| {
        let address = reserved?;
        let content = view.content(Cell::Memory(address))?;
        content.reserved_by.contains(&thread).then_some(address)
    };
    let numbered = locals.iter().enumerate();
    let states = numbered.map(|(thread, local)| {
        (local.control, local.registers.clone(), reservation(thread, local.reserved))
    });
    let initial = |address| program.memory().cell(address).expect("a cell").initial;
    let changed = view.cells().filter_map(|(cell, content)| match cell {
        Cell::Memory(address) if initial(address) != content.value => {
            Some((address, content.value))
        }
        Cell::Memory(_) | Cell::Lock => None,
    });
    let holder = locals.iter().position(|local| local.holds_lock);
    (states.collect(), changed.collect(), holder.map(ThreadId::new))
}

/// The states that the engine reaches without reductions, and the number of transitions.
fn by_the_engine(program: &Program, foresight: usize) -> (BTreeSet<Plain>, u64) {
    let seen = Mutex::new(BTreeSet::new());
    let threads = program.threads().expect("a definite program").len();
    let look = Look {
        condition: Some(OnStates {
            holds: Box::new(|_: &Sc<'_>, view: &View<'_, Sc<'_>>| {
                seen.lock().unwrap().insert(decoded(program, threads, view));
                false
            }),
            is_symmetric: false,
        }),
        ..Look::at_nothing()
    };
    let sc = Sc::new(program, look).expect("a definite program");
    let reductions = automata::Reductions::NONE;
    let options = Options { reductions, foresight, ..Options::default() };
    let (answer, did) = search(&sc, &options, |_| ControlFlow::Continue(()));
    assert!(matches!(answer, Answer::Exhausted(_)));
    drop(sc);
    (seen.into_inner().unwrap(), did.transitions)
}

fn has_exclusives(program: &Program) -> bool {
    let mut edges = program.templates().iter().flat_map(program::Template::edges);
    edges.any(|edge| edge.instruction.memory_access().is_some_and(|(_, how)| how.exclusive))
}

/// Whether states and transitions are the same, whether the automata are built before the search or
/// during it.
fn same_states(program: &Program) -> Option<bool> {
    let (states, moves) = by_the_semantics(program)?;
    let expected: BTreeSet<Plain> = states.iter().map(plain).collect();
    Some([0, 1 << 14].into_iter().all(|foresight| {
        let (found, transitions) = by_the_engine(program, foresight);
        // A reservation that is gone is remembered for a while, so a state can be there twice.
        found == expected && (transitions == moves || has_exclusives(program))
    }))
}

fn check(count: usize, at_least: usize, seed: u64, property: impl Fn(&Program) -> Option<bool>) {
    let mut checked = 0;
    for program in random_programs(seed, Shape::default()).take(count) {
        match property(&program) {
            None => {}
            Some(true) => checked += 1,
            Some(false) => {
                let small = smallest(&program, &mut |program| property(program) == Some(false));
                let text = frontend::fw::print(&small);
                panic!("wrong for {text:?}\n{small:#?}");
            }
        }
    }
    assert!(checked >= at_least, "only {checked} programs were checked");
}

#[test]
fn states_and_transitions_are_those_of_the_semantics() {
    check(400, 300, 11, same_states);
}

/// What the verdicts on faults, deadlocks and the program's question should be.
fn expected(program: &Program) -> Option<[bool; 3]> {
    let (states, _) = by_the_semantics(program)?;
    let machine = Machine::new(program, Model::Sc).ok()?;
    let faults = states.iter().any(|state| {
        state.threads().iter().any(|thread| match thread.control() {
            Control::Stopped { fault, .. } => !fault.is_limit(),
            Control::At(_) => false,
        })
    });
    let deadlocks = states.iter().any(|state| crate::reach::deadlock(&machine, state).is_some());
    let ruled_out = states.iter().any(|state| {
        let seen = |observable| crate::execution::see(&machine, state, observable);
        machine.threads().indices().all(|thread| machine.has_ended(state, thread))
            && crate::reach::is_ruled_out(program.question(), &seen)
    });
    Some([faults, deadlocks, ruled_out])
}

fn all_reductions() -> impl Iterator<Item = Reductions> {
    (0..32_u8).map(|bits| Reductions {
        dead_registers: bits & 1 != 0,
        local_steps: bits & 2 != 0,
        locked_sections: bits & 4 != 0,
        partial_order: bits & 8 != 0,
        symmetry: bits & 16 != 0,
    })
}

/// Whether each query is answered right with each set of reductions.
fn same_verdicts(program: &Program) -> Option<bool> {
    let expected = expected(program)?;
    Some(all_reductions().all(|reductions| {
        let options =
            crate::Options { reductions, foresight: 1 << 12, ..crate::Options::default() };
        let queries = [
            Query { faults: true, ..Query::default() },
            Query { deadlocks: true, ..Query::default() },
            Query { question: true, ..Query::default() },
        ];
        queries.iter().zip(expected).all(|(query, reachable)| {
            let report = reach(program, query, &options, |_| ControlFlow::Continue(()));
            match report.expect("a definite program").verdict {
                Verdict::Violated(_) => reachable,
                // Only an overflow is undecided here, and random programs can have one.
                Verdict::Holds | Verdict::Undecided(_) => !reachable,
            }
        })
    }))
}

#[test]
fn no_reduction_changes_an_answer() {
    check(60, 40, 12, same_verdicts);
}
