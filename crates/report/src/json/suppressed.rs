//! What comments in the source accept of an answer, as every document says it.

use program::{Sources, Span};
use schemars::JsonSchema;
use serde::Serialize;
use workspace::{Accepted, Others, Rule, Suppression};

use super::Region;

/// What comments in the source accept. It changes no verdict, only the exit code.
#[derive(Serialize, JsonSchema)]
pub(super) struct Suppressed {
    /// The kind of finding.
    #[schemars(extend("enum" = Rule::ALL.map(Rule::id)))]
    kind: &'static str,
    /// The comments.
    by: Vec<Comment>,
    /// What there is besides: `none` if every violation of this kind is accepted (exit code 0), `some` (1), or
    /// `not_looked_for` and `unknown` (3).
    #[schemars(extend("enum" = ["none", "some", "not_looked_for", "unknown"]))]
    others: &'static str,
    /// Those that are not accepted, each by its two accesses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remaining: Vec<[Place; 2]>,
}

#[derive(Serialize, JsonSchema)]
struct Comment {
    /// What its author says; perhaps empty.
    reason: String,
    #[serde(flatten)]
    place: Place,
}

#[derive(Serialize, JsonSchema)]
struct Place {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    position: Option<Region>,
}

impl Suppressed {
    pub(super) fn of(sources: &Sources, accepted: &Accepted) -> Self {
        let place = |span: Span| Place {
            file: span.source.map(|source| sources.name(source).to_owned()),
            position: Region::of(sources, span),
        };
        let comment =
            |one: &Suppression| Comment { reason: one.reason.clone(), place: place(one.span) };
        let (others, pairs): (_, &[[Span; 2]]) = match &accepted.others {
            Others::None(_) => ("none", &[]),
            Others::These(pairs) => ("some", pairs),
            Others::NotLookedFor => ("not_looked_for", &[]),
            Others::Unknown => ("unknown", &[]),
        };
        Self {
            kind: accepted.rule.id(),
            by: accepted.by.iter().map(comment).collect(),
            others,
            remaining: pairs.iter().map(|pair| pair.map(place)).collect(),
        }
    }
}
