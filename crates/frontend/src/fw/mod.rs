//! `.fw`, Fencewright's own modelling language: structured, so that a textbook algorithm looks
//! like the textbook. Its reference is `docs/fw-language.md`.
//!
//! A text is cut into tokens (`lex`), parsed into a syntax tree that follows it closely
//! (`parse`), and lowered into the program model (`lower`). [`print()`] writes any program of
//! the model back in this language, with labels and `goto` for its control flow, so that parsing
//! the result gives the same program again.

pub(crate) mod ast;
mod edit;
mod lex;
pub(crate) mod lower;
mod notation;
mod parse;
mod parse_expr;
mod parse_question;
mod parse_stmt;
mod print;
mod print_expr;
mod print_question;
mod words;

use program::{Diagnostics, Program, Proposition, SourceId, Sources, StateProposition};

use crate::{Settings, token};

pub(crate) use edit::edit;
pub use notation::Notation;
pub use print::print;
pub(crate) use words::fence_kind;

/// The program that a text describes, or all that is wrong with it.
pub fn load(
    sources: &Sources,
    source: SourceId,
    settings: &Settings,
) -> Result<Program, Diagnostics> {
    let (tokens, errors) = token::tokens(sources.text(source), 0, source);
    let parsed = parse::file(tokens, errors);
    lower::program(parsed, crate::file_stem(sources.name(source)), settings)
}

/// The condition on the states of a program that a text describes, or all that is wrong with it.
///
/// The program may have been written in any language; its names are used as they are.
pub fn goal(
    sources: &Sources,
    source: SourceId,
    program: &Program,
) -> Result<StateProposition, Diagnostics> {
    let (tokens, errors) = token::tokens(sources.text(source), 0, source);
    lower::goal(&parse::goal(tokens, errors)?, program)
}

/// The condition on the final states of a program that a text describes, or all that is wrong with
/// it: what can stand after `exists`.
///
/// The program may have been written in any language; its names are used as they are.
pub fn condition(
    sources: &Sources,
    source: SourceId,
    program: &Program,
) -> Result<Proposition, Diagnostics> {
    let (tokens, errors) = token::tokens(sources.text(source), 0, source);
    lower::condition(&parse::condition(tokens, errors)?, program)
}

/// Whether a text begins like one of this language: with a declaration.
pub fn looks_like(text: &str) -> bool {
    let mut sources = Sources::new();
    // The source does not matter for looking at the first word.
    let source = sources.add("", "");
    let (tokens, _) = token::tokens::<lex::Kind>(text, 0, source);
    words::ITEMS.contains(&tokens[0].text)
}
