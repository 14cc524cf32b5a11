//! Violations as graphs in DOT: what happens before what.

use std::fmt::Write;

use analysis::Verdict;
use program::{Program, Sources};

use workspace::CheckAnswer;

use crate::check::{headline, meaning, shown_in, verdict};
use crate::check_text::word;
use crate::picture::of_evidence;
use crate::{check_text, picture_dot, pictures, triage};

/// A comment for each criterion, and a graph for each that is violated.
pub fn render(file: &str, program: &Program, sources: &Sources, answer: &CheckAnswer) -> String {
    let mut text = String::new();
    if let Some(triage) = &answer.triage {
        for concern in &triage.concerns {
            let (asked, word) = (triage::asked(concern.matter), triage::verdict_word(concern));
            let said = triage::why(program, concern, triage.seen);
            let title = format!("{file}: {asked} {word}: {said}");
            let _ = writeln!(text, "// {}", crate::terminal::line(&title));
        }
        let drawn = triage::drawn(triage).and_then(|(concern, evidence)| {
            let name = triage::asked(concern.matter);
            let title = format!("{file}: {name} violated: {}", headline(program, evidence));
            of_evidence(program, sources, evidence, title)
        });
        if let Some(picture) = drawn {
            text.push_str(&picture_dot::graph(program.name(), &[picture]));
        }
        return or_told(text, file, program, sources, answer);
    }
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
    or_told(text, file, program, sources, answer)
}

/// Comments without a graph are no document: what there is to say is one, then.
fn or_told(
    text: String,
    file: &str,
    program: &Program,
    sources: &Sources,
    answer: &CheckAnswer,
) -> String {
    if text.lines().any(|line| !line.starts_with("//")) {
        return text;
    }
    let said = check_text::render(file, program, sources, answer, false);
    text + &pictures::told_dot(file, &said)
}
