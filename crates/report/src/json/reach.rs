//! Schema `fencewright.reach/1`: whether something can be reached.

use analysis::{Statistics, Verdict};
use program::{Program, Sources};
use schemars::JsonSchema;
use semantics::Machine;
use serde::Serialize;

use workspace::ReachAnswer;

use super::instance::Instance;
use super::known::KnownBy;
use super::run::{Run, model_name};
use super::suppressed::Suppressed;
use super::{Head, Region, noted};
use crate::reach_text::{found_in_a_word, reason_to_hold};
use crate::undecided::explained;

#[derive(Serialize, JsonSchema)]
pub(super) struct Document<'a> {
    #[serde(flatten)]
    head: Head,
    /// The input.
    file: &'a str,
    /// The memory model.
    #[schemars(extend("enum" = ["sc", "tso"]))]
    model: &'static str,
    /// Who searched.
    engine: &'a str,
    /// Whether nothing can be reached (`holds`), or something can (`violated`).
    #[schemars(extend("enum" = ["holds", "violated", "undecided"]))]
    verdict: &'static str,
    /// Why it holds or is undecided, in a sentence.
    reason: Option<String>,
    /// Where the reason is.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    position: Option<Region>,
    /// What to do about an undecided answer.
    advice: Option<String>,
    /// The reason in a word, where it is undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'static str>,
    /// How it is known that nothing can be reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    known_by: Option<KnownBy>,
    /// What can be reached, in a word.
    found: Option<&'static str>,
    /// The instance that the run is of, if there can be any number of threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    instance: Option<Instance<'a>>,
    /// What comments in the source accept of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressed: Option<Suppressed>,
    /// A run that gets there.
    witness: Option<Run<'a>>,
    /// What was explored.
    statistics: Figures,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Figures {
    states: u64,
    transitions: u64,
    depth: u64,
    /// The memory for states at its peak.
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
pub fn reach(file: &str, program: &Program, sources: &Sources, answer: &ReachAnswer) -> String {
    let program = answer.instance.as_ref().map_or(program, |instance| &instance.program);
    let machine = match &answer.verdict {
        Verdict::Violated(execution) => Machine::new(program, execution.computation.model).ok(),
        Verdict::Holds(_) | Verdict::Undecided(_) => None,
    };
    let mut document = Document {
        head: Head::of("fencewright.reach/1"),
        file,
        model: model_name(answer.model),
        engine: answer.engine.name(),
        verdict: "holds",
        reason: None,
        position: None,
        advice: None,
        cause: None,
        known_by: KnownBy::of_verdict(&answer.verdict),
        found: None,
        instance: answer.instance.as_deref().map(Instance::of),
        suppressed: answer.accepted.as_ref().map(|one| Suppressed::of(sources, one)),
        witness: None,
        statistics: Figures::of(&answer.statistics),
    };
    match &answer.verdict {
        Verdict::Holds(proof) => document.reason = reason_to_hold(proof).map(str::to_owned),
        Verdict::Violated(execution) => {
            document.verdict = "violated";
            document.found = Some(found_in_a_word(&execution.ending));
            let run = |machine| Run::of(program, sources, execution, machine);
            document.witness = machine.as_ref().map(run);
        }
        Verdict::Undecided(reason) => {
            let why = explained(reason);
            let at = why.at;
            document.verdict = "undecided";
            document.reason = Some(why.reason);
            document.position = Region::of(sources, at);
            document.advice = why.advice;
            document.cause = Some(why.cause);
        }
    }
    noted(&document, &answer.premises, &answer.notes, sources)
}
