//! Random tables: the kernels find what the search engine of the processors finds.

mod host;

use std::ops::ControlFlow;

use explore::tables::{
    BLOCKED, Component, Entries, Field, Operation, Request, SEVERAL, SEVERAL_SHIFT, TableEngine,
    TableOutcome, TableSearch, Tables, Tabulated, UNKNOWN, Wanted, mark,
};
use explore::{Limit, Limits, Outcome};
use gpu::{Engine, Room};
use host::Host;

/// Bits of a local state and of a cell.
const BITS: u8 = 2;
const CELLS: u8 = 3;

/// Components with drawn steps, in states of so many words.
fn random(seed: u64, words: usize) -> Tables {
    random_above(seed, words, 0)
}

/// The same, with so many unused bits below all numbers in each word: the more, the fewer levels
/// are told apart.
fn random_above(seed: u64, words: usize, unused: u8) -> Tables {
    let mut rng = fastrand::Rng::with_seed(seed);
    let components = rng.u8(2..5);
    // With two words, every other number is in the second.
    let place = |number: u8| {
        let (word, at) = if words == 1 { (0, number) } else { (number % 2, number / 2) };
        Field { word, shift: unused + at * BITS, bits: BITS }
    };
    let all = components + CELLS;
    let widths = if words == 1 {
        vec![u32::from(unused + all * BITS)]
    } else {
        [all.div_ceil(2), all / 2].map(|numbers| u32::from(unused + numbers * BITS)).to_vec()
    };
    let mut tables = Tables { words, widths, ..Tables::default() };
    tables.initial = vec![0; words];
    tables.looks_at_all = rng.u8(..4) == 0;
    let is_ever_unexpanded = rng.bool();
    let put = |entry: &mut [u64], field: Field, value: u64| {
        entry[usize::from(field.word)] |= value << field.shift;
    };
    for component in 0..components {
        let field = place(component);
        let mut begins = vec![u32::try_from(tables.operations.len()).unwrap()];
        for _ in 0..1 << BITS {
            for _ in 0..rng.usize(1..3) {
                let inputs: Vec<Field> =
                    (0..rng.usize(..3)).map(|_| place(components + rng.u8(..CELLS))).collect();
                let written = place(components + rng.u8(..CELLS));
                let mut keep = vec![u64::MAX; words];
                for gone in [field, written] {
                    keep[usize::from(gone.word)] &= !(((1 << BITS) - 1) << gone.shift);
                }
                tables.keeps.extend(keep);
                let count = 1_u32 << (usize::from(BITS) * inputs.len());
                let base = u32::try_from(tables.entries.len() / words).unwrap();
                let mut draw = || {
                    let mut entry = vec![0; words];
                    if rng.u8(..4) == 0 {
                        entry[0] = BLOCKED;
                    } else {
                        put(&mut entry, field, rng.u64(..1 << BITS));
                        put(&mut entry, written, rng.u64(..1 << BITS));
                    }
                    entry
                };
                let mut entries: Vec<Vec<u64>> = (0..count).map(|_| draw()).collect();
                let several: Vec<Vec<u64>> = (0..3).map(|_| draw()).collect();
                let of_them = several.iter().filter(|entry| entry[0] != BLOCKED);
                let first = u64::from(base + count);
                entries[0] = vec![0; words];
                entries[0][0] = SEVERAL | first << SEVERAL_SHIFT;
                tables.entries.extend(entries.into_iter().flatten());
                tables.entries.extend(of_them.flatten());
                tables.entries.push(BLOCKED);
                tables.entries.extend(vec![0; words - 1]);
                let is_sparse = seed.is_multiple_of(3);
                let entries = if is_sparse {
                    let first = u32::try_from(tables.indices.len()).unwrap();
                    tables.indices.extend((0..count).map(u64::from));
                    Entries::Sparse { base, first, count }
                } else {
                    Entries::Dense { base }
                };
                tables.operations.push(Operation { inputs, entries });
            }
            begins.push(u32::try_from(tables.operations.len()).unwrap());
        }
        let mut marks = |local: u8| {
            let mut marks = 0;
            let chances = [(mark::LOOK_IF_ANY, 8), (mark::LOOK_IF_ALL, 4), (mark::LOOK_IF_CALM, 2)];
            for (mark, chance) in chances {
                if local > 0 && rng.u8(..chance) == 0 {
                    marks |= mark;
                }
            }
            let is_expanded = !is_ever_unexpanded || local == 0 || rng.u8(..3) > 0;
            marks
                | if is_expanded { mark::EXPAND_IF_ALL } else { 0 }
                | if rng.u8(..8) == 0 { mark::EXPAND_IF_ANY } else { 0 }
        };
        let marks = (0..1 << BITS).map(&mut marks).collect();
        tables.components.push(Component { field, begins, marks });
    }
    tables
}

