//! Random tables, and what the engine of `explore` says of them.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use explore::tables::{
    BLOCKED, Component, Entries, Field, Operation, Request, SEVERAL, SEVERAL_SHIFT, TableEngine,
    TableOutcome, TableSearch, Tables, Tabulated, UNKNOWN, Unsuitable, Wanted, mark,
};
use explore::{Limits, Outcome, Statistics, search_all, search_nearest};
use fastrand::Rng;

/// What is random about tables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) words: usize,
    pub(crate) components: usize,
    /// Bits of a local state, and of what is shared.
    pub(crate) local_bits: u8,
    pub(crate) shared_bits: u8,
    /// One in so many entries is unknown, if any.
    pub(crate) unknown: Option<usize>,
}

pub(crate) fn random_tables(random: &mut Rng, shape: Shape) -> Tables {
    let Shape { words, components, local_bits, shared_bits, unknown } = shape;
    let mut widths = vec![0_u32; words];
    let mut place = |number: usize, bits: u8| {
        let word = number % words;
        let shift = u8::try_from(widths[word]).expect("small");
        widths[word] += u32::from(bits);
        Field { word: u8::try_from(word).expect("small"), shift, bits }
    };
    let locals: Vec<Field> = (0..components).map(|number| place(number, local_bits)).collect();
    let shared: Vec<Field> = (0..2).map(|number| place(components + number, shared_bits)).collect();
    let mut tables = Tables { words, widths, ..Tables::default() };
    tables.looks_at_all = random.u8(..4) == 0;
    for _ in 0..random.usize(1..4) {
        let mut state = vec![0; words];
        let field = shared[random.usize(..2)];
        put(&mut state, field, random.u64(..1 << shared_bits));
        tables.initial.extend(state);
    }
    for &field in &locals {
        let mut begins = Vec::new();
        let mut marks = Vec::new();
        for _ in 0..1_u32 << local_bits {
            begins.push(u32::try_from(tables.operations.len()).expect("small"));
            let rare = if random.u8(..12) == 0 { mark::LOOK_IF_ANY } else { 0 };
            let all = if random.u8(..3) == 0 { mark::LOOK_IF_ALL } else { 0 };
            let ends = if random.u8(..20) == 0 { 0 } else { mark::EXPAND_IF_ALL };
            marks.push(rare | all | ends);
            for _ in 0..random.usize(0..4) {
                add_operation(random, &mut tables, (field, &shared), unknown);
            }
        }
        begins.push(u32::try_from(tables.operations.len()).expect("small"));
        tables.components.push(Component { field, begins, marks });
    }
    tables
}

fn put(state: &mut [u64], field: Field, value: u64) {
    state[usize::from(field.word)] |= value << field.shift;
}

fn add_operation(
    random: &mut Rng,
    tables: &mut Tables,
    (local, shared): (Field, &[Field]),
    unknown: Option<usize>,
) {
    let inputs: Vec<Field> = shared.iter().copied().filter(|_| random.bool()).collect();
    let mut keep = vec![u64::MAX; tables.words];
    for field in inputs.iter().chain([&local]) {
        keep[usize::from(field.word)] &= !(((1 << field.bits) - 1) << field.shift);
    }
    tables.keeps.extend(keep);
    let size = 1_usize << inputs.iter().map(|field| field.bits).sum::<u8>();
    let base = tables.entries.len() / tables.words;
    tables.entries.resize((base + size) * tables.words, 0);
    let successor = |random: &mut Rng| {
        let mut entry = vec![0; tables.words];
        for &field in inputs.iter().chain([&local]) {
            put(&mut entry, field, random.u64(..1 << field.bits));
        }
        entry
    };
    for number in base..base + size {
        let mut entry = successor(random);
        if unknown.is_some_and(|rarely| random.usize(..rarely) == 0) {
            entry[0] = UNKNOWN;
        } else if random.u8(..4) == 0 {
            entry[0] = BLOCKED;
        } else if random.u8(..6) == 0 {
            let first = (tables.entries.len() / tables.words) as u64;
            for _ in 0..random.usize(1..4) {
                let several = successor(random);
                tables.entries.extend(several);
            }
            tables.entries.extend(vec![BLOCKED; tables.words]);
            entry[0] = SEVERAL | first << SEVERAL_SHIFT;
        }
        tables.entries[number * tables.words..][..tables.words].copy_from_slice(&entry);
    }
    let base = u32::try_from(base).expect("small");
    // Some that are all known are sparse all the same.
    let entries = if random.bool() {
        Entries::Dense { base }
    } else {
        let first = u32::try_from(tables.indices.len()).expect("small");
        tables.indices.extend(0..size as u64);
        Entries::Sparse { base, first, count: u32::try_from(size).expect("small") }
    };
    tables.operations.push(Operation { inputs, entries });
}

