//! The input language of Trencher and Persist, read and written.
//!
//! A file is a sequence of tokens separated by white space; `#` at the start of a token begins a
//! comment that ends with its line:
//!
//! ```text
//! memory_size N                          once, if at all
//! thread NAME
//!   initial LABEL                        once, anywhere in the thread
//!   transition FROM TO INSTRUCTION       as often as needed
//! end
//!
//! INSTRUCTION  write VALUE ADDRESS | read REGISTER ADDRESS | local REGISTER VALUE
//!              | check CONDITION | mfence | noop | lock | unlock
//! VALUE, ADDRESS, CONDITION
//!              INTEGER | REGISTER | ! E | OPERATOR E E
//! OPERATOR     == != < <= > >= && || + - * &
//! ```
//!
//! A transition system is its own control-flow automaton, so the parser ([`parse`]) lowers as it
//! reads. Every integer is an address; with `memory_size` only the first `N` are, and an access to
//! any other is an error of the program. Registers and labels need no declaration.
//!
//! Writing goes in two steps: [`translate`] expresses a program in what the language knows, as
//! another [`program::Program`], and [`print()`] writes that down.

mod edit;
mod expression;
mod parse;
mod print;
mod reader;
pub mod translate;
mod words;

use program::{Location, Memory, Outside, Value};

pub(crate) use edit::edit;
pub use parse::load;
pub use print::print;

/// The name of the one location of a memory of declared size.
const MEMORY: &str = "mem";

/// The memory that `memory_size` declares: cells 0 to `size` − 1.
fn sized_memory(size: u64) -> Location {
    Location { length: Some(size), ..Location::scalar(MEMORY, 0) }
}

/// The size that `memory_size` declares, if this memory is what it declares.
fn declared_size(memory: &Memory) -> Option<u64> {
    let [location] = memory.locations().as_slice() else { return None };
    let size = location.length?;
    let declared = Location { span: location.span, ..sized_memory(size) };
    (*location == declared && memory.outside() == Outside::Fault).then_some(size)
}

/// Whether a constant can be written.
fn is_writable(value: Value) -> bool {
    i64::try_from(value).is_ok()
}

/// Whether a text begins like one of this language.
pub fn looks_like(text: &str) -> bool {
    match words::tokens(text).as_slice() {
        [first, ..] if first.text == "memory_size" => true,
        [first, _, third, ..] => first.text == "thread" && words::SECTIONS.contains(&third.text),
        [] | [_] | [_, _] => false,
    }
}
