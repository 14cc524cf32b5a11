//! What comments in the source accept, in the words of every format.

use std::fmt::Write;

use program::{Sources, Span};
use workspace::{Accepted, Others, Rule, Suppression};

use crate::findings::{Finding, Level, undecided};
use crate::search_text::counted;
use crate::terminal::line;

/// What stands behind a verdict of which this is accepted.
pub(crate) const fn mark(accepted: Option<&Accepted>) -> &'static str {
    match accepted {
        Some(Accepted { others: Others::None(_), .. }) => " (suppressed)",
        Some(Accepted { others: Others::NotLookedFor | Others::Unknown, .. }) => {
            " (the one shown is suppressed)"
        }
        Some(Accepted { others: Others::These(_), .. }) | None => "",
    }
}

/// Which comments accept it, and what else there is; for people, indented.
pub(crate) fn lines(sources: &Sources, accepted: Option<&Accepted>) -> String {
    let Some(accepted) = accepted else { return String::new() };
    let mut text = String::new();
    for comment in &accepted.by {
        let _ = writeln!(text, "  {}", line(&by(sources, accepted.rule, comment)));
    }
    let _ = writeln!(text, "  {}", rest(accepted));
    if let Others::These(pairs) = &accepted.others {
        for [one, other] in pairs {
            let _ = writeln!(text, "    {}, with {}", place(sources, *one), place(sources, *other));
        }
    }
    text
}

/// The same in one line.
pub(crate) fn in_a_line(sources: &Sources, accepted: &Accepted) -> String {
    let by = accepted.by.iter().map(|comment| by(sources, accepted.rule, comment));
    by.chain([rest(accepted)]).collect::<Vec<_>>().join("; ")
}

/// A comment, and what it says.
fn by(sources: &Sources, rule: Rule, comment: &Suppression) -> String {
    let reason = match comment.reason.as_str() {
        "" => String::new(),
        reason => format!(": {reason}"),
    };
    format!("suppressed by `allow({})` at {}{reason}", rule.id(), place(sources, comment.span))
}

/// What there is besides what is accepted.
fn rest(accepted: &Accepted) -> String {
    match &accepted.others {
        Others::None(1) => "there is no other violation of this kind".to_owned(),
        Others::None(count) => format!("all {count} violations of this kind are suppressed"),
        Others::These(pairs) => {
            let count = counted(u64::try_from(pairs.len()).unwrap_or(u64::MAX), "violation");
            format!("{count} {} not suppressed", if pairs.len() == 1 { "is" } else { "are" })
        }
        Others::NotLookedFor => {
            "the search ended there: whether there are others is not known (undecided)".to_owned()
        }
        Others::Unknown => {
            "not all could be listed: whether there are others is not known (undecided)".to_owned()
        }
    }
}

/// Findings about what is not accepted.
pub(crate) fn others(sources: &Sources, accepted: &Accepted) -> Vec<Finding> {
    match &accepted.others {
        Others::None(_) => Vec::new(),
        Others::NotLookedFor | Others::Unknown => {
            let at = accepted.by.first().map_or(Span::NONE, |comment| comment.span);
            vec![undecided(format!("{}: {}", accepted.rule.id(), rest(accepted)), at)]
        }
        Others::These(pairs) => {
            let finding = |[one, other]: &[Span; 2]| Finding {
                rule: accepted.rule,
                level: Level::Error,
                related: vec![(*other, "the other access".to_owned())],
                ..undecided(
                    format!("{}, with {}", said(accepted.rule), place(sources, *other)),
                    *one,
                )
            };
            pairs.iter().map(finding).collect()
        }
    }
}

/// What is wrong with a pair of accesses of which one is here: pairs are listed of races and of attacks.
fn said(rule: Rule) -> &'static str {
    if rule == Rule::PlainRace { "data race" } else { "a load can overtake this store" }
}

fn place(sources: &Sources, span: Span) -> String {
    span.source.map_or_else(
        || "a place without a source".to_owned(),
        |source| {
            let (line, _) = sources.line_column(source, span.start);
            format!("{}:{line}", sources.name(source))
        },
    )
}
