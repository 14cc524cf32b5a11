//! Schema `fencewright.reach/1`: whether something can be reached.

use analysis::Statistics;
use program::{Program, Sources};
use semantics::Machine;
use serde::Serialize;

use super::run::{Run, model_name};
use super::{Position, noted};
use crate::notes::Note;
use crate::reach::{Answer, Outcome, found};

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    file: &'a str,
    model: &'static str,
    engine: &'a str,
    verdict: &'static str,
    reason: Option<&'a str>,
    /// Where the reason is.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    position: Option<Position>,
    advice: Option<&'a str>,
    found: Option<&'static str>,
    witness: Option<Run<'a>>,
    statistics: Figures,
}

#[derive(Serialize)]
pub(super) struct Figures {
    states: u64,
    transitions: u64,
    depth: u64,
    bytes: usize,
    seconds: f64,
}

impl Figures {
    pub(super) fn of(statistics: &Statistics) -> Self {
        Self {
            states: statistics.states,
            transitions: statistics.transitions,
            depth: statistics.depth,
            bytes: statistics.peak_bytes,
            seconds: statistics.elapsed.as_secs_f64(),
        }
    }
}

/// An answer about one input.
pub fn reach(
    file: &str,
    program: &Program,
    sources: &Sources,
    answer: &Answer,
    notes: &[Note],
) -> String {
    let machine = match &answer.outcome {
        Outcome::Violated(execution) => Machine::new(program, execution.computation.model).ok(),
        Outcome::Holds(_) | Outcome::Undecided { .. } => None,
    };
    let mut document = Document {
        schema: "fencewright.reach/1",
        file,
        model: model_name(answer.model),
        engine: answer.engine,
        verdict: "holds",
        reason: None,
        position: None,
        advice: None,
        found: None,
        witness: None,
        statistics: Figures::of(&answer.statistics),
    };
    match &answer.outcome {
        Outcome::Holds(_) => document.reason = answer.reason_to_hold(),
        Outcome::Violated(execution) => {
            document.verdict = "violated";
            document.found = Some(found(&execution.ending));
            let run = |machine| Run::of(program, sources, execution, machine);
            document.witness = machine.as_ref().map(run);
        }
        Outcome::Undecided { reason, at, advice } => {
            document.verdict = "undecided";
            document.reason = Some(reason);
            document.position = at.source.map(|source| Position::of(sources, source, at.start));
            document.advice = advice.as_deref();
        }
    }
    noted(&document, notes, sources)
}
