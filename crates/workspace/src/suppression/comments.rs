//! Comments that accept findings: `// fencewright: allow(not-robust): why that is no problem`.
//!
//! They are read in every language with `//` and `/* */`, whatever else stands in the text: literals are passed over, so
//! that a text in quotes is no comment.

use std::path::Path;

use program::index::Idx;
use program::{SourceId, Sources, Span};

use crate::rule::Rule;

/// What the comments begin with.
const MARK: &str = "fencewright:";

/// A comment that accepts findings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// The comment.
    pub span: Span,
    /// The line whose findings it accepts: its own if there is code before it, otherwise the next one with code.
    pub line: usize,
    /// The kinds of findings.
    pub rules: Vec<Rule>,
    /// Why they are accepted, in the words of the author; perhaps empty.
    pub reason: String,
    /// What is said to be accepted, and is no kind of finding that can be.
    pub unknown: Vec<String>,
}

/// All such comments of some sources.
pub(super) fn suppressions(sources: &Sources) -> Vec<Suppression> {
    let mut found = Vec::new();
    for source in (0..sources.names().count()).map(SourceId::new) {
        let text = sources.text(source);
        if text.contains(MARK) {
            found.extend(of_text(sources, source, text));
        }
    }
    found
}

fn of_text(sources: &Sources, source: SourceId, text: &str) -> Vec<Suppression> {
    let extension = Path::new(sources.name(source)).extension();
    let nests = extension.is_some_and(|extension| extension == "rs");
    let comments = comments(text, nests);
    let line_of = |offset: usize| {
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        sources.line_column(source, offset).0
    };
    let mut found = Vec::new();
    for (number, comment) in comments.iter().enumerate() {
        let inside = text[comment.clone()].trim_start_matches(['/', '*', '!']).trim_start();
        let Some(said) = inside.strip_prefix(MARK) else { continue };
        let begin = text[..comment.start].rfind('\n').map_or(0, |at| at + 1);
        let own = line_of(comment.start);
        // Other comments in front of it are no code.
        let has_code = is_code(text, begin..comment.start, &comments[..number]);
        let line = if has_code {
            own
        } else {
            next_code(text, comment.end, &comments).map_or(own, line_of)
        };
        let (rules, unknown, reason) = parts(said);
        let span = Span::new(source, comment.clone());
        found.push(Suppression { span, line, rules, reason, unknown });
    }
    found
}

/// What is accepted, what of it is unknown, and why.
fn parts(said: &str) -> (Vec<Rule>, Vec<String>, String) {
    let said = said.trim_end_matches("*/").trim();
    let list =
        said.strip_prefix("allow").map(str::trim_start).and_then(|rest| rest.strip_prefix('('));
    let Some((names, reason)) = list.and_then(|rest| rest.split_once(')')) else {
        return (Vec::new(), vec![said.to_owned()], String::new());
    };
    let (mut rules, mut unknown) = (Vec::new(), Vec::new());
    for name in names.split(',').map(str::trim) {
        match Rule::named(name) {
            Some(rule) => rules.push(rule),
            None => unknown.push(name.to_owned()),
        }
    }
    let reason = reason.trim_start_matches([':', '-', '–', '—', ' ']);
    (rules, unknown, reason.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Whether anything in a piece of a text is neither blank nor a comment.
fn is_code(text: &str, piece: std::ops::Range<usize>, comments: &[std::ops::Range<usize>]) -> bool {
    next_code(text, piece.start, comments).is_some_and(|at| at < piece.end)
}

/// The first byte from here on that is neither blank nor in a comment.
fn next_code(text: &str, from: usize, comments: &[std::ops::Range<usize>]) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = &text[at..];
        at += rest.len() - rest.trim_start().len();
        match comments.iter().find(|comment| comment.contains(&at)) {
            Some(comment) => at = comment.end,
            None => return (at < text.len()).then_some(at),
        }
    }
}

/// Where the comments of a text are.
fn comments(text: &str, nests: bool) -> Vec<std::ops::Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let length = match rest {
            [b'/', b'/', ..] => {
                let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                found.push(at..at + length);
                length
            }
            [b'/', b'*', ..] => {
                let length = block(rest, nests);
                found.push(at..at + length);
                length
            }
            [b'"', ..] => quoted(rest, b'"'),
            [b'r', b'"' | b'#', ..] if nests && !follows_word(bytes, at) => raw(rest),
            [b'\'', ..] => character(rest),
            _ => 1,
        };
        at += length;
    }
    found
}

