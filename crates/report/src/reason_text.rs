//! Why there is no answer at all, for people: on one line, with what to do.

use analysis::Reason;

use crate::terminal::line;
use crate::undecided::explained;

/// Why there is no answer about one input.
pub fn render(file: &str, reason: &Reason) -> String {
    let why = explained(reason);
    let advice = why.advice.map_or_else(String::new, |advice| format!(", {advice}"));
    format!("{}: undecided: {}{advice}\n", line(file), why.reason)
}
