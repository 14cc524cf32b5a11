//! Random tables: the kernels find what the search engine of the processors finds.

mod host;

use std::ops::ControlFlow;

use explore::tables::{
    BLOCKED, Component, Entries, Field, Operation, Request, TableEngine, TableOutcome, TableSearch,
    Tables, UNKNOWN, Wanted, mark,
};
use explore::{Limit, Limits};
use fastrand::Rng;
use gpu::Room;
use testkit::engines::{Question, Told, asked, compare, expected, figures, told};
use testkit::tables::{Shape, random_tables};

/// Tables of states of so many words, with so many unused bits below all numbers in each word: the more, the fewer
/// levels are told apart.
fn random(seed: u64, words: usize, unused_bits: u8) -> Tables {
    let mut rng = Rng::with_seed(seed);
    let components = rng.usize(3..5);
    random_tables(&mut rng, Shape { unused_bits, shared_bits: 3, ..Shape::new(words, components) })
}

/// What a card says that has this room.
fn on_host(room: Room, tables: &Tables, question: &Question) -> TableSearch {
    asked(&host::engine(MEMORY, room), tables, question).expect("the kernels compile and run")
}

/// Whether a goal was found; all else has to be as `explore` says.
fn assert_same(tables: &Tables, room: Room, rarity: u64, seed: u64) -> bool {
    let mut is_found = false;
    for wanted in [Wanted::Nearest(1), Wanted::All] {
        let question = Question::new(wanted, rarity);
        let found = on_host(room, tables, &question);
        let (expected, statistics) = expected(tables, &question);
        assert_eq!(figures(&found.statistics), figures(&statistics), "seed {seed}, {wanted:?}");
        is_found |= matches!(expected, Told::Found(..));
        assert_eq!(told(tables, &found, &question), Some(expected), "seed {seed}, {wanted:?}");
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
/// So that a level is expanded in many parts, and some are not in their queue while the set is small.
const PIECEMEAL: Room =
    Room { first: 1 << 9, queue: 50, part: 16, look: 8, most: 1 << 17, ..NARROW };
const WIDE: Room = Room {
    first: 1 << 12,
    most: 1 << 15,
    queue: 1 << 12,
    part: 1 << 12,
    look: 1 << 12,
    pass: 1 << 16,
    scout: 0,
};

/// Where queues overflow and the set grows, and where neither does. A level that its queue does not hold is gone through
/// in all parts of the set for each pass: the larger the set, the larger these are.
#[test]
fn random_tables_as_by_the_processors() {
    let large = Room { most: 1 << 17, part: 1 << 13, pass: 1 << 18, ..WIDE };
    for room in [large, Room { first: NARROW.first, queue: NARROW.queue, ..large }, PIECEMEAL] {
        compare(&host::engine(MEMORY, room), 2, 20).assert_varied(20);
    }
}

/// Two words of up to 31 bits are stored as quotients of one: in sets that grow, in sets that begin as large as they
/// can, and with few bits for levels and distances.
#[test]
fn quotients_as_by_the_processors() {
    let mut found = 0;
    for seed in 0..12_u64 {
        let room = if seed % 4 < 2 { NARROW } else { WIDE };
        let unused = [12, 15, 16, 18, 20, 22][usize::try_from(seed % 6).unwrap()];
        let rarity = if seed.is_multiple_of(5) { 1 << 40 } else { 97 };
        found += u32::from(assert_same(&random(seed, 2, unused), room, rarity, seed));
    }
    assert!(found >= 4, "only {found} goals were found");
}

/// A path goes through states: the first word of one state and the second of another are none.
#[test]
fn paths_of_states_of_two_words() {
    let mut longest = 0;
    for seed in 0..5_u64 {
        let tables = random(seed, 2, 12);
        let engine = host::engine(MEMORY, WIDE);
        for rarity in 20..40 {
            let question = Question::new(Wanted::Nearest(3), rarity);
            let found = asked(&engine, &tables, &question).expect("the kernels compile and run");
            let (expected, _) = expected(&tables, &question);
            if let Told::Found(length, _) = expected {
                longest = longest.max(length);
            }
            assert_eq!(told(&tables, &found, &question), Some(expected), "{seed} {rarity}");
        }
    }
    assert!(longest > 4, "{longest}");
}

/// A set of quotients that has no room left says so, however its states are distributed.
#[test]
fn quotients_fill_the_set_and_no_more() {
    let (mut full, mut same) = (0, 0);
    for seed in 0..12_u64 {
        let tables = random(seed, 2, 16);
        let question = Question::new(Wanted::All, 5);
        let found = on_host(Room { most: 1 << 9, ..NARROW }, &tables, &question);
        let (expected, statistics) = expected(&tables, &question);
        if found.outcome == TableOutcome::Stopped(Limit::Memory) {
            assert!(statistics.states > 1 << 8, "seed {seed}");
            full += 1;
        } else {
            assert_eq!(told(&tables, &found, &question), Some(expected), "seed {seed}");
            assert_eq!(figures(&found.statistics), figures(&statistics), "seed {seed}");
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
        let numbers = random(seed, words, 0).widths[0];
        let tables = random(seed, words, u8::try_from(62 - numbers).unwrap());
        assert_eq!(tables.widths[0], 62);
        let wanted = if seed % 3 < 2 { Wanted::Nearest(1) } else { Wanted::All };
        let question = Question::new(wanted, if wanted == Wanted::All { 5 } else { 97 });
        let found = on_host(room, &tables, &question);
        let (expected, statistics) = expected(&tables, &question);
        let depth = statistics.depth;
        if found.outcome == TableOutcome::Stopped(Limit::Memory) {
            assert!(room == NARROW && depth >= 3, "seed {seed}");
            lost += 1;
            continue;
        }
        match told(&tables, &found, &question) {
            None => {
                assert!(matches!(expected, Told::Found(..)) && depth >= 3, "seed {seed}");
                untraced += 1;
            }
            Some(heard) => {
                let is_traced = matches!(heard, Told::Found(..));
                assert!(!is_traced || depth < 3, "seed {seed}");
                assert_eq!(heard, expected, "seed {seed}");
                *(if is_traced { &mut traced } else { &mut same }) += 1;
            }
        }
        assert_eq!(figures(&found.statistics), figures(&statistics), "seed {seed}");
    }
    let all = [traced, untraced, lost, same];
    assert!(all.iter().all(|count| *count > 0), "{all:?}");
}

/// Tables of more than a hundred states, and how many there are.
fn of_some_size() -> (Tables, u64) {
    let all = Question::new(Wanted::All, u64::MAX);
    let sized = |seed| {
        let tables = random(seed, 1, 0);
        let (_, statistics) = expected(&tables, &all);
        (tables, statistics.states)
    };
    (0..10_000).map(sized).find(|(_, states)| (200..2000).contains(states)).expect("some seed")
}

#[test]
fn limits_are_sharp() {
    let (tables, all) = of_some_size();
    let stopped = |room, limits| {
        on_host(room, &tables, &Question { limits, ..Question::new(Wanted::All, u64::MAX) }).outcome
    };
    let most = |states| Limits { states: Some(states), ..Limits::default() };
    assert_eq!(stopped(WIDE, most(all)), TableOutcome::Exhausted(Vec::new()));
    assert_eq!(stopped(WIDE, most(all - 1)), TableOutcome::Stopped(Limit::States));
    let full = stopped(Room { most: 64, ..NARROW }, Limits::default());
    assert_eq!(full, TableOutcome::Stopped(Limit::Memory));
    let over = Limits { deadline: Some(std::time::Instant::now()), ..Limits::default() };
    assert_eq!(stopped(WIDE, over), TableOutcome::Stopped(Limit::Time));
}

/// Queues of as many states as a level has, of one less and of one more.
#[test]
fn a_level_may_fill_its_queue() {
    let (tables, all) = of_some_size();
    for queue in 1..=120 {
        let room = Room { queue, ..NARROW };
        let found = on_host(room, &tables, &Question::new(Wanted::All, u64::MAX));
        assert_eq!(found.outcome, TableOutcome::Exhausted(Vec::new()), "{queue}");
        assert_eq!(found.statistics.states, all, "{queue}");
    }
}

/// More states to begin with than there may be, and nothing after them.
#[test]
fn the_first_states_count() {
    let field = Field { word: 0, shift: 0, bits: 2 };
    let marks = vec![mark::EXPAND_IF_ALL; 4];
    let components = vec![Component { field, begins: vec![0; 5], marks }];
    let initial = vec![0, 1, 2];
    let tables = Tables { words: 1, widths: vec![2], initial, components, ..Tables::default() };
    let within = |most| {
        let limits = Limits { states: Some(most), ..Limits::default() };
        on_host(WIDE, &tables, &Question { limits, ..Question::new(Wanted::All, u64::MAX) }).outcome
    };
    assert_eq!(within(3), TableOutcome::Exhausted(Vec::new()));
    assert_eq!(within(2), TableOutcome::Stopped(Limit::States));
    // They fill the queue, and each of them is looked at.
    let tables = Tables { initial: vec![1, 2, 3], looks_at_all: true, ..tables.clone() };
    let found = on_host(Room { queue: 3, ..WIDE }, &tables, &Question::new(Wanted::All, 1));
    let all = vec![vec![1], vec![2], vec![3]];
    assert_eq!(found.outcome, TableOutcome::Exhausted(all));
}

#[test]
fn what_is_not_in_the_tables_is_said() {
    let (mut tables, all) = of_some_size();
    let scouting = Room { scout: 1 << 16, ..WIDE };
    let search =
        |room, tables: &Tables| on_host(room, tables, &Question::new(Wanted::All, u64::MAX));
    assert_eq!(search(WIDE, &tables).statistics.states, all);
    assert_eq!(search(scouting, &tables).statistics.states, all);
    for entry in &mut tables.entries {
        if *entry & BLOCKED == 0 && *entry % 5 == 0 {
            *entry = UNKNOWN;
        }
    }
    for (room, is_searched) in [(WIDE, true), (scouting, false)] {
        let found = search(room, &tables);
        let TableOutcome::Unknown(state) = found.outcome else { panic!("{:?}", found.outcome) };
        assert!(tables.successors(&state, |_| ()).is_err());
        // With a scout it is met before any kernel runs.
        assert_eq!(found.statistics.states > 0, is_searched);
    }
}

/// Between two indices that are known, and behind the last, where those of another operation begin.
#[test]
fn a_missing_index_is_not_another() {
    let local = Field { word: 0, shift: 0, bits: 1 };
    let number = Field { word: 0, shift: 1, bits: 2 };
    let operation = |base, first, count| Operation {
        inputs: vec![number],
        entries: Entries::Sparse { base, first, count },
    };
    let tables = Tables {
        words: 1,
        widths: vec![3],
        components: vec![Component {
            field: local,
            begins: vec![0, 1, 2],
            marks: vec![mark::EXPAND_IF_ALL; 2],
        }],
        operations: vec![operation(0, 0, 2), operation(2, 2, 1)],
        keeps: vec![0, 0],
        // Of the first operation from 0 to 2 and from 2 to 0, of the second from 3 to 0.
        entries: vec![0b100, 0b000, 0b000],
        indices: vec![0, 2, 3],
        ..Tables::default()
    };
    for (initial, missing) in [(0b000, None), (0b010, Some(0b010)), (0b110, Some(0b110))] {
        let tables = Tables { initial: vec![initial], ..tables.clone() };
        let found = on_host(WIDE, &tables, &Question::new(Wanted::All, u64::MAX)).outcome;
        let expected = missing.map_or(TableOutcome::Exhausted(Vec::new()), |state| {
            TableOutcome::Unknown(vec![state])
        });
        assert_eq!(found, expected, "{initial:b}");
    }
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

/// A card that loses states gives no answer, however many it looked at.
#[test]
fn a_card_that_expands_too_little_is_not_believed() {
    let (tables, _) = of_some_size();
    let question = Question::new(Wanted::All, u64::MAX);
    let faulty = host::faulty_engine(MEMORY, WIDE, 1);
    let refused = asked(&faulty, &tables, &question).unwrap_err();
    assert!(refused.0.contains("of a level"), "{refused:?}");
}