fn follows_word(bytes: &[u8], at: usize) -> bool {
    // `br"…"` is a literal as well.
    let before = bytes[..at].strip_suffix(b"b").unwrap_or(&bytes[..at]);
    before.last().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

/// The length of a comment that has an end of its own.
fn block(rest: &[u8], nests: bool) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        match &rest[at..] {
            [b'/', b'*', ..] if depth == 0 || nests => {
                depth += 1;
                at += 2;
            }
            [b'*', b'/', ..] => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    rest.len()
}

/// The length of a literal that ends with the sign that it begins with.
fn quoted(rest: &[u8], end: u8) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            byte if byte == end => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// The length of `r#"…"#`, or one where it is something else.
fn raw(rest: &[u8]) -> usize {
    let hashes = rest[1..].iter().take_while(|byte| **byte == b'#').count();
    if rest.get(1 + hashes) != Some(&b'"') {
        return 1;
    }
    let end = [b"\"".as_slice(), &vec![b'#'; hashes]].concat();
    let inside = &rest[2 + hashes..];
    let length = inside.windows(end.len()).position(|window| window == end);
    length.map_or(rest.len(), |length| 2 + hashes + length + end.len())
}

/// The length of a character in quotes; one for the quote of a lifetime or in a number.
fn character(rest: &[u8]) -> usize {
    match rest {
        [_, b'\\', ..] => quoted(rest, b'\''),
        // A character of UTF-8 has at most four bytes.
        [_, ..] => {
            let end = rest.iter().take(6).skip(2).position(|byte| *byte == b'\'');
            let is_one = |inside: &[u8]| {
                std::str::from_utf8(inside).is_ok_and(|text| text.chars().count() == 1)
            };
            match end {
                Some(end) if is_one(&rest[1..end + 2]) => end + 3,
                Some(_) | None => 1,
            }
        }
        [] => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines, names and reasons of the comments of a text.
    fn check(name: &str, text: &str, expected: &[(usize, &str, &str)]) {
        let mut sources = Sources::new();
        sources.add(name, text);
        let found = suppressions(&sources);
        let found: Vec<(usize, String, &str)> = found
            .iter()
            .map(|one| {
                let rules: Vec<&str> = one.rules.iter().map(|rule| rule.id()).collect();
                let unknown = one.unknown.iter().map(|name| format!("?{name}"));
                let names = rules.into_iter().map(str::to_owned).chain(unknown);
                (one.line, names.collect::<Vec<_>>().join(" "), one.reason.as_str())
            })
            .collect();
        let found: Vec<(usize, &str, &str)> =
            found.iter().map(|(line, names, reason)| (*line, names.as_str(), *reason)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn comments_accept_their_own_line_or_the_next_one_with_code() {
        check(
            "a.fw",
            "x = 1 // fencewright: allow(not-robust): a statistic\n",
            &[(1, "not-robust", "a statistic")],
        );
        check(
            "a.c",
            "/* fencewright: allow(undefined-race, not-robust) -- see\n * below */\n\n// more\n  x = 1;\n",
            &[(5, "undefined-race not-robust", "see * below")],
        );
        check("a.c", "/* a */ // fencewright: allow(error)\nx;", &[(2, "error", "")]);
        check("a.c", "x; // fencewright: allow(error)", &[(1, "error", "")]);
    }

    #[test]
    fn what_is_no_finding_is_kept_as_unknown() {
        check("a.c", "x; //fencewright: allow(robust,goal)", &[(1, "?robust ?goal", "")]);
        check("a.c", "x; // fencewright: deny(error)", &[(1, "?deny(error)", "")]);
    }

    #[test]
    fn literals_are_no_comments() {
        check("a.c", "s = \"// fencewright: allow(error)\"; x;", &[]);
        check("a.c", "s = \"\\\"// fencewright: allow(error)\"; x;", &[]);
        check("a.c", "c = '\"'; // fencewright: allow(error)", &[(1, "error", "")]);
        check("a.rs", "let s = r#\"\" // fencewright: allow(error)\"#;", &[]);
        check("a.rs", "fn f<'a>(x: &'a T) {} // fencewright: allow(error)", &[(1, "error", "")]);
        check("a.rs", "/* /* */ // fencewright: allow(error)\n*/ x", &[]);
        check("a.c", "/* /* */ x; // fencewright: allow(error)", &[(1, "error", "")]);
        check("a.c", "x; // let's fencewright: allow(error)", &[]);
    }
}
