//! What an answer about a program in C or Rust is about, and what was assumed.

use std::collections::BTreeSet;

use analysis::Options;
use analysis::race::Place;
use program::{Order, Program, Span};
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
    let mut told: BTreeSet<(Span, Span, bool)> = BTreeSet::new();
    for pair in &races.pairs {
        let [one, other] = pair.map(|place| span(&loaded.program, place));
        let plain = pair.iter().any(|place| is_plain(&loaded.program, *place));
        told.insert((one.min(other), one.max(other), plain));
    }
    let listed = told.into_iter().map(|(span, other, plain)| {
        let other = with(loaded, other);
        let text = if plain {
            format!("a plain access races with {other}: undefined, and compilers may reorder it")
        } else {
            format!("a volatile access races with {other}: undefined in C11, but compilers keep it")
        };
        Note { span, text }
    });
    notes.extend(listed);
    if !races.is_complete {
        notes.push(Note::general("there may be other races of accesses that are not atomic"));
    }
    notes
}

fn is_plain(program: &Program, (template, edge): Place) -> bool {
    let access = program.template(template).edge(edge).instruction.memory_access();
    access.is_some_and(|(_, access)| access.order == Order::Plain)
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
