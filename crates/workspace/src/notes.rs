//! What an answer is about: a program with one thread, one that runs into errors, and for C and Rust which
//! machine and which assumptions.

use std::collections::BTreeSet;
use std::time::Duration;

use analysis::parameterised::{is_parameterised, with_two_copies};
use analysis::race::Place;
use analysis::{Ending, Limits, Options};
use program::{Order, Program, Span, Thread};
use web_time::Instant;

use crate::inputs::Loaded;
use crate::store::Subject;

/// What kind of note it is, for programs that read answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteCode {
    /// The program has one thread, so that nothing can be seen of its stores.
    OneThread,
    /// The answer is about accesses as they are written.
    AsWritten,
    /// Something about how the program was compiled.
    Build,
    /// Something about how a test was chosen.
    Test,
    /// What was stated of a function without a body.
    Assumed,
    /// A function has no body, and nothing was stated of it.
    NoBody,
    /// A function may fail, and what the program does then counts.
    MayFail,
    /// A data race of a plain access.
    PlainRace,
    /// A data race of a volatile access.
    VolatileRace,
    /// Races were not looked for everywhere.
    RacesInPart,
    /// A thread can run into an error under SC already.
    ErrorUnderSc,
    /// What a repair is for, and what it is not.
    AboutRepair,
    /// What a repair is on another machine.
    OtherMachines,
    /// A fence belongs into code of somebody else.
    InDependency,
    /// Why no fence can be put somewhere.
    NoPlace,
    /// A comment that is to accept findings accepts nothing.
    Suppression,
}

impl NoteCode {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::OneThread,
        Self::AsWritten,
        Self::Build,
        Self::Test,
        Self::Assumed,
        Self::NoBody,
        Self::MayFail,
        Self::PlainRace,
        Self::VolatileRace,
        Self::RacesInPart,
        Self::ErrorUnderSc,
        Self::AboutRepair,
        Self::OtherMachines,
        Self::InDependency,
        Self::NoPlace,
        Self::Suppression,
    ];

    /// Its name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OneThread => "one_thread",
            Self::AsWritten => "as_written",
            Self::Build => "build",
            Self::Test => "test",
            Self::Assumed => "assumed",
            Self::NoBody => "no_body",
            Self::MayFail => "may_fail",
            Self::PlainRace => "plain_race",
            Self::VolatileRace => "volatile_race",
            Self::RacesInPart => "races_in_part",
            Self::ErrorUnderSc => "error_under_sc",
            Self::AboutRepair => "about_repair",
            Self::OtherMachines => "other_machines",
            Self::InDependency => "in_dependency",
            Self::NoPlace => "no_place",
            Self::Suppression => "suppression",
        }
    }
}

/// A sentence, perhaps about a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What kind of note it is.
    pub code: NoteCode,
    /// The place.
    pub span: Span,
    /// The sentence.
    pub text: String,
}

impl Note {
    /// A sentence about no place in particular.
    pub fn general(code: NoteCode, text: impl Into<String>) -> Self {
        Self { code, span: Span::NONE, text: text.into() }
    }
}

/// How many states are searched for races that only make a note: the verdict is known by then and
/// should not have to wait. It is this bound that counts, and one thread searches, so that a program
/// always has the same notes.
const MOST_STATES: u64 = 200_000;

/// How many states are searched for an error that only makes a note: what keeps a program from doing
/// what it is there for comes soon.
const MOST_STATES_TO_AN_ERROR: u64 = 20_000;

/// How long they are searched if that takes long.
const MOST_TIME: Duration = Duration::from_secs(2);

/// The machine that answers are about, unless another one is asked about.
pub(crate) const X86: &str = "x86";

