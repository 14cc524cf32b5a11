//! Tests in C, as herd reads them: `P0 (atomic_int* x, int* y) { … }`, one function per thread.
//!
//! The parameters of a thread are the locations of the test: a name means the same location in all of
//! them. What is read: declarations, assignments, `if`, `while`, `do`, arithmetic on local variables,
//! accesses through pointers, and the operations of `<stdatomic.h>`; everything else is refused where
//! it stands.
//!
//! - An access through a pointer to an atomic type (`*x` where `x` is an `atomic_int*`) is sequentially
//!   consistent, as C has it; through any other pointer it is not atomic.
//! - An `atomic_…` function makes an atomic access whatever the type of the location, as in herd.
//! - That a weak compare-and-swap fails without reason is left out, as in herd.
//! - Integers are signed and wrap.

mod edit;
mod lexer;
mod lower;
mod lower_call;
mod outline;
mod parser;
mod syntax;

use std::collections::BTreeMap;

use program::{Diagnostics, Program, SourceId, Template};

use super::ast::{Column, Name};
use super::header::Header;
use super::machine::{Context, Machine, Mention};
use super::{lower as test, parse};
pub(super) use edit::edit;
pub use edit::has_fence;
use syntax::Thread;

/// The threads of a test.
#[derive(Debug)]
struct C {
    threads: BTreeMap<u32, Thread>,
}

/// The program of a test whose head has been read.
pub(super) fn load(header: &Header, text: &str, source: SourceId) -> Result<Program, Diagnostics> {
    let outline = outline::read(text, header.end, source)?;
    let mut errors = Vec::new();
    let mut threads = BTreeMap::new();
    let mut columns = Vec::new();
    for thread in &outline.threads {
        let name = Name { text: format!("P{}", thread.number), span: thread.name };
        columns.push(Column { number: thread.number, name, items: Vec::new() });
        match parser::thread(text, thread, source) {
            Ok(parsed) => {
                threads.insert(thread.number, parsed);
            }
            Err(error) => errors.push(*error),
        }
    }
    let (init, lexing) = crate::token::tokens(&text[..outline.end_of_init], header.end, source);
    errors.extend(lexing);
    let (end, lexing) = crate::token::tokens(text, outline.end_of_threads, source);
    errors.extend(lexing);
    let file = parse::around(&init, columns, &end, errors);
    test::lowered(&C { threads }, header, &file)
}

/// Where the last part of a test begins.
pub(super) fn end_of_threads(
    header: &Header,
    text: &str,
    source: SourceId,
) -> Result<usize, Diagnostics> {
    outline::read(text, header.end, source).map(|outline| outline.end_of_threads)
}

impl Machine for C {
    type Code = Thread;

    fn pointer_bits(&self) -> u8 {
        64
    }

    fn register(&self, name: &str) -> Option<(String, u8)> {
        Some((name.to_owned(), 64))
    }

    fn reserves(&self, _: &str) -> bool {
        false
    }

    fn example_register(&self) -> &'static str {
        "r0"
    }

    fn decode(&self, column: &Column<'_>, _: &mut Diagnostics) -> Thread {
        self.threads.get(&column.number).cloned().unwrap_or_default()
    }

    fn mentions(&self, code: &Thread) -> Vec<Mention> {
        let mention = |parameter: &syntax::Parameter| Mention {
            name: Some(parameter.name.clone()),
            bits: parameter.pointer.target().map(syntax::Type::bits),
        };
        code.parameters.iter().map(mention).collect()
    }

    fn thread(&self, code: &Thread, context: &Context<'_>, errors: &mut Diagnostics) -> Template {
        lower::thread(code, context, errors)
    }
}
