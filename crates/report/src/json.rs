//! Results for machines: one JSON document per input file, on one line, with the name and version
//! of its schema at the top. The formats are documented in `docs/json.md`.
//!
//! The types here are twins of the real ones; nothing else in the project can be serialised.

mod check;
mod confirm;
mod cover;
mod cycles;
mod errors;
mod fence;
mod instance;
mod known;
mod outcomes;
mod program_json;
mod reach;
mod reread;
mod run;

use program::Sources;
use serde::Serialize;
use workspace::{Note, Premises};

use known::Rests;

pub use check::check;
pub use confirm::{confirm, confirm_as_compiled};
pub use cover::cover;
pub use cycles::{cycles, no_cycles};
pub use errors::errors;
pub use fence::{fence, fence_list};
pub use outcomes::outcomes;
pub use program_json::program;
pub use reach::reach;
pub use reread::run as reread_run;
pub use run::{simulation, undecided};

/// The result of a conversion.
pub fn conversion(file: &str, to: &str, text: &str) -> String {
    #[derive(Serialize)]
    struct Document<'a> {
        schema: &'static str,
        file: &'a str,
        to: &'a str,
        text: &'a str,
    }
    line(&Document { schema: "fencewright.convert/1", file, to, text })
}

/// A document with what it rests on and notes, if there are any.
fn noted(
    document: &impl Serialize,
    premises: &Premises,
    notes: &[Note],
    sources: &Sources,
) -> String {
    #[derive(Serialize)]
    struct Noted<'a, Document> {
        #[serde(flatten)]
        document: &'a Document,
        #[serde(skip_serializing_if = "Option::is_none")]
        premises: Option<Rests<'a>>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        notes: Vec<Said<'a>>,
    }
    #[derive(Serialize)]
    struct Said<'a> {
        text: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<&'a str>,
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        position: Option<Position>,
    }
    let notes = notes.iter().map(|note| Said {
        text: &note.text,
        file: note.span.source.map(|source| sources.name(source)),
        position: note.span.source.map(|source| Position::of(sources, source, note.span.start)),
    });
    line(&Noted { document, premises: Rests::on(premises), notes: notes.collect() })
}

/// A document on a line of its own.
fn line(document: &impl Serialize) -> String {
    let mut text = serde_json::to_string(document).expect("plain data can be serialised");
    text.push('\n');
    text
}

/// A place in a source text.
#[derive(Serialize)]
struct Position {
    line: usize,
    column: usize,
}

impl Position {
    fn of(sources: &program::Sources, source: program::SourceId, offset: u32) -> Self {
        let (line, column) = sources.line_column(source, offset);
        Self { line, column }
    }
}
