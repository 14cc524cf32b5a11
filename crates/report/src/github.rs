//! Findings as workflow commands, which GitHub shows at the lines of a change.

use std::fmt::Write;

use program::{Diagnostic, Program, Sources, Span};
use workspace::{CheckAnswer, CyclesAnswer, FenceAnswer, ReachAnswer};

use crate::cycles_findings::of_cycles;
use crate::findings::{self, Finding, Level, of_check, of_errors, of_fence, of_reach};

/// What `check` found.
pub fn check(file: &str, program: &Program, sources: &Sources, answer: &CheckAnswer) -> String {
    commands(file, sources, &of_check(program, sources, answer))
}

/// What `reach` found.
pub fn reach(file: &str, program: &Program, sources: &Sources, answer: &ReachAnswer) -> String {
    commands(file, sources, &of_reach(program, sources, answer))
}

/// What `fence` found.
pub fn fence(file: &str, sources: &Sources, answer: &FenceAnswer) -> String {
    commands(file, sources, &of_fence(sources, answer))
}

/// What the static method found.
pub fn cycles(file: &str, sources: &Sources, answer: &CyclesAnswer) -> String {
    commands(file, sources, &of_cycles(sources, answer))
}

/// What is wrong with an input.
pub fn errors(file: &str, errors: &[Diagnostic], sources: &Sources) -> String {
    commands(file, sources, &of_errors(errors))
}

/// That a question could not be answered.
pub fn undecided(file: &str, why: &str) -> String {
    commands(file, &Sources::new(), &[findings::undecided(why.to_owned(), Span::NONE)])
}

fn commands(file: &str, sources: &Sources, findings: &[Finding]) -> String {
    let mut text = String::new();
    for finding in findings {
        let level = match finding.level {
            // The comments in the source are nothing to act on.
            _ if !finding.accepted_by.is_empty() => "notice",
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "notice",
        };
        let suppressed = if finding.accepted_by.is_empty() { "" } else { " (suppressed)" };
        let title = property(&format!("fencewright {}{suppressed}", finding.rule.id()));
        let place = match finding.at.source {
            Some(source) => {
                let (line, column) = sources.line_column(source, finding.at.start);
                format!("file={},line={line},col={column}", property(sources.name(source)))
            }
            None => format!("file={}", property(file)),
        };
        let mut message = finding.message.clone();
        for comment in finding.accepted_by.iter().filter(|comment| !comment.reason.is_empty()) {
            let _ = write!(message, "\nsuppressed: {}", comment.reason);
        }
        for (span, said) in &finding.related {
            if let Some(source) = span.source {
                let (line, _) = sources.line_column(source, span.start);
                let _ = write!(message, "\n{}:{line}: {said}", sources.name(source));
            }
        }
        let _ = writeln!(text, "::{level} {place},title={title}::{}", data(&message));
    }
    text
}

/// A message, in which lines and percent signs are written otherwise.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property, which a comma or a colon would end.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{data, property};

    #[test]
    fn nothing_ends_a_command_early() {
        assert_eq!(data("100%\n::error::"), "100%25%0A::error::");
        assert_eq!(property("a,b:c%\r\n"), "a%2Cb%3Ac%25%0D%0A");
    }
}
