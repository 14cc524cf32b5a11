//! Violations as graphs in DOT: what happens before what.

use std::fmt::Write;

use analysis::Verdict;
use program::{Program, Sources};

use workspace::CheckAnswer;

use crate::check::{headline, meaning, shown_in, verdict};
use crate::check_text::word;
use crate::picture::of_evidence;
use crate::picture_dot;

/// A comment for each criterion, and a graph for each that is violated.
pub fn render(file: &str, program: &Program, sources: &Sources, answer: &CheckAnswer) -> String {
    let mut text = String::new();
    for finding in &answer.results {
        let (criterion, word) = (finding.criterion, word(&finding.verdict));
        let said = match &finding.verdict {
            Verdict::Holds(_) => meaning(criterion).to_owned(),
            Verdict::Violated(evidence) => headline(shown_in(program, finding), evidence),
            Verdict::Undecided(reason) => reason.to_string(),
        };
        let title = format!("{file}: {}", verdict(criterion, word, &said));
        let _ = writeln!(text, "// {}", crate::terminal::line(&title));
        if let Verdict::Violated(evidence) = &finding.verdict
            && let Some(picture) = of_evidence(shown_in(program, finding), sources, evidence, title)
        {
            text.push_str(&picture_dot::graph(program.name(), &[picture]));
        }
    }
    text
}
