//! The head of a litmus test: `X86 SB`, a quoted description, comments, and metadata such as
//! `Cycle=Rfi PodRR Fre`. It is free text by lines, so it is read before anything is cut into
//! tokens; it ends with the brace that opens the initial state.

use program::{Diagnostic, Diagnostics, SourceId, Span};

use super::machine::Arch;
use crate::suggest::did_you_mean;

/// The architectures for which herd has tests, known to this tool or not.
const ARCHITECTURES: &[&str] = &[
    "AArch64", "ARM", "ASL", "BPF", "C", "CPP", "JAVA", "LISA", "MIPS", "PPC", "PPCGEN", "RISCV",
    "X86", "X86_64",
];

/// What the head of a test says.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) arch: Arch,
    pub(super) name: String,
    /// Where the initial state begins.
    pub(super) end: usize,
    /// Where the test ends.
    pub(super) end_of_test: usize,
}

/// Whether the first line of a text names an architecture and a test.
pub(super) fn looks_like(text: &str) -> bool {
    let start = skip_blank(text, 0).unwrap_or(text.len());
    let mut words = text[start..].lines().next().unwrap_or("").split_whitespace();
    let arch = words.next().is_some_and(|word| ARCHITECTURES.contains(&word));
    let name = words.next().is_some_and(|name| !name.starts_with(['=', '{', '(', ':']));
    arch && name
}

/// The architecture that the first line of a text names.
pub(super) fn architecture(text: &str) -> Option<Arch> {
    let start = skip_blank(text, 0).ok()?;
    Arch::from_name(text[start..].split_whitespace().next()?)
}

/// Reads the head of a test.
pub(super) fn read(text: &str, source: SourceId) -> Result<Header, Diagnostics> {
    let at = |range: std::ops::Range<usize>| Span::new(source, range);
    let start = skip_blank(text, 0).map_err(|open| unterminated(at(open..open + 2)))?;
    let line = text[start..].lines().next().unwrap_or("");
    let word = line.split_whitespace().next().unwrap_or("");
    let word_span = at(start..start + word.len());
    let mut errors = Vec::new();
    let arch = Arch::from_name(word);
    if arch.is_none() {
        errors.push(unknown_architecture(word, word_span));
    }
    let name = line[word.len()..].split("(*").next().unwrap_or("").trim();
    if name.is_empty() {
        errors.push(
            Diagnostic::new(word_span, "the test has no name")
                .help("write it after the architecture: `X86 SB`"),
        );
    }
    let end = opening_brace(text, start + line.len(), source, &mut errors);
    match (arch, end) {
        (Some(arch), Some(end)) if errors.is_empty() => {
            Ok(Header { arch, name: name.to_owned(), end, end_of_test: end_of_test(text, end) })
        }
        _ => Err(errors),
    }
}

/// The brace that opens the initial state; complains about what does not belong before it.
fn opening_brace(
    text: &str,
    from: usize,
    source: SourceId,
    errors: &mut Diagnostics,
) -> Option<usize> {
    let at = |range: std::ops::Range<usize>| Span::new(source, range);
    let mut next = from;
    loop {
        next = match skip_blank(text, next) {
            Ok(next) => next,
            Err(open) => {
                errors.extend(unterminated(at(open..open + 2)));
                return None;
            }
        };
        let rest = &text[next..];
        if rest.starts_with('{') {
            return Some(next);
        }
        if rest.is_empty() {
            errors.push(
                Diagnostic::new(at(next..next), "expected the initial state")
                    .label("expected `{`")
                    .help("a test without one has `{ }` before its threads"),
            );
            return None;
        }
        if let Some(description) = rest.strip_prefix('"') {
            // Some tests leave out the second quote; herd takes the line.
            let line = || description.find('\n').map(|length| length.saturating_sub(1));
            let Some(length) = description.find('"').or_else(line) else {
                errors.push(Diagnostic::new(at(next..next + 1), "unterminated description"));
                return None;
            };
            next += length + 2;
            continue;
        }
        let line = rest.lines().next().unwrap_or("");
        if !is_metadata(line) {
            let shown = line.trim_end();
            errors.push(
                Diagnostic::new(at(next..next + shown.len()), "expected the initial state")
                    .label("not `{`, nor metadata such as `Cycle=…`"),
            );
            return None;
        }
        next += line.len();
    }
}

/// Where a test ends: at `<<` after its condition, which begins text that is no part of it, or at the
/// end of the text.
fn end_of_test(text: &str, from: usize) -> usize {
    let mut next = from;
    while let Some(rest) = text.get(next..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("<<") {
            return next;
        }
        next += if rest.starts_with("(*") {
            super::lex::comment_length(rest).unwrap_or(2)
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
    }
    text.len()
}

fn is_metadata(line: &str) -> bool {
    line.split_once('=').is_some_and(|(key, _)| {
        let key = key.trim_end();
        !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b))
    })
}

/// Where the text goes on after blanks and comments, or where a comment begins that does not end.
fn skip_blank(text: &str, from: usize) -> Result<usize, usize> {
    let mut next = from;
    loop {
        let rest = &text[next..];
        next += rest.len() - rest.trim_start().len();
        let rest = &text[next..];
        if rest.starts_with("(*") {
            next += super::lex::comment_length(rest).ok_or(next)?;
        } else if rest.starts_with("//") {
            next += rest.find('\n').unwrap_or(rest.len());
        } else {
            return Ok(next);
        }
    }
}

fn unterminated(span: Span) -> Diagnostics {
    vec![Diagnostic::new(span, "unterminated comment").help("close it with `*)`")]
}

fn unknown_architecture(word: &str, span: Span) -> Diagnostic {
    let word = crate::token::shortened(word);
    if ARCHITECTURES.contains(&word.as_str()) {
        return Diagnostic::new(span, format!("tests for {word} cannot be read"))
            .help(format!("there is {}", Arch::names()));
    }
    let error = Diagnostic::new(span, "a litmus test begins with its architecture")
        .label("not an architecture");
    match did_you_mean(&word, ARCHITECTURES.iter().copied()) {
        Some(like) => error.help(format!("did you mean `{like}`?")),
        None => error.help(format!("there is {}", Arch::names())),
    }
}
