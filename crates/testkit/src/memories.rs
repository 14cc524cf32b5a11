//! Memories. Locations are laid out in groups one after the other; the locations of a group are
//! interleaved like the fields of an array of structures.

use program::{Domain, IndexVec, Initial, Location, Memory, Outside, Span, Value};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::names::{name, stems};
use crate::values::{domains, values_of};
use crate::{Subset, outsides};

/// Memories of a subset.
pub(crate) fn memories(subset: Subset) -> BoxedStrategy<Memory> {
    match subset {
        Subset::Everything => (-3_i32..100, vec(groups(), 0..4), outsides())
            .prop_map(|(base, groups, outside)| lay_out(Value::from(base), groups, outside))
            .boxed(),
        Subset::Trencher => prop_oneof![
            Just(Memory::flat()),
            (1..=1_u64 << 32).prop_map(sized),
            (1..10_u64).prop_map(sized),
        ]
        .boxed(),
    }
}

/// What `memory_size` declares in Trencher's language.
fn sized(size: u64) -> Memory {
    let location = Location { length: Some(size), ..Location::scalar("mem", 0) };
    Memory::new([location].into_iter().collect(), Outside::Fault)
}

/// Locations of the same length and stride, one cell after the other.
#[derive(Clone, Debug)]
struct Group {
    gap: u8,
    length: Option<u64>,
    padding: u8,
    fields: Vec<Field>,
}

#[derive(Clone, Debug)]
struct Field {
    stem: String,
    domain: Domain,
    initial: Initial,
}

fn groups() -> impl Strategy<Value = Group> {
    (0..3_u8, proptest::option::of(1..4_u64), 0..3_u8).prop_flat_map(|(gap, length, padding)| {
        vec(fields(length.unwrap_or(1)), 1..4).prop_map(move |fields| Group {
            gap,
            length,
            padding,
            fields,
        })
    })
}

fn fields(cells: u64) -> impl Strategy<Value = Field> {
    let cells = usize::try_from(cells).expect("generated locations are small");
    (stems(), domains()).prop_flat_map(move |(stem, domain)| {
        let initial = prop_oneof![
            3 => values_of(domain).prop_map(Initial::Uniform),
            1 => vec(values_of(domain), cells).prop_map(Initial::Each),
        ];
        initial.prop_map(move |initial| Field { stem: stem.clone(), domain, initial })
    })
}

fn lay_out(base: Value, groups: Vec<Group>, outside: Outside) -> Memory {
    let mut locations = IndexVec::new();
    let mut next = base;
    for group in groups {
        let width = u64::try_from(group.fields.len()).expect("few fields");
        let stride = width + u64::from(group.padding);
        let first = next + Value::from(group.gap);
        for (base, field) in (first..).zip(group.fields) {
            locations.push(Location {
                name: name(&field.stem, 'v', locations.len()),
                base,
                length: group.length,
                stride,
                initial: field.initial,
                domain: field.domain,
                parts: 1,
                generated: false,
                span: Span::NONE,
            });
        }
        next = first + Value::from(stride) * Value::from(group.length.unwrap_or(1));
    }
    Memory::new(locations, outside)
}
