//! Schema `fencewright.errors/1`: what is wrong with an input.

use program::{Diagnostic, Sources};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Head, Region, line};

#[derive(Serialize, JsonSchema)]
pub(super) struct Document<'a> {
    #[serde(flatten)]
    head: Head,
    /// The input; none if the arguments are wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    /// Its files, if it has several.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    files: &'a [String],
    /// What is wrong with it.
    errors: Vec<Entry<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct Entry<'a> {
    /// What kind of error it is, if it is not about a program: `usage`, the arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    /// What is wrong.
    message: &'a str,
    /// The file that it is in, if it is in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    position: Option<Region>,
    /// What stands at the caret.
    #[serde(skip_serializing_if = "str::is_empty")]
    label: &'a str,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
}

/// The errors of one input, which is called `file` and was read from `files`.
pub fn errors(file: &str, files: &[String], errors: &[Diagnostic], sources: &Sources) -> String {
    let entry = |error| entry(error, sources);
    line(&Document {
        head: Head::of("fencewright.errors/1"),
        file: Some(file),
        files: if files.len() > 1 { files } else { &[] },
        errors: errors.iter().map(entry).collect(),
    })
}

/// An error of usage: the arguments ask for what cannot be done.
pub fn misuse(problem: &str, help: Option<&str>) -> String {
    let (file, position) = (None, None);
    let error = Entry { code: Some("usage"), message: problem, file, position, label: "", help };
    line(&Document {
        head: Head::of("fencewright.errors/1"),
        file: None,
        files: &[],
        errors: vec![error],
    })
}

fn entry<'a>(error: &'a Diagnostic, sources: &'a Sources) -> Entry<'a> {
    Entry {
        code: None,
        message: &error.message,
        file: error.span.source.map(|source| sources.name(source)),
        position: Region::of(sources, error.span),
        label: &error.label,
        help: error.help.as_deref(),
    }
}
