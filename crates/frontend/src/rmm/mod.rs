//! `.rmm`, the language of Memorax (Abdulla, Atig, Chen, Leonardsson, Rezine, TACAS'13), read and written.
//!
//! ```text
//! forbidden LABEL… ; …                   one label, or `*`, for each process
//! data NAME = VALUE : DOMAIN …           memory that all processes name alike
//! process(N)
//!   data NAME = VALUE : DOMAIN …         memory that a process names `NAME[my]` and others `NAME[n]`
//!   registers $NAME = VALUE : DOMAIN …
//!   text STATEMENT; …
//!
//! VALUE      an integer, or `*` for any of the domain
//! DOMAIN     [low:high], or Z
//! STATEMENT  LABEL: STATEMENT | nop | fence | goto LABEL | { … } | either { … or … }
//!            | read: $r := PLACE | read: PLACE = e | write: PLACE := e | locked write: PLACE := e
//!            | cas(PLACE, e, e) | $r := e | assume: b | locked { … or … }
//!            | if b then STATEMENT else STATEMENT | while b do STATEMENT
//! PLACE      NAME | NAME[my] | NAME[n] | [e]
//! ```
//!
//! with macros (`expand`), sums and differences as expressions, and conditions in `[ ]`. The manual that comes with
//! the tool says what each means; `lower` says how that is expressed here. A forbidden tuple is what must not be
//! true of any state ([`program::Question::forbidden`]).

mod ast;
mod edit;
mod expand;
mod lex;
mod lower;
mod parse;
mod parse_stmt;
mod print;
mod print_stmt;
mod statements;
pub(crate) mod tree;

use program::index::Idx;
use program::{Diagnostics, Program, SourceId, Sources};

use crate::token;

pub(crate) use edit::edit;
pub use print::print;

/// The program that a text describes, or all that is wrong with it.
pub fn load(sources: &Sources, source: SourceId) -> Result<Program, Diagnostics> {
    let (tokens, errors) = token::tokens(sources.text(source), 0, source);
    lower::program(parse::file(&tokens, errors), crate::file_stem(sources.name(source)))
}

/// Whether a text begins like one of this language.
pub fn looks_like(text: &str) -> bool {
    let (tokens, _) = token::tokens::<lex::Kind>(text, 0, SourceId::new(0));
    let has = |word: &str| tokens.iter().any(|token| token.text == word);
    matches!(tokens[0].text, "forbidden" | "data" | "process" | "macro" | "predicates")
        && has("process")
        && has("text")
}
