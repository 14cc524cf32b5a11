//! Schemas `fencewright.fence/1` and `fencewright.fence-list/1`: what repairs a program, and what could.

use program::{SourceId, Sources};
use repair::Decision;
use schemars::JsonSchema;
use semantics::Model;
use serde::Serialize;

use workspace::fence::FenceVerdict;
use workspace::{FenceAnswer, FenceOutcome};

use super::known::KnownBy;
use super::reach::Figures;
use super::run::model_name;
use super::{Head, Region, line, noted};
use crate::edits::{Edit, edits};
use crate::fence::{excerpt, kind, no_repair, side, told, told_row, word};
use crate::undecided::explained;

#[derive(Serialize, JsonSchema)]
pub(super) struct Document<'a> {
    #[serde(flatten)]
    head: Head,
    /// The input.
    file: &'a str,
    /// What is enforced.
    #[schemars(extend("enum" = ["robustness", "persistence", "trf", "states", "safety"]))]
    criterion: &'static str,
    /// The memory model that it is to hold under.
    #[schemars(extend("enum" = ["sc", "tso"]))]
    model: &'static str,
    /// How the repair was found.
    #[schemars(extend("enum" = ["optimal", "esop13", "esop15"]))]
    algorithm: &'static str,
    #[schemars(extend("enum" = ["holds", "repaired", "unrepairable", "undecided"]))]
    verdict: &'static str,
    /// Why it is not repaired.
    reason: Option<String>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    position: Option<Region>,
    /// What to do.
    advice: Option<String>,
    /// The reason in a word, where it is undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'static str>,
    /// How it is known that the criterion holds then.
    #[serde(skip_serializing_if = "Option::is_none")]
    known_by: Option<KnownBy>,
    /// What the fences cost together; null if it is not repaired.
    cost: Option<u64>,
    /// Every repair costs at least that much.
    at_least: u64,
    /// Whether it is proved that nothing cheaper works.
    optimal: bool,
    /// The fences to insert; with `--minimise-existing` those that must stay.
    fences: Vec<Fence<'a>>,
    /// With `--minimise-existing`: the fences that can go.
    #[serde(skip_serializing_if = "Option::is_none")]
    removable: Option<Vec<Fence<'a>>>,
    /// With `--all`: other sets that cost as much.
    alternatives: Vec<Vec<Fence<'a>>>,
    /// Violations which show that nothing cheaper works.
    needed: Vec<Needed<'a>>,
    /// The file that `--write` wrote, or its folder.
    written: Option<&'a str>,
    /// What changes in the texts, if they can be changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    edits: Option<Vec<FileEdit<'a>>>,
    rounds: usize,
    searches: usize,
    /// For `esop13`: the numbers of its queries.
    #[serde(skip_serializing_if = "Option::is_none")]
    queries: Option<Queries>,
    statistics: Figures,
}

/// Some bytes of a file are replaced by a text. Offsets are those of the unchanged file.
#[derive(Serialize, JsonSchema)]
pub(super) struct FileEdit<'a> {
    file: &'a str,
    /// In bytes.
    offset: usize,
    /// In bytes.
    length: usize,
    /// What comes there.
    text: String,
}

/// The changes of some texts.
pub(super) fn file_edits<'a>(
    sources: &'a Sources,
    texts: &[(SourceId, String)],
) -> Vec<FileEdit<'a>> {
    let of_file = |(source, new): &(SourceId, String)| {
        let file = sources.name(*source);
        let all = edits(sources.text(*source), new);
        all.into_iter().map(move |Edit { offset, length, text }| FileEdit {
            file,
            offset,
            length,
            text,
        })
    };
    texts.iter().flat_map(of_file).collect()
}

#[derive(Serialize, JsonSchema)]
struct Fence<'a> {
    /// The file of the instruction that it stands at.
    file: Option<&'a str>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    position: Option<Region>,
    /// On which side of that instruction; null for a change of the instruction itself.
    #[schemars(extend("enum" = ["before", "after", null]))]
    side: Option<&'static str>,
    /// The thread, or with `--per-instance` the copy.
    thread: &'a str,
    kind: &'static str,
    /// How many threads have it.
    instances: u32,
    cost: u64,
    /// The first line of the instruction.
    text: String,
    /// What can happen without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

/// A violation that needs a change at one of some places.
#[derive(Serialize, JsonSchema)]
struct Needed<'a> {
    /// The violation, in a sentence.
    why: String,
    /// The places of which one needs a change.
    one_of: Vec<Fence<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct Queries {
    all: usize,
    refuted_by_control_flow: usize,
    refuted_by_search: usize,
    feasible: usize,
}

