//! What else a reader of an answer should know: what it is about, and what was assumed.

use std::fmt::Write;

use program::Sources;
use workspace::Note;

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
