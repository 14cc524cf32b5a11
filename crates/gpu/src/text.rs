//! The kernels' text for some tables.

use std::fmt::Write;

use explore::tables::{Tables, mark};

/// The text that all tables share.
pub const KERNELS: &str = include_str!("kernel.cu");

/// The fewest levels that are worth telling apart.
const FEWEST_TAGS: u64 = 3;

/// How many levels are told apart in the set; nothing if a state leaves no room for that. The greatest
/// number that has room is no tag, so that a slot without a state is known from one with a state.
pub(crate) fn tags(tables: &Tables) -> Option<u64> {
    let free = u64::BITS - tables.widths[0];
    let tags = if free >= u64::BITS { u64::MAX } else { (1 << free) - 1 };
    (tags >= FEWEST_TAGS).then_some(tags)
}

/// Whether any state is looked at.
pub(crate) fn looks(tables: &Tables) -> bool {
    let bits = mark::LOOK_IF_ANY | mark::LOOK_IF_ALL | mark::LOOK_IF_CALM;
    tables.looks_at_all
        || tables
            .components
            .iter()
            .any(|component| component.marks.iter().any(|one| one & bits != 0))
}

/// The text of the kernels for these tables, after `prelude`, which defines what the language lacks.
pub fn specialised(prelude: &str, tables: &Tables) -> String {
    let width = tables.widths[0];
    let mask = (1_u64 << width) - 1;
    let are_all_expanded = tables
        .components
        .iter()
        .all(|component| component.marks.iter().all(|one| one & mark::EXPAND_IF_ALL != 0));
    // Preludes and kernels ask for the words.
    let mut text = format!("#define WORDS {}\n{prelude}", tables.words);
    let mut define = |name: &str, value: u64| {
        let _ = writeln!(text, "#define {name} {value}ull");
    };
    define("MASK0", mask);
    define("TAG_SHIFT", u64::from(width));
    define("IS_TAGGED", u64::from(tags(tables).is_some()));
    define("LOOKS_AT_ALL", u64::from(tables.looks_at_all));
    let others = tables.outside_components();
    define("OTHERS0", others[0]);
    define("OTHERS1", others.get(1).copied().unwrap_or(0));
    // Asked by the preprocessor, so without a suffix.
    let _ = writeln!(text, "#define HAS_MARKS {}", u8::from(!are_all_expanded));
    let _ = write!(text, "#define COMPONENTS(DO)");
    let mut first = 0;
    for component in &tables.components {
        let field = component.field;
        let mask = (1_u64 << field.bits) - 1;
        let _ = write!(text, " DO({}, {}, {mask}ull, {first})", field.word, field.shift);
        first += component.begins.len();
    }
    text.push('\n');
    text.push_str(KERNELS);
    text
}
