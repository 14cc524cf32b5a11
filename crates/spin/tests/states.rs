//! Spin against what shares no code with its translation: as many states as the semantics has, and
//! the faults that the oracle finds.

use std::collections::BTreeSet;
use std::path::Path;

use frontend::{Language, Settings, load};
use oracle::generate::random::{Shape, random_programs};
use oracle::{Limits, MemoryModel, reachable_faults};
use program::{Program, Sources};
use semantics::{Machine, Model, State};
use spin::{Options, Query, Verdict, reach};

const QUICK: Options =
    Options { reduce: false, optimise: false, timeout: None, memory: 1 << 30, table_bits: 18 };

fn faults() -> Query {
    Query { faults: true, ..Query::default() }
}

fn corpus(file: &str, set: &[(&str, i64)]) -> Program {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(file);
    let mut sources = Sources::new();
    let text = std::fs::read_to_string(&path).expect("a program of the corpus");
    let source = sources.add(file, text);
    let constants = set.iter().map(|(name, value)| ((*name).to_owned(), (*value).into()));
    let settings = Settings { constants: constants.collect(), ..Settings::default() };
    load(&sources, source, Language::Fw, &settings).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// The number of SC states and of moves between them, straight from the semantics.
fn states_and_moves(program: &Program) -> (u64, u64) {
    let machine = Machine::new(program, Model::Sc).expect("definite threads");
    let mut seen: BTreeSet<State> = [machine.initial()].into();
    let mut open = vec![machine.initial()];
    let mut moves = 0;
    while let Some(state) = open.pop() {
        for taken in machine.moves(&state) {
            moves += 1;
            let (next, _) = machine.apply(&state, taken).expect("offered moves are enabled");
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    (seen.len() as u64, moves)
}

#[test]
fn unreduced_spin_stores_one_state_for_each_of_the_semantics() {
    let check = |set: [(&str, i64); 2], file: &str| {
        let program = corpus(file, &set);
        let answer = reach(&program, &faults(), &QUICK).expect("an answer");
        assert!(matches!(answer.verdict, Verdict::Holds), "{file}: {answer:?}");
        let counted = (answer.statistics.states, answer.statistics.transitions);
        assert_eq!(counted, states_and_moves(&program), "{file}");
    };
    for file in ["simple-dekker", "burns", "dijkstra", "szymanski", "bakery", "filter"] {
        check([("N", 2), ("CHECK", 1)], &format!("mutex/{file}.fw"));
    }
    check([("N", 2), ("CHECK", 1)], "locks/ticket.fw");
    check([("N", 2), ("ROUNDS", 2)], "locks/ticket.fw");
}

#[test]
fn spin_and_the_oracle_find_the_same_faults() {
    let limits = Limits { max_states: 30_000, max_length: 200 };
    // Most random programs have no fault.
    let (mut sound, mut faulty) = (0, 0);
    for program in random_programs(11, Shape::default()) {
        let Ok(found) = reachable_faults(&program, MemoryModel::Sc, &limits) else { continue };
        let compared = if found.is_empty() { &mut sound } else { &mut faulty };
        *compared += 1;
        if *compared > 16 {
            continue;
        }
        let options = Options { reduce: *compared % 2 == 0, ..QUICK };
        let answer = reach(&program, &faults(), &options).expect("an answer");
        match answer.verdict {
            Verdict::Holds => assert!(found.is_empty(), "{found:?}"),
            Verdict::Violated(_) => assert!(!found.is_empty()),
            Verdict::Undecided(reason) => panic!("{reason}"),
        }
        if sound.min(faulty) >= 16 {
            break;
        }
    }
}
