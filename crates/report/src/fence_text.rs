//! Repairs for people: what is changed, why each change is needed, and why nothing cheaper works.

use std::fmt::Write;

use program::Sources;
use repair::{Decision, Kind};

use workspace::{FenceAnswer, FenceOutcome};

use crate::fence::{excerpt, line, no_repair, told, told_row, word};
use crate::search_text::{counted, doubt, figures};
use crate::table::align;
use crate::terminal;
use crate::undecided::explained;
use crate::witness_text::witness;

/// An answer about one input. `written` says where the repaired program went.
pub fn render(
    file: &str,
    sources: &Sources,
    answer: &FenceAnswer,
    written: Option<&str>,
    colour: bool,
) -> String {
    let teller = Teller { sources, answer };
    let file = terminal::line(file);
    let (criterion, word) = (answer.enforced.name(), word(answer.verdict()));
    let verdict = terminal::verdict(word);
    let any = match &answer.outcome {
        FenceOutcome::Repaired { .. } if answer.is_for_any_number => {
            ", for every number of threads"
        }
        FenceOutcome::Repaired { .. }
        | FenceOutcome::Unrepairable { .. }
        | FenceOutcome::Undecided { .. } => "",
    };
    let mut text = format!("{file}: {criterion} {verdict} under TSO{any}: {}\n", teller.summary());
    match &answer.outcome {
        FenceOutcome::Repaired { sets, .. } => {
            if answer.is_minimising {
                text.push_str(&teller.existing());
            } else {
                text.push_str(&teller.changes());
            }
            text.push_str(&teller.lower_bound());
            text.push_str(&teller.alternatives(sets));
        }
        FenceOutcome::Unrepairable { shown_by, why } => {
            if let Some((program, evidence)) = shown_by.as_deref() {
                let _ = write!(text, "\n{}\n", witness(program, sources, evidence, colour));
            }
            if let Some(advice) = no_repair(*why).1 {
                let _ = writeln!(text, "  {advice}");
            }
        }
        FenceOutcome::Undecided { reason, at_least } => {
            let why = explained(reason);
            text.push_str(&doubt(why.at, why.advice.as_deref(), sources, colour));
            if *at_least > 0 {
                let _ = writeln!(text, "  whatever works costs at least {at_least}");
            }
        }
    }
    if let Some(written) = written {
        let _ = writeln!(text, "\n  {written}");
    }
    text.push('\n');
    if let Some(queries) = &answer.queries {
        let _ = writeln!(
            text,
            "  {}: RQ {}, refuted by control flow NR1 {}, by a search NR2 {}, feasible R {}",
            answer.algorithm.name(),
            queries.all,
            queries.refuted_by_control_flow,
            queries.refuted_by_search,
            queries.feasible
        );
    } else {
        let _ = writeln!(
            text,
            "  {}: {}, {}",
            answer.algorithm.name(),
            counted(number(answer.rounds), "round"),
            count_searches(answer.searches)
        );
    }
    if answer.statistics.states > 0 {
        let _ = writeln!(text, "  {}", figures(&answer.statistics, "fencewright"));
    }
    text
}

/// What came out, in a line.
pub(crate) fn summary(sources: &Sources, answer: &FenceAnswer) -> String {
    Teller { sources, answer }.summary()
}

/// What a repair changes, why each change is needed, and why nothing cheaper works.
pub(crate) fn reasons(sources: &Sources, answer: &FenceAnswer) -> String {
    let teller = Teller { sources, answer };
    let changes = if answer.is_minimising { teller.existing() } else { teller.changes() };
    changes + &teller.lower_bound()
}

/// All places where something can be decided, with their costs.
pub fn list(file: &str, sources: &Sources, decisions: &[Decision], costs: &[u64]) -> String {
    let mut rows = vec![["line", "cost", "thread", "change"].map(str::to_owned).to_vec()];
    for (decision, cost) in decisions.iter().zip(costs) {
        rows.push(vec![
            line(sources, decision).map_or_else(String::new, |line| line.to_string()),
            cost.to_string(),
            decision.thread.clone(),
            what(sources, decision),
        ]);
    }
    format!("{}:\n{}", terminal::line(file), align(&rows, 2))
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

fn count_searches(count: usize) -> String {
    if count == 1 { "1 search".to_owned() } else { format!("{count} searches") }
}

/// What a decision does.
pub(crate) fn what(sources: &Sources, decision: &Decision) -> String {
    let text = excerpt(sources, decision.span);
    match decision.kind {
        Kind::FenceBefore => format!("fence before `{text}`"),
        Kind::FenceAfter => format!("fence after `{text}`"),
        Kind::StrongerFence => format!("`{text}` made sequentially consistent"),
        Kind::LockedStore if is_code(sources, decision) => {
            format!("`{text}` made sequentially consistent")
        }
        Kind::LockedStore => format!("exchange instead of `{text}`"),
        Kind::OldFence | Kind::OldLockedStore | Kind::OldExchange => format!("`{text}`"),
    }
}

/// Whether a change is one of C or Rust.
fn is_code(sources: &Sources, decision: &Decision) -> bool {
    decision.span.source.is_some_and(|source| sources.is_code(source))
}

struct Teller<'a> {
    sources: &'a Sources,
    answer: &'a FenceAnswer,
}

