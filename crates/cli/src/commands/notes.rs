//! What an answer about a program in C or Rust is about, and what was assumed.

use std::collections::BTreeSet;

use analysis::Options;
use analysis::race::Place;
use program::{Program, Span};
use report::notes::Note;

use super::progress::Progress;
use crate::input::{Loaded, Origin};
use crate::output::Output;

/// The notes about a program: those from reading it, and for C and Rust what is not defined in it.
pub(super) fn notes(loaded: &Loaded, options: &Options, output: &mut Output) -> Vec<Note> {
    match &loaded.origin {
        Origin::Text(_) => return Vec::new(),
        Origin::Compiled(_) => {}
    }
    let mut notes = vec![Note::general(
        "this is about the accesses as written, on x86; compilers may do more (docs/source.md)",
    )];
    notes.extend(loaded.notes.iter().map(Note::general));
    let mut progress = Progress::new(output);
    let races = analysis::plain_races(&loaded.program, options, |now| progress.show(now));
    progress.clear();
    let Ok(races) = races else { return notes };
    let mut told: BTreeSet<(Span, String)> = BTreeSet::new();
    for pair in &races.pairs {
        let [one, other] = pair.map(|place| span(&loaded.program, place));
        let (one, other) = (one.min(other), one.max(other));
        told.insert((one, with(loaded, other)));
    }
    let listed = told.into_iter().map(|(span, other)| {
        let text = format!(
            "a plain access that races with {other}: its meaning is undefined, and compilers may \
             reorder it"
        );
        Note { span, text }
    });
    notes.extend(listed);
    if !races.is_complete {
        notes.push(Note::general("there may be other races of plain accesses"));
    }
    notes
}

fn span(program: &Program, (template, edge): Place) -> Span {
    program.template(template).edge(edge).span
}

/// The other access of a race, in words.
fn with(loaded: &Loaded, span: Span) -> String {
    let Some(source) = span.source else { return "another".to_owned() };
    let (line, column) = loaded.sources.line_column(source, span.start);
    format!("{}:{line}:{column}", loaded.sources.name(source))
}
