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
mod suppressed;

use program::{SourceId, Sources, Span};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
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
    /// The arguments of the command that wrote it, those of `fencewright.toml` included and `--shard` left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<Vec<String>>,
}

impl Head {
    const fn of(schema: &'static str) -> Self {
        Self { schema, version: env!("CARGO_PKG_VERSION"), arguments: None }
    }
}

/// The same documents with the arguments that asked for them. Documents that have none, such as the rows of `batch`, stay
/// as they are.
///
/// Who asks knows the arguments, and the library that answers does not; so they are put in behind the version, where
/// every document's head has its end.
pub fn asked_by(documents: &str, arguments: &[String]) -> String {
    let version = format!(",\"version\":{}", json!(env!("CARGO_PKG_VERSION")));
    let arguments = format!(",\"arguments\":{}", json!(arguments));
    let mut all = String::with_capacity(documents.len() + arguments.len());
    for document in documents.split_inclusive('\n') {
        match document.split_once(&version) {
            Some((schema, rest)) if is_schema(schema) => {
                all.extend([schema, &version, &arguments, rest]);
            }
            Some(_) | None => all.push_str(document),
        }
    }
    all
}

/// Whether this is the beginning of a document of ours, up to the name of its schema.
fn is_schema(text: &str) -> bool {
    let name =
        text.strip_prefix("{\"schema\":\"fencewright.").and_then(|rest| rest.strip_suffix('"'));
    name.is_some_and(|name| !name.contains('"'))
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
    position: Option<Region>,
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
        position: Region::of(sources, note.span),
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
    fn of(sources: &Sources, source: SourceId, offset: u32) -> Self {
        let (line, column) = sources.line_column(source, offset);
        Self { line, column }
    }
}

/// A piece of a file: where it begins, and where it ends.
#[derive(Serialize, JsonSchema)]
struct Region {
    #[serde(flatten)]
    start: Position,
    /// The position after its last character.
    end: Position,
}

impl Region {
    /// Nothing for what no text stands behind.
    fn of(sources: &Sources, span: Span) -> Option<Self> {
        let source = span.source?;
        let at = |offset| Position::of(sources, source, offset);
        Some(Self { start: at(span.start), end: at(span.end.max(span.start)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_stand_behind_the_version() {
        let version = env!("CARGO_PKG_VERSION");
        let given = ["check".to_owned(), "a \"b\".fw".to_owned()];
        let one = conversion("a", "fw", &format!(",\"version\":\"{version}\""));
        let both = format!("{one}{{\"package\":1}}\n");
        let asked = asked_by(&both, &given);
        let lines: Vec<serde_json::Value> =
            asked.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines[0]["arguments"], json!(given));
        assert_eq!(lines[1], json!({ "package": 1 }));
        let without = asked.replacen(&format!(",\"arguments\":{}", json!(given)), "", 1);
        assert_eq!(without, both);
    }
}
