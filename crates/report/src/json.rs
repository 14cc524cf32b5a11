//! Results for machines: one JSON document per input file, on one line, with the name and version
//! of its schema at the top. The formats are documented in `docs/json.md`.
//!
//! The types here are twins of the real ones; nothing else in the project can be serialised. The schemas that are
//! published in `docs/schemas` are made of these types ([`schemas()`]), so that none of them says what a document does
//! not.

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
mod schemas;

use program::Sources;
use schemars::JsonSchema;
use serde::Serialize;
use workspace::{Note, Premises};

use known::Rests;

pub use check::check;
pub use confirm::{confirm, confirm_as_compiled};
pub use cover::cover;
pub use cycles::{cycles, no_cycles};
pub use errors::{errors, misuse};
pub use fence::{fence, fence_list};
pub use outcomes::outcomes;
pub use program_json::program;
pub use reach::reach;
pub use reread::run as reread_run;
pub use run::{simulation, undecided};
pub use schemas::schemas;

/// What every document begins with.
#[derive(Serialize, JsonSchema)]
struct Head {
    /// The name and the version of the document's format.
    schema: &'static str,
    /// The version of Fencewright that wrote it.
    version: &'static str,
}

impl Head {
    const fn of(schema: &'static str) -> Self {
        Self { schema, version: env!("CARGO_PKG_VERSION") }
    }
}

/// A program in another language.
#[derive(Serialize, JsonSchema)]
struct Conversion<'a> {
    #[serde(flatten)]
    head: Head,
    /// The input.
    file: &'a str,
    /// The language of the text.
    to: &'a str,
    /// The program.
    text: &'a str,
}

/// The result of a conversion.
pub fn conversion(file: &str, to: &str, text: &str) -> String {
    line(&Conversion { head: Head::of("fencewright.convert/1"), file, to, text })
}

/// A document with what it rests on and notes, if there are any.
#[derive(Serialize, JsonSchema)]
struct Noted<'a, Document> {
    #[serde(flatten)]
    document: &'a Document,
    /// The files that the program was read from, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<&'a str>,
    /// What an answer about a program in C or Rust rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    premises: Option<Rests<'a>>,
    /// What else a reader of the answer should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Said<'a>>,
}

/// A sentence, perhaps about a position in a file.
#[derive(Serialize, JsonSchema)]
struct Said<'a> {
    /// What kind of note it is, in a word for programs.
    #[schemars(extend("enum" = workspace::NoteCode::ALL.map(workspace::NoteCode::name)))]
    code: &'static str,
    /// The sentence.
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    position: Option<Position>,
}

/// A document with what it rests on and notes, if there are any.
fn noted(
    document: &impl Serialize,
    premises: &Premises,
    notes: &[Note],
    sources: &Sources,
) -> String {
    let notes = notes.iter().map(|note| Said {
        code: note.code.name(),
        text: &note.text,
        file: note.span.source.map(|source| sources.name(source)),
        position: note.span.source.map(|source| Position::of(sources, source, note.span.start)),
    });
    let files: Vec<&str> = sources.names().collect();
    line(&Noted {
        document,
        files: if files.len() > 1 { files } else { Vec::new() },
        premises: Rests::on(premises),
        notes: notes.collect(),
    })
}

/// A document on a line of its own.
fn line(document: &impl Serialize) -> String {
    let mut text = serde_json::to_string(document).expect("plain data can be serialised");
    text.push('\n');
    text
}

/// A position in a file.
#[derive(Serialize, JsonSchema)]
struct Position {
    /// From 1.
    line: usize,
    /// In characters, from 1.
    column: usize,
}

impl Position {
    fn of(sources: &program::Sources, source: program::SourceId, offset: u32) -> Self {
        let (line, column) = sources.line_column(source, offset);
        Self { line, column }
    }
}