/// Of the states that are looked at, these are goals.
fn is_goal(rarity: u64, state: &[u64]) -> bool {
    state.iter().fold(7_u64, |sum, word| sum.wrapping_mul(31).wrapping_add(*word)) % rarity == 1
}

fn on_host(
    engine: &Engine<Host>,
    tables: &Tables,
    wanted: Wanted,
    limits: Limits,
    rarity: u64,
) -> TableSearch {
    let is_goal = &mut |state: &[u64]| is_goal(rarity, state);
    let watch = &mut |_: &_| ControlFlow::Continue(());
    let request = Request { wanted, limits, is_goal, watch };
    engine.search(tables, request).expect("the kernels compile and run")
}

fn by_processors<const W: usize>(tables: &Tables, wanted: Wanted, rarity: u64) -> TableSearch {
    let mut system = Tabulated { tables, is_goal: |state: &[u64]| is_goal(rarity, state) };
    let nobody = |_: &_| ControlFlow::Continue(());
    let words = |path: &Vec<[u64; W]>| path.iter().map(|state| state.to_vec()).collect();
    match wanted {
        Wanted::All => {
            let found = explore::search_all::<W, _>(&mut system, 1, &Limits::default(), nobody);
            let goals = found.goals.iter().map(|state| state.to_vec()).collect();
            let statistics = found.search.statistics;
            TableSearch { outcome: TableOutcome::Exhausted(goals), statistics }
        }
        Wanted::Nearest(_) => {
            let found = explore::search::<W, _>(&mut system, 1, &Limits::default(), nobody);
            let outcome = match &found.outcome {
                Outcome::Exhausted => TableOutcome::Exhausted(Vec::new()),
                Outcome::Found(path) => TableOutcome::Found(vec![words(path)]),
                Outcome::Stopped(_) | Outcome::Outgrown => panic!("there is no limit"),
            };
            TableSearch { outcome, statistics: found.statistics }
        }
    }
}

/// Every pair of states on a path is a step.
fn assert_is_path(tables: &Tables, path: &[Vec<u64>], rarity: u64) {
    assert!(tables.initial.chunks_exact(tables.words).any(|state| state == path[0]));
    for pair in path.windows(2) {
        let mut is_step = false;
        tables.successors(&pair[0], |next| is_step |= next == pair[1]).unwrap();
        assert!(is_step, "{pair:x?}");
    }
    let last = path.last().unwrap();
    assert!(tables.is_to_be_looked_at(last) && is_goal(rarity, last));
}

fn expected(tables: &Tables, wanted: Wanted, rarity: u64) -> TableSearch {
    match tables.words {
        1 => by_processors::<1>(tables, wanted, rarity),
        _ => by_processors::<2>(tables, wanted, rarity),
    }
}

fn figures(search: &TableSearch) -> (u64, u64, u64) {
    let did = search.statistics;
    (did.states, did.transitions, did.depth)
}

fn assert_same(tables: &Tables, room: Room, rarity: u64, seed: u64) -> bool {
    let mut is_found = false;
    let engine = host::engine(MEMORY, room);
    for wanted in [Wanted::Nearest(1), Wanted::All] {
        let found = on_host(&engine, tables, wanted, Limits::default(), rarity);
        let expected = expected(tables, wanted, rarity);
        assert_eq!(figures(&found), figures(&expected), "seed {seed}, {wanted:?}");
        match (&found.outcome, &expected.outcome) {
            (TableOutcome::Found(paths), TableOutcome::Found(expected)) => {
                is_found = true;
                assert_eq!(paths[0].len(), expected[0].len(), "seed {seed}");
                assert_is_path(tables, &paths[0], rarity);
            }
            (found, expected) => assert_eq!(found, expected, "seed {seed}, {wanted:?}"),
        }
    }
    is_found
}

