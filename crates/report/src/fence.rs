//! What every format says of a repair and of a change.

use std::fmt::Write;

use analysis::Evidence;
use program::{Program, Sources, Span};
use repair::{Decision, Kind, Row};
use workspace::fence::{FenceVerdict, NoRepair};

use crate::check::{Delay, headline, machine};

/// A verdict in one word.
pub(crate) const fn word(verdict: FenceVerdict) -> &'static str {
    match verdict {
        FenceVerdict::Holds => "holds",
        FenceVerdict::Repaired => "repaired",
        FenceVerdict::Unrepairable => "unrepairable",
        FenceVerdict::Undecided => "undecided",
    }
}

/// Why nothing repairs a program, and what to do about it.
pub(crate) fn no_repair(why: NoRepair) -> (String, Option<&'static str>) {
    match why {
        NoRepair::UnderSc => {
            ("it goes wrong under SC already, where fences change nothing".to_owned(), None)
        }
        NoRepair::WithAllThatAreThere(all) => {
            let reason = match all {
                0 => "the program has no fences to remove; it needs at least one more".to_owned(),
                1 => "it is violated even with the one existing fence".to_owned(),
                all => format!("it is violated even with all {all} existing fences"),
            };
            (reason, Some("without `--minimise-existing` it is repaired"))
        }
        NoRepair::NoPlace => {
            ("a violation passes no place where a fence can stand".to_owned(), None)
        }
    }
}

/// On which side of an instruction a change is.
pub(crate) const fn side(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::FenceBefore => Some("before"),
        Kind::FenceAfter => Some("after"),
        Kind::StrongerFence
        | Kind::LockedStore
        | Kind::OldFence
        | Kind::OldLockedStore
        | Kind::OldExchange => None,
    }
}

/// What kind of fence it is.
pub(crate) const fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::FenceBefore | Kind::FenceAfter | Kind::OldFence => "full",
        Kind::StrongerFence => "strengthened",
        Kind::LockedStore | Kind::OldLockedStore => "locked",
        Kind::OldExchange => "exchange",
    }
}

/// The line of a change, or nothing without a text.
pub(crate) fn line(sources: &Sources, decision: &Decision) -> Option<usize> {
    let source = decision.span.source?;
    Some(sources.line_column(source, decision.span.start).0)
}

/// The text that a change stands at, on one line.
pub(crate) fn excerpt(sources: &Sources, span: Span) -> String {
    let text = sources.excerpt(span).unwrap_or_default();
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default().trim();
    let is_long = first.chars().count() > WIDEST;
    let shown: String = first.chars().take(WIDEST).collect();
    if is_long || lines.next().is_some() { format!("{shown} …") } else { shown }
}

/// The longest piece of text that is shown in the middle of something else.
const WIDEST: usize = 72;

/// A violation in one sentence, with lines.
pub(crate) fn told(program: &Program, sources: &Sources, evidence: &Evidence) -> String {
    let machine = machine(program, evidence.execution());
    let delay = match evidence {
        Evidence::Cycle(witness) => Delay::of_cycle(&machine, witness),
        Evidence::Overtaking(overtaking) => Delay::of_overtaking(&machine, overtaking),
        Evidence::Race(_) | Evidence::TsoOnly(_) => return headline(program, evidence),
    };
    let at = |span: Span| match span.source {
        Some(source) => format!(" (line {})", sources.line_column(source, span.start).0),
        None => String::new(),
    };
    let Delay { store, load, write } = delay;
    let mut text = format!(
        "{}'s load of {}{} overtakes its store to {}{}",
        load.thread,
        load.cell,
        at(load.span),
        store.cell,
        at(store.span)
    );
    if let Some(write) = write {
        let part = write.part;
        let between = at(part.span);
        let _ = write!(text, ", and {} writes {}{between} between", part.thread, part.cell);
    }
    text
}

/// A violation that needs one of some decisions, in one sentence.
pub(crate) fn told_row(sources: &Sources, row: &Row) -> String {
    match &row.shown_by {
        Some((program, evidence)) => told(program, sources, evidence),
        None => "a violation of an abstract program".to_owned(),
    }
}
