//! Repairs for several criteria side by side: what each costs, for people.

use std::fmt::Write;

use program::Sources;
use workspace::{FenceAnswer, FenceOutcome};

use crate::fence::{line, no_repair, word};
use crate::fence_text::what;
use crate::table::align;
use crate::terminal;
use crate::undecided::explained;

/// The answers about one input, one criterion after the other.
pub fn render(file: &str, sources: &Sources, answers: &[FenceAnswer]) -> String {
    let mut rows = vec![["criterion", "fences", "cost", "verdict"].map(str::to_owned).to_vec()];
    let mut places = String::new();
    for answer in answers {
        let (fences, cost) = match &answer.outcome {
            FenceOutcome::Repaired { .. } => {
                (answer.made().len().to_string(), answer.cost(answer.made()).to_string())
            }
            FenceOutcome::Unrepairable { .. } => ("none".to_owned(), String::new()),
            FenceOutcome::Undecided { at_least, .. } if *at_least > 0 => {
                ("?".to_owned(), format!("≥ {at_least}"))
            }
            FenceOutcome::Undecided { .. } => ("?".to_owned(), String::new()),
        };
        let criterion = answer.enforced.name().to_owned();
        rows.push(vec![criterion, fences, cost, word(answer.verdict()).to_owned()]);
        let _ = write!(places, "{}", told(sources, answer));
    }
    let file = terminal::line(file);
    format!("{file}: what each criterion costs under TSO\n\n{}\n{places}", align(&rows, 2))
}

/// The places of one criterion, or why there are none.
fn told(sources: &Sources, answer: &FenceAnswer) -> String {
    let name = answer.enforced.name();
    match &answer.outcome {
        FenceOutcome::Repaired { .. } => {
            let place = |at: &usize| {
                let decision = &answer.decisions[*at];
                let line = line(sources, decision);
                let line = line.map_or_else(String::new, |line| format!("line {line}: "));
                format!("  {name}: {line}{}\n", what(sources, decision))
            };
            answer.made().iter().map(place).collect()
        }
        FenceOutcome::Unrepairable { why, .. } => format!("  {name}: {}\n", no_repair(*why).0),
        FenceOutcome::Undecided { reason, .. } => {
            format!("  {name}: {}\n", terminal::line(&explained(reason).reason))
        }
    }
}
