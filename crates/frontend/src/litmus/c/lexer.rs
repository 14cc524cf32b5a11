//! The tokens of a thread.

use std::ops::Range;

use program::{Diagnostic, SourceId, Span};

use super::outline::blank;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Number,
    Symbol,
    End,
}

/// A token of a thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind,
    pub(super) text: &'t str,
    pub(super) span: Span,
}

/// Longer ones first.
const SYMBOLS: [&str; 36] = [
    "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "+=", "-=", "*=", "&=", "|=", "^=",
    "(", ")", "{", "}", ",", ";", "=", "*", "&", "|", "^", "~", "!", "+", "-", "/", "%", "<", ">",
    "?",
];

/// The tokens of a part of a text, and one for its end.
pub(super) fn tokens(
    text: &str,
    range: Range<usize>,
    source: SourceId,
) -> Result<Vec<Token<'_>>, Box<Diagnostic>> {
    let mut found = Vec::new();
    let mut at = range.start;
    loop {
        at = code(text, at, range.end);
        let Some(first) = text[at..range.end].chars().next() else { break };
        let rest = &text[at..range.end];
        let (kind, length) = if first.is_ascii_alphabetic() || first == '_' {
            (Kind::Word, word(rest))
        } else if first.is_ascii_digit() {
            (Kind::Number, word(rest))
        } else if let Some(symbol) = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol)) {
            (Kind::Symbol, symbol.len())
        } else if first == ':' || first == '[' || first == ']' || first == '.' {
            (Kind::Symbol, 1)
        } else {
            let here = Span::new(source, at..at + first.len_utf8());
            return Err(Box::new(Diagnostic::new(here, "this is no C that tests are written in")));
        };
        let span = Span::new(source, at..at + length);
        found.push(Token { kind, text: &text[at..at + length], span });
        at += length;
    }
    let span = Span::new(source, range.end..range.end);
    found.push(Token { kind: Kind::End, text: "", span });
    Ok(found)
}

/// Where the code goes on: after blanks and the comments of C, but `(*x)` is none.
fn code(text: &str, from: usize, end: usize) -> usize {
    let rest = &text[from..end];
    let trimmed = rest.trim_start();
    let at = from + rest.len() - trimmed.len();
    if trimmed.starts_with("//") || trimmed.starts_with("/*") {
        return blank(&text[..end], at);
    }
    at
}

fn word(text: &str) -> usize {
    text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()
}
