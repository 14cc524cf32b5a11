//! Findings, errors and repairs for editors: places in lines and columns from zero, columns in UTF-16 as the language
//! server protocol counts them.

use program::{Diagnostic, Program, SourceId, Sources, Span};
use workspace::{CheckAnswer, FenceAnswer, Rule};

use crate::edits::edits as changes;
use crate::fence_text;
use crate::findings::{Level, of_check, with_help};

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Violated, or not a program.
    Error,
    /// Not known.
    Warning,
    /// Nothing is wrong with the text, or nothing that a result shows.
    Information,
}

/// A piece of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: String,
    /// Line and column of its first character.
    pub start: (u32, u32),
    /// Line and column after its last one.
    pub end: (u32, u32),
}

/// Something to be shown at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// How bad it is.
    pub severity: Severity,
    /// Its kind, in a word that stays.
    pub code: &'static str,
    /// Where; nothing if it is about the whole program.
    pub at: Option<Place>,
    /// What.
    pub message: String,
    /// Other places, with what is said there.
    pub related: Vec<(Place, String)>,
}

/// What `check` found.
pub fn check(program: &Program, sources: &Sources, answer: &CheckAnswer) -> Vec<Remark> {
    let findings = of_check(program, sources, answer).into_iter();
    let remark = findings.map(|finding| Remark {
        severity: match finding.level {
            _ if !finding.accepted_by.is_empty() => Severity::Information,
            Level::Error => Severity::Error,
            Level::Warning => Severity::Warning,
            Level::Note => Severity::Information,
        },
        code: finding.rule.id(),
        at: place(sources, finding.at),
        message: match finding.accepted_by.first() {
            Some(comment) if comment.reason.is_empty() => {
                format!("{} (suppressed)", finding.message)
            }
            Some(comment) => format!("{} (suppressed: {})", finding.message, comment.reason),
            None => finding.message,
        },
        related: finding
            .related
            .into_iter()
            .filter_map(|(span, said)| Some((place(sources, span)?, said)))
            .collect(),
    });
    remark.collect()
}

/// Why a text is not a program, or not one that can be looked at by itself.
pub fn errors(errors: &[Diagnostic], sources: &Sources) -> Vec<Remark> {
    let remark = |error: &Diagnostic| {
        let at = place(sources, error.span);
        let related = error.related.iter();
        Remark {
            severity: if at.is_some() { Severity::Error } else { Severity::Information },
            code: Rule::Input.id(),
            at,
            message: with_help(error),
            related: related
                .filter_map(|(span, said)| Some((place(sources, *span)?, said.clone())))
                .collect(),
        }
    };
    errors.iter().map(remark).collect()
}

/// What changes in each file: pieces and what comes in their place.
pub fn edits(
    sources: &Sources,
    texts: &[(SourceId, String)],
) -> Vec<(String, Vec<(Place, String)>)> {
    let of_file = |(source, new): &(SourceId, String)| {
        let file = sources.name(*source).to_owned();
        let old = sources.text(*source);
        let replaced = changes(old, new).into_iter().map(|edit| {
            let (start, end) = (edit.offset, edit.offset + edit.length);
            let (start, end) = (position(old, start), position(old, end));
            (Place { file: file.clone(), start, end }, edit.text)
        });
        let replaced = replaced.collect();
        (file, replaced)
    };
    texts.iter().map(of_file).collect()
}

/// Why nothing is changed.
pub fn no_repair(sources: &Sources, answer: &FenceAnswer) -> String {
    fence_text::summary(sources, answer)
}

fn place(sources: &Sources, span: Span) -> Option<Place> {
    let source = span.source?;
    let text = sources.text(source);
    let at = |offset: u32| position(text, usize::try_from(offset).unwrap_or(usize::MAX));
    let file = sources.name(source).to_owned();
    Some(Place { file, start: at(span.start), end: at(span.end.max(span.start)) })
}

/// Line and column of an offset, both from zero, the column in UTF-16.
fn position(text: &str, offset: usize) -> (u32, u32) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count();
    let begin = before.rfind('\n').map_or(0, |at| at + 1);
    let column = before[begin..].encode_utf16().count();
    (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::position;

    #[test]
    fn columns_are_counted_as_editors_do() {
        let text = "a\nä𝄞b\r\n";
        assert_eq!(position(text, 0), (0, 0));
        assert_eq!(position(text, text.find('b').unwrap_or(0)), (1, 3));
        assert_eq!(position(text, text.len()), (2, 0));
    }
}
