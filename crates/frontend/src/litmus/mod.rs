//! Litmus tests in the format of herd and litmus7: small programs written side by side, with a
//! question about their final states.
//!
//! The file format (header, initial state, table of threads, final condition) is the same for all
//! architectures: `header`, `lex` and `parse` read it, `state` lays out
//! memory, `question` lowers the condition, [`print()`] writes a test. What stands in the table
//! is the business of one instruction set, which `machine::Machine` asks for: `x86`, for `X86`
//! (destination first) and `X86_64` (AT&T order), and, on what `load_store` gives them in common,
//! `aarch64`, `arm`, `ppc` and `riscv`. Tests in C have functions in place of the table; `c` reads
//! these.
//!
//! # Where this deviates from herd
//!
//! - Memory is laid out: addresses are numbers, so a test may compute with them, and an access
//!   that hits no location is a fault.
//! - Values are told and compared as the declared types say, and what is not declared as an `int`,
//!   as in herd; constants in the initial state and the condition wrap to these types (`told.rs`).
//! - Comments may also be `// …`. Metadata (`Cycle=…`) is skipped, and so is what an author expects
//!   of single models (`with tso: …`) and what follows `<<`. Faults and comparisons of two places in
//!   a condition are refused.

mod aarch64;
mod arm;
mod ast;
mod beyond;
mod c;
mod condition_code;
mod edit;
mod fence;
mod final_state;
mod header;
mod join;
mod layout;
mod lex;
mod load_store;
mod lower;
mod machine;
mod named;
mod order;
mod outline;
mod parse;
mod parse_condition;
mod parse_init;
mod pointers;
mod ppc;
mod print;
mod print_labels;
mod print_question;
mod print_state;
mod question;
mod ranges;
mod riscv;
mod sizes;
mod state;
mod symbolic;
mod table;
mod told;
mod x86;

use program::{Diagnostics, Program, SourceId, Sources};

pub use c::has_fence as c_has_fence;
pub(crate) use edit::edit;
pub use final_state::{condition, exists, observable, told, with_exists};
pub use machine::Arch;
pub use print::{Target, print, print_for};

/// Whether a text is a litmus test, going by its first line.
pub fn looks_like(text: &str) -> bool {
    header::looks_like(text)
}

/// The architecture of a litmus test.
pub fn architecture(text: &str) -> Option<Arch> {
    header::architecture(text)
}

/// The program that a text describes, or all that is wrong with it.
pub fn load(sources: &Sources, source: SourceId) -> Result<Program, Diagnostics> {
    let text = sources.text(source);
    let header = header::read(text, source)?;
    if header.arch == Arch::C {
        return c::load(&header, text, source);
    }
    let (tokens, errors) = crate::token::tokens(&text[..header.end_of_test], header.end, source);
    let file = parse::file(&tokens, errors);
    lower::program(&header, &file)
}

/// Whether a name means something else than a location.
fn is_reserved(machine: &impl machine::Machine, name: &str) -> bool {
    ["true", "false", "not"].contains(&name) || machine.reserves(name)
}
