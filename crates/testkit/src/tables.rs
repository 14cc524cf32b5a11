//! Random transition systems as tables ([`explore::tables`]), with all that tables can say: operations that read
//! nothing or several numbers, dense and sparse entries, blocked ones, several successors, entries that are
//! not known, every mark.

use explore::tables::{
    BLOCKED, Component, Entries, Field, Operation, SEVERAL, SEVERAL_SHIFT, Tables, UNKNOWN, mark,
};
use fastrand::Rng;

/// How large random tables are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Words of a state.
    pub words: usize,
    /// Components.
    pub components: usize,
    /// Bits of a local state.
    pub local_bits: u8,
    /// Bits of each of two numbers that the components share.
    pub shared_bits: u8,
    /// Bits of each word that no number uses, below all that are used.
    pub unused_bits: u8,
    /// One in so many entries is unknown, if any.
    pub unknown: Option<usize>,
}

impl Shape {
    /// So many words and components, with small numbers and nothing unknown.
    pub const fn new(words: usize, components: usize) -> Self {
        Self { words, components, local_bits: 2, shared_bits: 2, unused_bits: 0, unknown: None }
    }
}

/// Tables of this shape.
pub fn random_tables(random: &mut Rng, shape: Shape) -> Tables {
    let Shape { words, components, local_bits, shared_bits, unused_bits, unknown } = shape;
    let mut widths = vec![u32::from(unused_bits); words];
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
    let chance_of_ends = [4, 20][random.usize(..2)];
    for &field in &locals {
        let mut begins = Vec::new();
        let mut marks = Vec::new();
        for _ in 0..1_u32 << local_bits {
            begins.push(u32::try_from(tables.operations.len()).expect("small"));
            let mut marked = |mark: u8, chance: u8| if random.u8(..chance) == 0 { mark } else { 0 };
            let looks = marked(mark::LOOK_IF_ANY, 12)
                | marked(mark::LOOK_IF_ALL, 3)
                | marked(mark::LOOK_IF_CALM, 2);
            let expands = marked(mark::EXPAND_IF_ANY, 8);
            let ends = random.u8(..chance_of_ends) == 0;
            marks.push(looks | expands | if ends { 0 } else { mark::EXPAND_IF_ALL });
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
    // Some that are all known are sparse all the same.
    let entries = if random.bool() {
        Entries::Dense { base: u32::try_from(base).expect("small") }
    } else {
        sparse(tables, base, size)
    };
    tables.operations.push(Operation { inputs, entries });
}

/// Those of some entries that are known, once more and side by side.
fn sparse(tables: &mut Tables, base: usize, size: usize) -> Entries {
    let number = |length: usize| u32::try_from(length).expect("small");
    let first = tables.indices.len();
    let known_base = tables.entries.len() / tables.words;
    for index in 0..size {
        let entry = tables.entries[(base + index) * tables.words..][..tables.words].to_vec();
        if entry[0] != UNKNOWN {
            tables.indices.push(index as u64);
            tables.entries.extend(entry);
        }
    }
    let count = tables.indices.len() - first;
    Entries::Sparse { base: number(known_base), first: number(first), count: number(count) }
}