/// The notes about a program: those from reading it, and for C and Rust what is not defined in it. The
/// answer is about a machine.
pub(crate) fn notes(subject: &mut Subject<'_, '_>, machine: &str, options: &Options) -> Vec<Note> {
    let loaded = subject.loaded;
    let mut notes = Vec::new();
    if let Ok(threads) = loaded.program.threads()
        && let [only] = threads.as_slice()
    {
        let name = &only.name;
        notes.push(Note::general(
            NoteCode::OneThread,
            format!("the program has one thread, `{name}`"),
        ));
    }
    if !loaded.is_compiled() {
        return notes;
    }
    let as_written = format!(
        "this assumes that the compiler keeps every access as written, on {machine}; optimisations may reorder plain and relaxed accesses (`fencewright explain docs/source.md`)",
    );
    notes.push(Note::general(NoteCode::AsWritten, as_written));
    notes.extend(loaded.notes.iter().cloned());
    if loaded.program.access_across().is_some() {
        notes.push(Note::general(
            NoteCode::RacesInPart,
            "races of accesses that are not atomic were not looked for: the same bytes are accessed with \
             different widths",
        ));
        return notes;
    }
    let options = bounded(options, MOST_STATES, Instant::now());
    // A race is one of two threads.
    let has_any_number = is_parameterised(&loaded.program);
    let instance = has_any_number.then(|| with_two_copies(&loaded.program));
    let searched = instance.as_ref().unwrap_or(&loaded.program);
    let races = analysis::plain_races(searched, &options, &mut *subject.watch);
    let Ok(races) = races else { return notes };
    let mut told: BTreeSet<(Span, Span, bool)> = BTreeSet::new();
    for pair in &races.pairs {
        let [one, other] = pair.map(|place| span(&loaded.program, place));
        let plain = pair.iter().any(|place| is_plain(&loaded.program, *place));
        told.insert((one.min(other), one.max(other), plain));
    }
    let listed = told.into_iter().map(|(span, other, plain)| {
        let other = with(loaded, other);
        let (code, text) = if plain {
            let why = "undefined behaviour; compilers may reorder this plain access";
            (NoteCode::PlainRace, format!("data race with {other} ({why})"))
        } else {
            let why = "undefined in C11, but compilers keep this volatile access";
            (NoteCode::VolatileRace, format!("data race with {other} ({why})"))
        };
        Note { code, span, text }
    });
    notes.extend(listed);
    if has_any_number {
        notes.push(Note::general(
            NoteCode::RacesInPart,
            "races of accesses that are not atomic were looked for with two copies of each thread of any \
             number; `--criterion drf` asks about every number",
        ));
    } else if !races.is_complete {
        notes.push(Note::general(
            NoteCode::RacesInPart,
            "races of accesses that are not atomic were looked for in part only: there may be others",
        ));
    }
    notes
}

/// An error that the program runs into soon under SC, for answers that do not look for errors: what its
/// thread would do after it is not part of the program, and what holds may hold for that reason.
pub(crate) fn error_note(subject: &mut Subject<'_, '_>, options: &Options) -> Option<Note> {
    let loaded = subject.loaded;
    let options = bounded(options, MOST_STATES_TO_AN_ERROR, Instant::now());
    let instance = is_parameterised(&loaded.program).then(|| with_two_copies(&loaded.program));
    let program = instance.as_ref().unwrap_or(&loaded.program);
    let found = analysis::first_error(program, &options, &mut *subject.watch);
    let (thread, edge, fault) = match found.ok()??.ending {
        Ending::Fault { thread, edge, fault } => (thread, edge, fault),
        Ending::Terminated
        | Ending::Goal
        | Ending::StepLimit
        | Ending::History(_)
        | Ending::Limit { .. }
        | Ending::Deadlock(_) => return None,
    };
    let threads = program.threads().ok()?;
    let Thread { template, name, .. } = &threads[thread];
    let why = loaded.program.template(*template).why(edge, fault);
    Some(Note {
        code: NoteCode::ErrorUnderSc,
        span: span(&loaded.program, (*template, edge)),
        text: format!(
            "under SC already `{name}` can run into an error here ({why}), and does nothing after \
             it; `fencewright reach` shows the run"
        ),
    })
}

/// How something is looked for on the side, from now on.
fn bounded(options: &Options, most_states: u64, now: Instant) -> Options {
    let Limits { deadline, states, .. } = options.limits;
    let soon = now + MOST_TIME;
    let limits = Limits {
        deadline: Some(deadline.map_or(soon, |deadline| deadline.min(soon))),
        states: Some(states.map_or(most_states, |states| states.min(most_states))),
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
            let Limits { deadline, states, .. } = bounded(&options, MOST_STATES, now).limits;
            (deadline.map(|deadline| deadline.saturating_duration_since(now)), states)
        };
        let all = Some(MOST_STATES);
        assert_eq!(within(None, None, 100), (Some(MOST_TIME), all));
        assert_eq!(within(Some(60), Some(u64::MAX), 10), (Some(MOST_TIME), all));
        assert_eq!(within(Some(3), Some(7), 2), (Some(Duration::from_secs(1)), Some(7)));
        assert_eq!(within(Some(3), None, 4), (Some(Duration::ZERO), all));
    }
}
