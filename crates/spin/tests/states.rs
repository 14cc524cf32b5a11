//! Spin against what shares no code with its translation: as many states as the semantics has, and
//! the faults and goals that the oracle finds.

use std::collections::BTreeSet;
use std::path::Path;

use frontend::{Language, Settings, load};
use oracle::generate::random::{Shape, random_programs};
use oracle::{Configuration, Limits, MemoryModel, plain_configurations, reachable_faults};
use program::{Observable, Program, RegisterId, Sources, StateProposition, Thread, Value};
use semantics::{Machine, Model, State};
use spin::{Options, Query, Verdict, reach};

const QUICK: Options = Options {
    reduce: false,
    optimise: false,
    timeout: None,
    cpu_limit: None,
    memory: 1 << 30,
    table_bits: 18,
};

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
    check([("N", 3), ("CHECK", 1)], "mutex/burns.fw");
    check([("N", 3), ("CHECK", 0)], "mutex/simple-dekker.fw");
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

/// A conjunction of what two reachable configurations show, thread by thread from one or the other;
/// so some are reachable and some are not.
fn mixed(
    program: &Program,
    [left, right]: [&Configuration; 2],
    rng: &mut fastrand::Rng,
) -> StateProposition {
    let mut parts = Vec::new();
    let threads = program.threads().expect("definite threads");
    for (id, thread) in threads.enumerate() {
        let of = &if rng.bool() { left } else { right }.threads[id];
        let (template, copy) = (thread.template, thread.copy);
        match rng.u32(..3) {
            0 => {
                let register = |(register, value): (RegisterId, &Value)| {
                    let seen = Observable::Register { template, copy, register };
                    StateProposition::Equals(seen, *value)
                };
                parts.extend(of.registers.enumerate().map(register));
            }
            1 => parts.push(StateProposition::At { template, copy, label: of.label }),
            _ => {
                let at = StateProposition::At { template, copy, label: of.label };
                parts.push(StateProposition::Not(Box::new(at)));
            }
        }
    }
    let cells = if rng.bool() { &left.cells } else { &right.cells };
    parts.extend(
        cells.iter().map(|(at, value)| StateProposition::Equals(Observable::Cell(*at), *value)),
    );
    StateProposition::All(parts)
}

fn is_true(program: &Program, configuration: &Configuration, goal: &StateProposition) -> bool {
    let threads = program.threads().expect("definite threads");
    let at = |template, copy, label| {
        let is_it = |thread: &Thread| thread.template == template && thread.copy == copy;
        let (id, _) = threads.enumerate().find(|(_, thread)| is_it(thread)).expect("such a thread");
        let of = &configuration.threads[id];
        of.fault.is_none() && of.label == label
    };
    goal.holds(&at, &|observable| configuration.see(program, observable))
}

#[test]
fn spin_and_the_oracle_reach_the_same_goals() {
    let limits = Limits { max_states: 30_000, max_length: 200 };
    let rng = &mut fastrand::Rng::with_seed(5);
    let (mut reached, mut unreached) = (0, 0);
    for program in random_programs(23, Shape::default()) {
        let found = plain_configurations(&program, MemoryModel::Sc, &limits);
        let Ok(found) = found else { continue };
        let found: Vec<_> = found.iter().collect();
        let pair = [found[rng.usize(..found.len())], found[rng.usize(..found.len())]];
        let goal = mixed(&program, pair, rng);
        let expected = found.iter().any(|configuration| is_true(&program, configuration, &goal));
        let compared = if expected { &mut reached } else { &mut unreached };
        *compared += 1;
        if *compared <= 12 {
            let options = Options { reduce: *compared % 2 == 0, ..QUICK };
            let query = Query { goal: Some(goal.clone()), ..Query::default() };
            let answer = reach(&program, &query, &options).expect("an answer");
            match answer.verdict {
                Verdict::Holds => assert!(!expected, "{goal:?}"),
                Verdict::Violated(_) => assert!(expected, "{goal:?}"),
                Verdict::Undecided(reason) => panic!("{reason}"),
            }
        }
        if reached.min(unreached) >= 12 {
            break;
        }
    }
}
