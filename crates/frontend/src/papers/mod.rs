//! What the syntaxes of the ESOP'13 and the ESOP'15 paper share, which is most: threads of labelled
//! instructions `l0: …; goto l1;`, where several instructions may have one label and a thread ends
//! at a label that has none. [`crate::esop13`] and [`crate::esop15`] are their faces.
//!
//! A text is cut into tokens ([`lex`]), parsed into one syntax tree for both papers ([`parse`]) and
//! lowered ([`lower`]); [`mod@print`] writes programs back.
//!
//! Beyond the papers we accept comments (`// …`), commas in lists, missing semicolons after
//! `goto l`, missing `regs`, `vars` and `procs` where they would be empty, and initial values
//! (`regs r1 = 5`). The papers leave expressions open; ours are those of `.fw` without memory
//! ([`crate::operators`]).

mod ast;
mod edit;
mod lex;
mod lower;
mod lower_stmt;
mod parse;
mod parse_expr;
mod parse_stmt;
mod print;
mod print_addresses;
mod words;

use program::index::Idx;
use program::{Diagnostics, Program, SourceId, Sources};

use crate::token;

pub(crate) use edit::edit;
pub(crate) use print::print;
pub(crate) use words::Syntax;

/// The program that a text describes, or all that is wrong with it.
pub(crate) fn load(
    sources: &Sources,
    source: SourceId,
    syntax: Syntax,
) -> Result<Program, Diagnostics> {
    let (tokens, errors) = token::tokens(sources.text(source), 0, source);
    let file = parse::file(syntax, tokens, errors);
    lower::program(syntax, file, crate::file_stem(sources.name(source)))
}

/// Whether a text has all of these words.
pub(crate) fn has_words(text: &str, words: &[&str]) -> bool {
    let (tokens, _) = token::tokens::<lex::Kind>(text, 0, SourceId::new(0));
    words.iter().all(|word| tokens.iter().any(|token| token.text == *word))
}