/// An answer about one input. `written` is the file that the repaired program went to, or the folder.
pub fn fence(file: &str, sources: &Sources, answer: &FenceAnswer, written: Option<&str>) -> String {
    let (mut reason, mut position, mut advice) = (None, None, None);
    let (mut cause, mut known_by) = (None, None);
    let (mut cost, mut least, mut optimal) = (None, 0, false);
    let mut alternatives = Vec::new();
    match &answer.outcome {
        FenceOutcome::Repaired { sets, is_optimal, proof } => {
            known_by = Some(KnownBy::of(proof.basis()));
            cost = Some(answer.cost(answer.made()));
            least = if *is_optimal { answer.cost(answer.made()) } else { 0 };
            optimal = *is_optimal;
            let others = sets.iter().skip(1);
            alternatives = others.map(|set| fences(sources, answer, set, false)).collect();
        }
        FenceOutcome::Unrepairable { why, .. } => {
            let (why, what) = no_repair(*why);
            reason = Some(why);
            advice = what.map(str::to_owned);
        }
        FenceOutcome::Undecided { reason: why, at_least } => {
            let why = explained(why);
            let at = why.at;
            reason = Some(why.reason);
            position = Region::of(sources, at);
            advice = why.advice;
            cause = Some(why.cause);
            least = *at_least;
        }
    }
    let needed = answer.explanation.needed.iter().map(|row| {
        let one_of: Vec<usize> = row.decisions.iter().copied().collect();
        Needed { why: told_row(sources, row), one_of: fences(sources, answer, &one_of, false) }
    });
    let document = Document {
        head: Head::of("fencewright.fence/1"),
        file,
        criterion: answer.enforced.name(),
        model: model_name(Model::Tso),
        algorithm: answer.algorithm.name(),
        verdict: word(answer.verdict()),
        reason,
        position,
        advice,
        cause,
        known_by,
        cost,
        at_least: least,
        optimal,
        fences: fences(sources, answer, answer.made(), true),
        removable: (answer.is_minimising && cost.is_some())
            .then(|| fences(sources, answer, &answer.not_made(), false)),
        alternatives,
        needed: needed.collect(),
        written,
        edits: match answer.verdict() {
            FenceVerdict::Repaired | FenceVerdict::Holds => {
                answer.texts.as_deref().map(|texts| file_edits(sources, texts))
            }
            FenceVerdict::Unrepairable | FenceVerdict::Undecided => None,
        },
        rounds: answer.rounds,
        searches: answer.searches,
        queries: answer.queries.map(|queries| Queries {
            all: queries.all,
            refuted_by_control_flow: queries.refuted_by_control_flow,
            refuted_by_search: queries.refuted_by_search,
            feasible: queries.feasible,
        }),
        statistics: Figures::of(&answer.statistics),
    };
    noted(&document, &answer.premises, &answer.notes, sources)
}

/// Schema `fencewright.fence-list/1`: all places where something can be changed.
#[derive(Serialize, JsonSchema)]
pub(super) struct List<'a> {
    #[serde(flatten)]
    head: Head,
    file: &'a str,
    /// Where something can be changed.
    places: Vec<Fence<'a>>,
}

/// All places of one input where something can be changed, with their costs.
pub fn fence_list(file: &str, sources: &Sources, decisions: &[Decision], costs: &[u64]) -> String {
    let places = decisions.iter().zip(costs);
    let places = places.map(|(decision, cost)| one(sources, decision, *cost, None)).collect();
    line(&List { head: Head::of("fencewright.fence-list/1"), file, places })
}

fn fences<'a>(
    sources: &'a Sources,
    answer: &'a FenceAnswer,
    chosen: &[usize],
    with_reasons: bool,
) -> Vec<Fence<'a>> {
    let chosen = chosen.iter().enumerate();
    let fence = |(number, at): (usize, &usize)| {
        let shown = with_reasons.then(|| answer.explanation.without.get(number)).flatten();
        let why = shown
            .and_then(Option::as_ref)
            .map(|(program, evidence)| format!("without it, {}", told(program, sources, evidence)));
        one(sources, &answer.decisions[*at], answer.costs[*at], why)
    };
    chosen.map(fence).collect()
}

fn one<'a>(
    sources: &'a Sources,
    decision: &'a Decision,
    cost: u64,
    why: Option<String>,
) -> Fence<'a> {
    let source = decision.span.source;
    Fence {
        file: source.map(|source| sources.name(source)),
        position: Region::of(sources, decision.span),
        side: side(decision.kind),
        thread: &decision.thread,
        kind: kind(decision.kind),
        instances: decision.instances,
        cost,
        text: excerpt(sources, decision.span),
        why,
    }
}