impl Teller<'_> {
    fn summary(&self) -> String {
        let answer = self.answer;
        match &answer.outcome {
            FenceOutcome::Repaired { is_optimal, .. } => {
                let made = answer.made();
                let cost = answer.cost(made);
                let sure =
                    if *is_optimal { "nothing cheaper works" } else { "perhaps not the cheapest" };
                if answer.is_minimising {
                    let all = answer.decisions.len();
                    match (all, answer.not_made().len()) {
                        (0, _) => "there is nothing to take away".to_owned(),
                        (_, 0) => format!("all {all} are needed"),
                        (_, unneeded) => format!("{unneeded} of {all} are not needed ({sure})"),
                    }
                } else if made.is_empty() {
                    "no fence is needed".to_owned()
                } else {
                    let fences = counted(number(made.len()), self.noun(made));
                    format!("{fences}, cost {cost} ({sure})")
                }
            }
            FenceOutcome::Unrepairable { why, .. } => no_repair(*why).0,
            FenceOutcome::Undecided { reason, .. } => reason.to_string(),
        }
    }

    fn noun(&self, made: &[usize]) -> &'static str {
        let is_fence = |at: &usize| match self.answer.decisions[*at].kind {
            Kind::FenceBefore | Kind::FenceAfter | Kind::OldFence => true,
            Kind::StrongerFence | Kind::LockedStore | Kind::OldLockedStore | Kind::OldExchange => {
                false
            }
        };
        if made.iter().all(is_fence) { "fence" } else { "change" }
    }

    /// Where something is.
    fn place(&self, decision: &Decision) -> String {
        let at =
            line(self.sources, decision).map_or_else(String::new, |line| format!("line {line}, "));
        let copies = match decision.instances {
            1 => String::new(),
            several => format!(", {several} instances"),
        };
        // What is changed in several copies belongs to all of them.
        let thread = match decision.thread.split_once('[') {
            Some((name, _)) if decision.instances > 1 && is_code(self.sources, decision) => name,
            Some(_) | None => decision.thread.as_str(),
        };
        format!("{at}{thread}{copies}")
    }

    fn changes(&self) -> String {
        let mut text = String::new();
        for (number, at) in self.answer.made().iter().enumerate() {
            let decision = &self.answer.decisions[*at];
            let _ = write!(text, "\n  {} ({}", what(self.sources, decision), self.place(decision));
            if self.answer.costs[*at] != 1 {
                let _ = write!(text, ", cost {}", self.answer.costs[*at]);
            }
            text.push_str(")\n");
            if let Some(Some((program, evidence))) = self.answer.explanation.without.get(number) {
                let _ = writeln!(text, "    without it: {}", told(program, self.sources, evidence));
            }
        }
        text
    }

    /// What can stand in the place of something that is not needed.
    fn instead(&self, decision: &Decision) -> &'static str {
        let is_code = is_code(self.sources, decision);
        match decision.kind {
            Kind::OldLockedStore if is_code => ": a release store does",
            Kind::OldExchange if is_code => ": a release store does, since its result is not used",
            Kind::OldLockedStore | Kind::OldExchange => ": an ordinary store does",
            Kind::FenceBefore
            | Kind::FenceAfter
            | Kind::StrongerFence
            | Kind::LockedStore
            | Kind::OldFence => "",
        }
    }

    /// What is there already: what can go, and what must stay.
    fn existing(&self) -> String {
        let mut text = String::new();
        for (number, decision) in self.answer.decisions.iter().enumerate() {
            let place = self.place(decision);
            let kept = self.answer.made().iter().position(|at| *at == number);
            let verb = if kept.is_some() { "needed:    " } else { "not needed:" };
            let _ = write!(text, "\n  {verb} {} ({place})", what(self.sources, decision));
            if kept.is_none() {
                text.push_str(self.instead(decision));
            }
            text.push('\n');
            let why = kept.and_then(|at| self.answer.explanation.without.get(at));
            if let Some(Some((program, evidence))) = why {
                let _ = writeln!(text, "    without it: {}", told(program, self.sources, evidence));
            }
        }
        text
    }

    fn lower_bound(&self) -> String {
        let needed = &self.answer.explanation.needed;
        if needed.is_empty() {
            return String::new();
        }
        let what_kind =
            if self.answer.is_minimising { "of the changes listed" } else { "of the lines listed" };
        let mut text = format!(
            "\nProof of optimality: each violation below can only be prevented at one {what_kind}:\n"
        );
        for row in needed {
            let _ = writeln!(text, "  {}", told_row(self.sources, row));
            let mut places: Vec<String> = Vec::new();
            for at in &row.decisions {
                let decision = &self.answer.decisions[*at];
                let place = line(self.sources, decision)
                    .map_or_else(|| decision.thread.clone(), |line| format!("line {line}"));
                if !places.contains(&place) {
                    places.push(place);
                }
            }
            let _ = writeln!(text, "    {}", places.join(", "));
        }
        text
    }

    fn alternatives(&self, sets: &[Vec<usize>]) -> String {
        if sets.len() < 2 {
            return String::new();
        }
        let mut text = format!("\nAll {} sets that cost as much:\n", sets.len());
        for (number, set) in sets.iter().enumerate() {
            let _ = writeln!(text, "  {}.", number + 1);
            for at in set {
                let decision = &self.answer.decisions[*at];
                let _ = writeln!(
                    text,
                    "    {} ({})",
                    what(self.sources, decision),
                    self.place(decision)
                );
            }
        }
        text
    }
}
