//! Schema `fencewright.errors/1`: what is wrong with an input.

use program::{Diagnostic, Sources, Span};
use serde::Serialize;

use super::{Position, line};

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    file: &'a str,
    errors: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    start: Option<Position>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<Position>,
    #[serde(skip_serializing_if = "str::is_empty")]
    label: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
}

/// The errors of one input.
pub fn errors(file: &str, errors: &[Diagnostic], sources: &Sources) -> String {
    let entry = |error| entry(error, sources);
    line(&Document {
        schema: "fencewright.errors/1",
        file,
        errors: errors.iter().map(entry).collect(),
    })
}

fn entry<'a>(error: &'a Diagnostic, sources: &'a Sources) -> Entry<'a> {
    let Span { source, start, end } = error.span;
    Entry {
        message: &error.message,
        file: source.map(|source| sources.name(source)),
        start: source.map(|source| Position::of(sources, source, start)),
        end: source.map(|source| Position::of(sources, source, end)),
        label: &error.label,
        help: error.help.as_deref(),
    }
}