/// Bytes of the card.
const MEMORY: usize = 1 << 22;
/// So that sets grow and queues overflow.
const NARROW: Room = Room {
    first: 64,
    most: 1 << 15,
    queue: 100,
    part: 1 << 10,
    look: 1 << 7,
    pass: 1 << 16,
    scout: 0,
};
const WIDE: Room = Room {
    first: 1 << 12,
    most: 1 << 15,
    queue: 1 << 12,
    part: 1 << 12,
    look: 1 << 12,
    pass: 1 << 16,
    scout: 0,
};

#[test]
fn random_tables_as_by_the_processors() {
    let mut found = 0;
    for seed in 0..16_u64 {
        let words = 1 + usize::from(seed.is_multiple_of(2));
        let room = if seed % 4 < 2 { NARROW } else { WIDE };
        let rarity = if seed.is_multiple_of(5) { 1 << 40 } else { 5 };
        found += u32::from(assert_same(&random(seed, words), room, rarity, seed));
    }
    assert!(found >= 6, "only {found} goals were found");
}

/// Two words of up to 31 bits are stored as quotients of one: in sets that grow, in sets that begin as large as they
/// can, and with few bits for levels and distances.
#[test]
fn quotients_as_by_the_processors() {
    let mut found = 0;
    for seed in 0..12_u64 {
        let room = if seed % 4 < 2 { NARROW } else { WIDE };
        let unused = [12, 15, 16, 18, 21, 23][usize::try_from(seed % 6).unwrap()];
        let rarity = if seed.is_multiple_of(5) { 1 << 40 } else { 97 };
        found += u32::from(assert_same(&random_above(seed, 2, unused), room, rarity, seed));
    }
    assert!(found >= 4, "only {found} goals were found");
}

/// A set of quotients that has no room left says so, however its states are distributed.
#[test]
fn quotients_fill_the_set_and_no_more() {
    let (mut full, mut same) = (0, 0);
    for seed in 0..12_u64 {
        let tables = random_above(seed, 2, 16);
        let room = Room { most: 1 << 9, ..NARROW };
        let engine = host::engine(MEMORY, room);
        let found = on_host(&engine, &tables, Wanted::All, Limits::default(), 5);
        let expected = expected(&tables, Wanted::All, 5);
        if found.outcome == TableOutcome::Stopped(Limit::Memory) {
            assert!(expected.statistics.states > 1 << 8, "seed {seed}");
            full += 1;
        } else {
            assert_eq!(found.outcome, expected.outcome, "seed {seed}");
            assert_eq!(figures(&found), figures(&expected), "seed {seed}");
            assert!(found.statistics.states <= 1 << 9, "seed {seed}");
            same += 1;
        }
    }
    assert!(full > 2 && same > 2, "{full} full, {same} not");
}