/// Whether a state is a goal, if it is looked at: one in so many.
pub(crate) fn is_goal(rarely: u64) -> impl Fn(&[u64]) -> bool + Copy {
    move |state| state.iter().sum::<u64>().wrapping_mul(0x9e37_79b9_7f4a_7c15) % rarely == 0
}

/// What is the same for all engines.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Told {
    Exhausted(Vec<Vec<u64>>),
    /// The length of the paths, and how many there are.
    Found(usize, usize),
    Stopped(explore::Limit),
    Unknown,
}

pub(crate) fn asked(
    engine: &dyn TableEngine,
    tables: &Tables,
    (wanted, limits): (Wanted, Limits),
    is_goal: impl Fn(&[u64]) -> bool,
) -> Result<TableSearch, Unsuitable> {
    let is_goal = &mut |state: &[u64]| is_goal(state);
    let watch = &mut |_: &explore::Progress| ControlFlow::Continue(());
    engine.search(tables, Request { wanted, limits, is_goal, watch })
}

/// What an engine says, after a look at the paths it tells.
pub(crate) fn told(
    tables: &Tables,
    search: &TableSearch,
    is_goal: impl Fn(&[u64]) -> bool,
) -> (Told, Statistics) {
    let told = match &search.outcome {
        TableOutcome::Exhausted(goals) => Told::Exhausted(goals.clone()),
        TableOutcome::Found(paths) => {
            let ends: BTreeSet<&Vec<u64>> = paths.iter().filter_map(|path| path.last()).collect();
            assert_eq!(ends.len(), paths.len(), "each goal once");
            for path in paths {
                is_path(tables, path);
                assert!(path.last().is_some_and(|last| is_goal(last)));
            }
            Told::Found(paths[0].len(), paths.len())
        }
        TableOutcome::Untraced => panic!("paths are told"),
        TableOutcome::Stopped(limit) => Told::Stopped(*limit),
        TableOutcome::Unknown(state) => {
            assert!(tables.successors(state, |_| ()).is_err());
            Told::Unknown
        }
    };
    (told, search.statistics)
}

fn is_path(tables: &Tables, path: &[Vec<u64>]) {
    let first = path.first().expect("a path has a state");
    assert!(tables.initial.chunks_exact(tables.words).any(|state| state == first));
    for step in path.windows(2) {
        let mut leads = false;
        let _ = tables.successors(&step[0], |next| leads |= next == step[1]);
        assert!(leads, "{step:?}");
    }
}

/// What the engine of `explore` says.
pub(crate) fn expected<const W: usize>(
    tables: &Tables,
    (wanted, limits): (Wanted, Limits),
    is_goal: impl Fn(&[u64]) -> bool + Send + Sync,
) -> (Told, Statistics) {
    let mut system = Tabulated { tables, is_goal };
    let watch = |_: &explore::Progress| ControlFlow::Continue(());
    let (goals, search) = match wanted {
        Wanted::All => {
            let all = search_all::<W, _>(&mut system, 1, &limits, watch);
            (all.goals.iter().map(|goal| goal.to_vec()).collect(), all.search)
        }
        Wanted::Nearest(most) => {
            (Vec::new(), search_nearest::<W, _>(&mut system, 1, &limits, most, watch))
        }
    };
    let told = match search.outcome {
        Outcome::Exhausted => Told::Exhausted(goals),
        Outcome::Found(path) => Told::Found(path.len(), 1 + search.others.len()),
        Outcome::Stopped(limit) => Told::Stopped(limit),
        Outcome::Outgrown => Told::Unknown,
    };
    (told, search.statistics)
}
