//! Schema `fencewright.confirm/1`: what the machine showed.

use std::collections::BTreeMap;

use confirm::{Counted, Judged, Possible, ProcessEnd};
use program::{Sources, Span};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Map;
use workspace::{Note, Premises};

use super::outcomes::{Shown, told};
use super::{Head, Region, line, noted};
use crate::confirm::{Answer, Verdict};

#[derive(Serialize, JsonSchema)]
pub(super) struct Document<'a> {
    #[serde(flatten)]
    head: Head,
    file: &'a str,
    #[schemars(extend("enum" = ["seen", "not seen", "nothing to see", "undecided", "impossible"]))]
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
    /// How many final states TSO allows; null if not known.
    possible_states: Option<usize>,
    /// How many of them SC does not allow; null if not known.
    possible_states_not_under_sc: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct State {
    #[schemars(with = "BTreeMap<String, Shown>")]
    state: Map<String, serde_json::Value>,
    #[serde(flatten)]
    known: Known,
}

#[derive(Serialize, JsonSchema)]
struct Failed<'a> {
    thread: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    position: Option<Region>,
    #[serde(flatten)]
    known: Known,
}

/// How often something was seen, and what is known about it.
#[derive(Serialize, JsonSchema)]
struct Known {
    /// How often it was seen.
    count: u64,
    /// Whether TSO allows it; null if not known.
    under_tso: Option<bool>,
    /// Whether SC allows it; null if not known.
    under_sc: Option<bool>,
    /// Whether it is an error, or excluded by the program's question.
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
    let position = |span: Span| Region::of(sources, span);
    let faults = answer.faults.iter().map(|(span, thread, count, judged)| Failed {
        thread,
        file: span.source.map(|source| sources.name(source)),
        position: position(*span),
        known: Known::new(*count, *judged),
    });
    let document = Document {
        head: Head::of("fencewright.confirm/1"),
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
#[derive(Serialize, JsonSchema)]
pub(super) struct AsCompiled<'a> {
    #[serde(flatten)]
    head: Head,
    file: &'a str,
    #[schemars(extend("enum" = ["seen", "not seen"]))]
    verdict: &'static str,
    runs: u64,
    failed: u64,
    processors: usize,
    seconds: f64,
    ends: Vec<Counts>,
}

#[derive(Serialize, JsonSchema)]
struct Counts {
    #[schemars(extend("enum" = ["exit", "signal", "late"]))]
    end: &'static str,
    /// The exit code, or the signal.
    number: Option<u8>,
    count: u64,
}

/// How runs of a compiled program ended.
pub fn confirm_as_compiled(file: &str, counted: &Counted) -> String {
    let ends = counted.ends.iter().map(|(end, count)| {
        let (end, number) = match end {
            ProcessEnd::Exit(code) => ("exit", Some(*code)),
            ProcessEnd::Signal(number) => ("signal", Some(*number)),
            ProcessEnd::Late => ("late", None),
        };
        Counts { end, number, count: *count }
    });
    let failed = counted.failed();
    line(&AsCompiled {
        head: Head::of("fencewright.confirm-as-compiled/1"),
        file,
        verdict: if failed > 0 { "seen" } else { "not seen" },
        runs: counted.runs,
        failed,
        processors: counted.processors,
        seconds: counted.elapsed.as_secs_f64(),
        ends: ends.collect(),
    })
}
