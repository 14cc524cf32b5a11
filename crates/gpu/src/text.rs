//! The kernels' text for some tables.

use std::fmt::Write;

use explore::tables::{Tables, mark};

use crate::device::Kernel;
use crate::layout::Layout;

/// The text that all tables share.
const KERNELS: &str = include_str!("kernel.cu");

/// What the kernels multiply places with.
const FIRST: u64 = 0xD6E8_FEB8_6659_FD93;
const SECOND: u64 = 0xA076_1D64_78BD_642F;

/// The fewest levels that are worth telling apart.
const FEWEST_TAGS: u64 = 3;

/// How many levels are told apart in the set; nothing if a slot has no room for that. The greatest
/// number that has room is no tag, so that a slot without a state is known from one with a state.
pub(crate) fn tags(layout: &Layout) -> Option<u64> {
    let free = u64::BITS - layout.below_level;
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

/// The text of some kernels for these tables, after `prelude`, which defines what the language lacks.
pub(crate) fn specialised(
    prelude: &str,
    tables: &Tables,
    layout: &Layout,
    kernels: &[Kernel],
) -> String {
    let mask = (1_u64 << layout.below_level) - 1;
    let are_all_expanded = tables
        .components
        .iter()
        .all(|component| component.marks.iter().all(|one| one & mark::EXPAND_IF_ALL != 0));
    // Preludes and kernels ask for the words.
    let (words, slot) = (tables.words, layout.words);
    let mut text = format!("#define WORDS {words}\n#define SLOT {slot}\n{prelude}");
    let mut define = |name: &str, value: u64| {
        let _ = writeln!(text, "#define {name} {value}ull");
    };
    define("MASK0", mask);
    define("IS_TAGGED", u64::from(tags(layout).is_some()));
    define("LOOKS_AT_ALL", u64::from(tables.looks_at_all));
    let others = tables.outside_components();
    define("OTHERS0", others[0]);
    define("OTHERS1", others.get(1).copied().unwrap_or(0));
    if let Some(quotient) = &layout.quotient {
        define("PLACED", quotient.placed as u64);
        define("PLACE_BITS", quotient.place_bits.into());
        define("BESIDE_BITS", quotient.beside_bits.into());
        define("STORED_BITS", quotient.stored_bits.into());
        define("DISTANCE_BITS", quotient.distance_bits.into());
        define("UNDO_FIRST", inverse(FIRST));
        define("UNDO_SECOND", inverse(SECOND));
    }
    // Asked by the preprocessor, so without a suffix.
    let _ = writeln!(text, "#define IS_QUOTIENT {}", u8::from(layout.quotient.is_some()));
    let _ = writeln!(text, "#define HAS_MARKS {}", u8::from(!are_all_expanded));
    for kernel in Kernel::ALL {
        let name = kernel.name().to_uppercase();
        let _ = writeln!(text, "#define HAS_{name} {}", u8::from(kernels.contains(&kernel)));
    }
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

/// What an odd number is to be multiplied with to give one, modulo 2⁶⁴.
const fn inverse(odd: u64) -> u64 {
    // Each step doubles the bits that are right; of an odd number by itself these are three.
    let mut inverse = odd;
    let mut right = 3;
    while right < u64::BITS {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
        right *= 2;
    }
    inverse
}
