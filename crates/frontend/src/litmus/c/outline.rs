//! Where the parts of a test are: the initial state, the threads, and what follows them.

use std::ops::Range;

use program::{Diagnostic, Diagnostics, Program, SourceId, Span};

/// The parts of a test.
pub(super) struct Outline {
    pub(super) end_of_init: usize,
    pub(super) threads: Vec<ThreadText>,
    pub(super) end_of_threads: usize,
}

/// Where a thread is.
pub(super) struct ThreadText {
    pub(super) number: u32,
    pub(super) name: Span,
    /// From the parenthesis before the parameters to the brace after the body, both included.
    pub(super) rest: Range<usize>,
}

/// Finds the parts of a test, whose initial state begins here.
pub(super) fn read(text: &str, start: usize, source: SourceId) -> Result<Outline, Diagnostics> {
    let span = |range: Range<usize>| Span::new(source, range);
    let unclosed =
        |open: usize| vec![Diagnostic::new(span(open..open + 1), "this is never closed")];
    let end_of_init = closing(text, start).ok_or_else(|| unclosed(start))?;
    let mut threads: Vec<ThreadText> = Vec::new();
    let mut at = end_of_init;
    loop {
        let begin = blank(text, at);
        let digits = text[begin..]
            .strip_prefix('P')
            .map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
        let name = begin..begin + 1 + digits;
        let open = if digits == 0 { begin } else { blank(text, name.end) };
        if digits == 0 || !text[open..].starts_with('(') {
            if threads.is_empty() {
                let message = "expected a thread, `P0 (atomic_int* x) { … }`";
                return Err(vec![Diagnostic::new(span(begin..begin), message)]);
            }
            return Ok(Outline { end_of_init, threads, end_of_threads: begin });
        }
        let Ok(number) = text[begin + 1..name.end].parse::<u32>() else {
            return Err(vec![Diagnostic::new(span(name), "this is no number of a thread")]);
        };
        if threads.iter().any(|thread| thread.number == number) {
            let message = format!("there are two threads {number}");
            return Err(vec![Diagnostic::new(span(name), message)]);
        }
        if threads.len() >= Program::MAX_THREADS as usize {
            let message = format!("at most {} threads fit", Program::MAX_THREADS);
            return Err(vec![Diagnostic::new(span(name), message)]);
        }
        let close = closing(text, open).ok_or_else(|| unclosed(open))?;
        let body = blank(text, close);
        if !text[body..].starts_with('{') {
            let message = "expected the body of the thread";
            return Err(vec![Diagnostic::new(span(body..body), message).label("expected `{`")]);
        }
        at = closing(text, body).ok_or_else(|| unclosed(body))?;
        threads.push(ThreadText { number, name: span(name), rest: open..at });
    }
}

/// After blanks and comments of all sorts.
pub(super) fn blank(text: &str, from: usize) -> usize {
    let mut at = from;
    loop {
        let rest = &text[at..];
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        match comment(trimmed) {
            Some(length) => at += length,
            None => return at,
        }
    }
}

/// The length of the comment that a text begins with; one that does not end goes to the end.
fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if text.starts_with("/*") {
        return Some(text.find("*/").map_or(text.len(), |end| end + 2));
    }
    if text.starts_with("(*") {
        return super::super::lex::comment_length(text);
    }
    None
}

/// The place after what closes the bracket here.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = open;
    while let Some(first) = text[at..].chars().next() {
        // `(*x)` is no comment inside a thread.
        let skipped = match first {
            '/' => comment(&text[at..]),
            _ => None,
        };
        if let Some(length) = skipped {
            at += length;
            continue;
        }
        match first {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += first.len_utf8();
    }
    None
}
