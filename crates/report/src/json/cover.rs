//! Schema `fencewright.cover/1`: whether a net can cover a target.

use std::collections::BTreeMap;

use coverability::{Answer, Marking, Net, Run};
use schemars::JsonSchema;
use serde::Serialize;
use workspace::CoverAnswer;

use super::{Head, line};

#[derive(Serialize, JsonSchema)]
pub(super) struct Document<'a> {
    #[serde(flatten)]
    head: Head,
    file: &'a str,
    /// Whether no target can be covered (`holds`), or one can (`violated`).
    #[schemars(extend("enum" = ["holds", "violated", "undecided"]))]
    verdict: &'static str,
    /// The limit that ended the search.
    reason: Option<String>,
    /// A run that covers a target.
    witness: Option<Witness<'a>>,
    statistics: Figures,
}

#[derive(Serialize, JsonSchema)]
struct Witness<'a> {
    initial: Tokens<'a>,
    steps: Vec<Step<'a>>,
    target: Tokens<'a>,
}

#[derive(Serialize, JsonSchema)]
struct Step<'a> {
    transition: usize,
    take: Tokens<'a>,
    put: Tokens<'a>,
}

type Tokens<'a> = BTreeMap<&'a str, u32>;

#[derive(Serialize, JsonSchema)]
struct Figures {
    places: usize,
    transitions: usize,
    tested: u64,
    minimal: usize,
    markings: u64,
    seconds: f64,
}

/// An answer about one input.
pub fn cover(file: &str, answer: &CoverAnswer) -> String {
    let CoverAnswer { net, answer: found, statistics, elapsed } = answer;
    let (verdict, reason, witness) = match found {
        Answer::NotCoverable => ("holds", None, None),
        Answer::Coverable(run) => ("violated", None, Some(told(net, run))),
        Answer::Stopped(limit) => ("undecided", Some(limit.to_string()), None),
    };
    line(&Document {
        head: Head::of("fencewright.cover/1"),
        file,
        verdict,
        reason,
        witness,
        statistics: Figures {
            places: net.places.len(),
            transitions: net.transitions.len(),
            tested: statistics.tested,
            minimal: statistics.minimal,
            markings: statistics.markings,
            seconds: elapsed.as_secs_f64(),
        },
    })
}

fn told<'a>(net: &'a Net, run: &'a Run) -> Witness<'a> {
    let step = |transition: &usize| Step {
        transition: *transition,
        take: tokens(net, &net.transitions[*transition].take),
        put: tokens(net, &net.transitions[*transition].put),
    };
    Witness {
        initial: tokens(net, &run.initial),
        steps: run.transitions.iter().map(step).collect(),
        target: tokens(net, &net.targets[run.target]),
    }
}

fn tokens<'a>(net: &'a Net, marking: &Marking) -> Tokens<'a> {
    let tokens = marking.tokens().iter();
    tokens.map(|(place, count)| (net.places[*place as usize].as_str(), *count)).collect()
}
