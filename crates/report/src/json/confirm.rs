//! Schema `fencewright.confirm/1`: what the machine showed.

use confirm::{Counted, Judged, Possible, ProcessEnd};
use program::{Sources, Span};
use serde::Serialize;
use serde_json::Map;
use workspace::{Note, Premises};

use super::outcomes::told;
use super::{Position, line, noted};
use crate::confirm::{Answer, Verdict};

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    file: &'a str,
    verdict: &'static str,
    runs: u64,
    /// In how many runs what was looked for was seen.
    seen: u64,
    processors: usize,
    seconds: f64,
    states: Vec<State>,
    faults: Vec<Failed<'a>>,
    /// Runs in which a thread was stuck or took too long.
    stuck: u64,
    /// Runs that met a limit of the model.
    limited: u64,
    /// Runs that ended in yet other ways.
    uncounted: u64,
    possible_states: Option<usize>,
    possible_states_not_under_sc: Option<usize>,
}

#[derive(Serialize)]
struct State {
    state: Map<String, serde_json::Value>,
    #[serde(flatten)]
    known: Known,
}

#[derive(Serialize)]
struct Failed<'a> {
    thread: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    position: Option<Position>,
    #[serde(flatten)]
    known: Known,
}

/// How often something was seen, and what is known about it.
#[derive(Serialize)]
struct Known {
    count: u64,
    under_tso: Option<bool>,
    under_sc: Option<bool>,
    wrong: bool,
}

impl Known {
    const fn new(count: u64, judged: Judged) -> Self {
        let under_tso = match judged.possible {
            Possible::Yes => Some(true),
            Possible::NotExplored | Possible::NotRobust => Some(false),
            Possible::Unknown => None,
        };
        Self { count, under_tso, under_sc: judged.under_sc, wrong: judged.is_wrong }
    }
}

/// An answer about one input.
pub fn confirm(
    file: &str,
    sources: &Sources,
    answer: &Answer<'_>,
    (premises, notes): (&Premises, &[Note]),
) -> String {
    let (verdict, seen) = match answer.verdict() {
        Verdict::Impossible => ("impossible", 0),
        Verdict::Seen(often) => ("seen", often),
        Verdict::NotSeen => ("not seen", 0),
        Verdict::Nothing => ("nothing to see", 0),
        Verdict::Undecided => ("undecided", 0),
    };
    let states = answer.states.iter().map(|(values, count, judged)| State {
        state: answer
            .shown
            .iter()
            .zip(values)
            .map(|(seen, value)| {
                (answer.words.observable(*seen), told(answer.words.told(*seen, *value)))
            })
            .collect(),
        known: Known::new(*count, *judged),
    });
    let position = |span: Span| span.source.map(|at| Position::of(sources, at, span.start));
    let faults = answer.faults.iter().map(|(span, thread, count, judged)| Failed {
        thread,
        file: span.source.map(|source| sources.name(source)),
        position: position(*span),
        known: Known::new(*count, *judged),
    });
    let document = Document {
        schema: "fencewright.confirm/1",
        file,
        verdict,
        runs: answer.seen.runs,
        seen,
        processors: answer.seen.processors,
        seconds: answer.seen.elapsed.as_secs_f64(),
        states: states.collect(),
        faults: faults.collect(),
        stuck: answer.stuck,
        limited: answer.limited,
        uncounted: answer.seen.uncounted,
        possible_states: answer.judgement.possible,
        possible_states_not_under_sc: answer.judgement.weak,
    };
    noted(&document, premises, notes, sources)
}

/// How runs of a compiled program ended.
pub fn confirm_as_compiled(file: &str, counted: &Counted) -> String {
    #[derive(Serialize)]
    struct Document<'a> {
        schema: &'static str,
        file: &'a str,
        verdict: &'static str,
        runs: u64,
        failed: u64,
        processors: usize,
        seconds: f64,
        ends: Vec<Counts>,
    }
    #[derive(Serialize)]
    struct Counts {
        end: &'static str,
        number: Option<u8>,
        count: u64,
    }
    let ends = counted.ends.iter().map(|(end, count)| {
        let (end, number) = match end {
            ProcessEnd::Exit(code) => ("exit", Some(*code)),
            ProcessEnd::Signal(number) => ("signal", Some(*number)),
            ProcessEnd::Late => ("late", None),
        };
        Counts { end, number, count: *count }
    });
    let failed = counted.failed();
    line(&Document {
        schema: "fencewright.confirm-as-compiled/1",
        file,
        verdict: if failed > 0 { "seen" } else { "not seen" },
        runs: counted.runs,
        failed,
        processors: counted.processors,
        seconds: counted.elapsed.as_secs_f64(),
        ends: ends.collect(),
    })
}
