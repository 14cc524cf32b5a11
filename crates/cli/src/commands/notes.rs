//! What an answer about a program in C or Rust is about, and what was assumed.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use analysis::race::Place;
use analysis::{Limits, Options};
use program::{Order, Program, Span};
use report::notes::Note;

use super::progress::Progress;
use crate::input::{Loaded, Origin};
use crate::output::Output;

/// How many states are searched for races that only make a note: the verdict is known by then and
/// should not have to wait. It is this bound that counts, and one thread searches, so that a program
/// always has the same notes.
const MOST_STATES: u64 = 200_000;

/// How long they are searched if that takes long.
const MOST_TIME: Duration = Duration::from_secs(2);

/// The machine that answers are about, unless another one is asked about.
pub(super) const X86: &str = "x86";

/// The notes about a program: those from reading it, and for C and Rust what is not defined in it. The
/// answer is about a machine.
pub(super) fn notes(
    loaded: &Loaded,
    machine: &str,
    options: &Options,
    output: &mut Output,
) -> Vec<Note> {
    match &loaded.origin {
        Origin::Text(_) => return Vec::new(),
        Origin::Compiled(_) => {}
    }
    let mut notes = vec![Note::general(format!(
        "this is about the accesses as written, on {machine}; compilers may do more (docs/source.md)",
    ))];
    notes.extend(loaded.notes.iter().map(Note::general));
    let mut progress = Progress::new(output);
    let options = bounded(options, Instant::now());
    let races = analysis::plain_races(&loaded.program, &options, |now| progress.show(now));
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
        notes.push(Note::general(
            "races of accesses that are not atomic were looked for in part only: there may be others",
        ));
    }
    notes
}

/// How races are looked for from now on.
fn bounded(options: &Options, now: Instant) -> Options {
    let Limits { deadline, states, .. } = options.limits;
    let soon = now + MOST_TIME;
    let limits = Limits {
        deadline: Some(deadline.map_or(soon, |deadline| deadline.min(soon))),
        states: Some(states.map_or(MOST_STATES, |states| states.min(MOST_STATES))),
        ..options.limits
    };
    Options { limits, threads: 1, ..*options }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_take_little_and_no_more_than_is_left() {
        let begun = Instant::now();
        let within = |time: Option<u64>, states, spent| {
            let deadline = time.map(|time| begun + Duration::from_secs(time));
            let limits = Limits { deadline, states, ..Limits::default() };
            let options = Options { limits, ..Options::default() };
            let now = begun + Duration::from_secs(spent);
            let Limits { deadline, states, .. } = bounded(&options, now).limits;
            (deadline.map(|deadline| deadline.saturating_duration_since(now)), states)
        };
        let all = Some(MOST_STATES);
        assert_eq!(within(None, None, 100), (Some(MOST_TIME), all));
        assert_eq!(within(Some(60), Some(u64::MAX), 10), (Some(MOST_TIME), all));
        assert_eq!(within(Some(3), Some(7), 2), (Some(Duration::from_secs(1)), Some(7)));
        assert_eq!(within(Some(3), None, 4), (Some(Duration::ZERO), all));
    }
}
