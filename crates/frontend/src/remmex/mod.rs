//! The input language of Remmex (Linden, Wolper, SPIN'10 to TACAS'13), read.
//!
//! A part of Promela with accesses to shared memory as functions:
//!
//! ```text
//! int x = 0; bool a[2] = {false, true};  shared memory
//! proctype p {
//!   int r;                               a register
//!   STATEMENT; …
//! }
//! STATEMENT  LABEL: STATEMENT | store(PLACE, e) | r = e | r = loadval(PLACE) | skip | break | goto LABEL
//!            | mfence | LOCK | UNLOCK | assert(e) | e
//!            | if :: STATEMENT -> STATEMENT; … fi | do :: STATEMENT -> STATEMENT; … od
//! ```
//!
//! An expression that stands for a statement waits until it is true; `load(PLACE, e)` in it asks whether
//! memory holds a value there. Each memory cell that an expression mentions is read once, before it is evaluated.
//! The question is not part of a text: Remmex is given forbidden control states on its command line, by numbers of
//! its own; here a goal names labels.
//!
//! A text is parsed into the tree of `.fw` ([`parse`]), which is lowered as such.

mod edit;
mod lex;
mod parse;
mod parse_expr;
mod parse_stmt;

use program::index::Idx;
use program::{Diagnostic, Diagnostics, Program, SourceId, Sources, Span};

use crate::{Settings, fw, token};

pub(crate) use edit::edit;

/// The program that a text describes, or all that is wrong with it.
pub fn load(sources: &Sources, source: SourceId) -> Result<Program, Diagnostics> {
    let (tokens, errors) = token::tokens(sources.text(source), 0, source);
    let file = parse::file(tokens, errors);
    fw::lower::program(file, crate::file_stem(sources.name(source)), &Settings::default())
}

/// Programs are read and not written.
pub fn print(_program: &Program) -> Result<String, Diagnostics> {
    let message = "programs are not written in Remmex's language";
    let help = "`rmm`, `trencher` and `promela` are written";
    Err(vec![Diagnostic::new(Span::NONE, message).help(help)])
}

/// Whether a text begins like one of this language: Promela's words, and accesses as functions.
pub fn looks_like(text: &str) -> bool {
    let (tokens, _) = token::tokens::<lex::Kind>(text, 0, SourceId::new(0));
    let has = |word: &str| tokens.iter().any(|token| token.text == word);
    matches!(tokens[0].text, "int" | "bool" | "byte" | "short" | "proctype" | "active")
        && has("proctype")
        && ["store", "load", "loadval"].into_iter().any(has)
}