/// A state that leaves two bits free has three tags. Beyond three levels paths are not found, and a level that
/// its queue does not hold is lost: both are said, and nothing else changes.
#[test]
fn levels_that_are_not_told_apart_are_not_confused() {
    let (mut traced, mut untraced, mut lost, mut same) = (0, 0, 0, 0);
    for seed in 0..24_u64 {
        let words = 1 + usize::from(seed.is_multiple_of(2));
        let room = if seed % 4 < 2 { NARROW } else { WIDE };
        let numbers = random(seed, words).widths[0];
        let tables = random_above(seed, words, u8::try_from(62 - numbers).unwrap());
        assert_eq!(tables.widths[0], 62);
        let wanted = if seed % 3 < 2 { Wanted::Nearest(1) } else { Wanted::All };
        let rarity = if wanted == Wanted::All { 5 } else { 97 };
        let found =
            on_host(&host::engine(MEMORY, room), &tables, wanted, Limits::default(), rarity);
        let expected = expected(&tables, wanted, rarity);
        let depth = expected.statistics.depth;
        match (&found.outcome, &expected.outcome) {
            (TableOutcome::Stopped(Limit::Memory), _) => {
                assert!(room == NARROW && depth >= 3, "seed {seed}");
                lost += 1;
                continue;
            }
            (TableOutcome::Untraced, TableOutcome::Found(_)) => {
                assert!(depth >= 3, "seed {seed}");
                untraced += 1;
            }
            (TableOutcome::Found(paths), TableOutcome::Found(expected)) => {
                assert_eq!(paths[0].len(), expected[0].len(), "seed {seed}");
                assert_is_path(&tables, &paths[0], rarity);
                assert!(depth < 3, "seed {seed}");
                traced += 1;
            }
            (found, expected) => {
                assert_eq!(found, expected, "seed {seed}");
                same += 1;
            }
        }
        assert_eq!(figures(&found), figures(&expected), "seed {seed}");
    }
    let all = [traced, untraced, lost, same];
    assert!(all.iter().all(|count| *count > 0), "{all:?}");
}

#[test]
fn limits_are_sharp() {
    let tables = random(4, 1);
    let wide = host::engine(MEMORY, WIDE);
    let all = on_host(&wide, &tables, Wanted::All, Limits::default(), u64::MAX).statistics.states;
    assert!(all > 100, "{all} states");
    let with_most = |states| {
        let limits = Limits { states: Some(states), ..Limits::default() };
        on_host(&wide, &tables, Wanted::All, limits, u64::MAX).outcome
    };
    assert_eq!(with_most(all), TableOutcome::Exhausted(Vec::new()));
    assert_eq!(with_most(all - 1), TableOutcome::Stopped(Limit::States));
    let room = Room { most: 64, ..NARROW };
    let full =
        on_host(&host::engine(MEMORY, room), &tables, Wanted::All, Limits::default(), u64::MAX);
    assert_eq!(full.outcome, TableOutcome::Stopped(Limit::Memory));
    let over = Limits { deadline: Some(std::time::Instant::now()), ..Limits::default() };
    let late = on_host(&wide, &tables, Wanted::All, over, u64::MAX);
    assert_eq!(late.outcome, TableOutcome::Stopped(Limit::Time));
}

#[test]
fn what_is_not_in_the_tables_is_said() {
    let mut tables = random(4, 1);
    let wide = host::engine(MEMORY, WIDE);
    let scouting = host::engine(MEMORY, Room { scout: 1 << 16, ..WIDE });
    let states = |tables: &Tables| on_host(&wide, tables, Wanted::All, Limits::default(), u64::MAX);
    let known = states(&tables);
    assert!(known.statistics.states > 100);
    assert_eq!(on_host(&scouting, &tables, Wanted::All, Limits::default(), u64::MAX), known);
    for entry in &mut tables.entries {
        if *entry & BLOCKED == 0 && *entry % 5 == 0 {
            *entry = UNKNOWN;
        }
    }
    let TableOutcome::Unknown(state) = states(&tables).outcome else {
        panic!("there are unknown entries on the way")
    };
    assert!(tables.successors(&state, |_| ()).is_err());
    // It is met here before any kernel runs.
    let scouted = on_host(&scouting, &tables, Wanted::All, Limits::default(), u64::MAX);
    assert_eq!(scouted.statistics.states, 0);
    let TableOutcome::Unknown(state) = scouted.outcome else { panic!("{:?}", scouted.outcome) };
    assert!(tables.successors(&state, |_| ()).is_err());
}

#[test]
fn wide_states_are_refused() {
    let tables = Tables { words: 3, widths: vec![1; 3], ..Tables::default() };
    let is_goal = &mut |_: &[u64]| false;
    let watch = &mut |_: &_| ControlFlow::Continue(());
    let request = Request { wanted: Wanted::All, limits: Limits::default(), is_goal, watch };
    let refused = host::engine(1 << 20, WIDE).search(&tables, request).unwrap_err();
    assert_eq!(
        refused.0,
        "a state takes 3 words of 64 bits, and the graphics card has room for two"
    );
}
