//! What else a reader of an answer should know: what it is about, and what was assumed.

use std::fmt::Write;

use program::{Sources, Span};

/// A sentence, perhaps about a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The place.
    pub span: Span,
    /// The sentence.
    pub text: String,
}

impl Note {
    /// A sentence about no place in particular.
    pub fn general(text: impl Into<String>) -> Self {
        Self { span: Span::NONE, text: text.into() }
    }
}

/// Notes for people, one per line.
pub fn render(notes: &[Note], sources: &Sources) -> String {
    let mut text = String::new();
    for note in notes {
        let place = match note.span.source {
            Some(source) => {
                let (line, column) = sources.line_column(source, note.span.start);
                format!("{}:{line}:{column}: ", sources.name(source))
            }
            None => String::new(),
        };
        let _ = writeln!(text, "  note: {place}{}", note.text);
    }
    text
}
