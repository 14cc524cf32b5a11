//! What `fence` has to say about one input, and what every format says of a change.

use std::fmt::Write;

use analysis::{Evidence, Statistics, Whole};
use program::{Program, Sources, Span};
use repair::esop13::Queries;
use repair::{Decision, Explanation, Kind, Row};

use crate::check::{Delay, headline, machine};

/// An answer, ready to be told.
pub struct Answer {
    /// What was to be enforced.
    pub criterion: &'static str,
    /// How the fences were chosen.
    pub algorithm: &'static str,
    /// Whether it was asked which fences of the program are needed.
    pub is_minimising: bool,
    /// Everything that could be decided.
    pub decisions: Vec<Decision>,
    /// What each of these decisions costs.
    pub costs: Vec<u64>,
    /// What came out.
    pub outcome: Outcome,
    /// Why the repair is as it is.
    pub explanation: Explanation,
    /// How often a cheapest set was computed.
    pub rounds: usize,
    /// How many searches there were.
    pub searches: usize,
    /// What they did.
    pub statistics: Statistics,
    /// The queries of ESOP'13, if its algorithm was used.
    pub queries: Option<Queries>,
}

/// What came out.
pub enum Outcome {
    /// Changes that repair the program; none if there is nothing to repair.
    Repaired {
        /// Sets of decisions: the one that was made, then others that cost as much.
        sets: Vec<Vec<usize>>,
        /// Whether nothing cheaper works.
        is_optimal: bool,
        /// That the repaired program is all of what was written.
        whole: Whole,
    },
    /// Nothing that could be decided repairs it.
    Unrepairable {
        /// Why.
        reason: String,
        /// A violation that stays.
        shown_by: Option<Box<(Program, Evidence)>>,
        /// What to do about it.
        advice: Option<String>,
    },
    /// That is not known.
    Undecided {
        /// Why.
        reason: String,
        /// What in the program is the reason, if something is.
        at: Span,
        /// What to do about it.
        advice: Option<String>,
        /// Whatever works costs at least as much.
        at_least: u64,
    },
}

impl Answer {
    /// The decisions that were made: for `--minimise-existing` what stays.
    pub fn made(&self) -> &[usize] {
        match &self.outcome {
            Outcome::Repaired { sets, .. } => sets.first().map_or(&[], Vec::as_slice),
            Outcome::Unrepairable { .. } | Outcome::Undecided { .. } => &[],
        }
    }

    /// The decisions that were not made: for `--minimise-existing` what can go.
    pub fn not_made(&self) -> Vec<usize> {
        (0..self.decisions.len()).filter(|at| !self.made().contains(at)).collect()
    }

    /// What some decisions cost.
    pub fn cost(&self, chosen: &[usize]) -> u64 {
        chosen.iter().map(|at| self.costs[*at]).sum()
    }

    /// The verdict in one word.
    pub fn verdict(&self) -> &'static str {
        match &self.outcome {
            Outcome::Repaired { .. } => {
                let changes =
                    if self.is_minimising { self.not_made().len() } else { self.made().len() };
                if changes == 0 { "holds" } else { "repaired" }
            }
            Outcome::Unrepairable { .. } => "unrepairable",
            Outcome::Undecided { .. } => "undecided",
        }
    }
}

/// On which side of an instruction a change is.
pub(crate) const fn side(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::FenceBefore => Some("before"),
        Kind::FenceAfter => Some("after"),
        Kind::LockedStore | Kind::OldFence | Kind::OldLockedStore | Kind::OldExchange => None,
    }
}

/// What kind of fence it is.
pub(crate) const fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::FenceBefore | Kind::FenceAfter | Kind::OldFence => "full",
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
        Evidence::Race(_) | Evidence::Elsewhere(_) => return headline(program, evidence),
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
