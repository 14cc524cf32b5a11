//! From the text of a model to tokens.
//!
//! A name may contain `.` and `-` (`po-loc`, `Fence.rw.rw`), and end in `'`. Comments are `(* … *)`,
//! which nest, and everything after `#` or `//` on a line.

use program::{Diagnostic, SourceId, Span};

/// A token without its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name, or a keyword.
    Word(String),
    /// `'name`.
    Tag(String),
    /// `"text"`.
    Text(String),
    /// Everything else.
    Symbol(&'static str),
    /// The end of the text.
    End,
}

/// A token with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) token: Token,
    pub(super) span: Span,
}

/// Longer ones first.
const SYMBOLS: [&str; 27] = [
    "^-1", "||", "&&", "++", "->", "(", ")", "{", "}", "[", "]", "_", "0", "|", "&", "*", "~", "+",
    "^", "\\", "?", "=", ";", ",", "<", ">", "!",
];

/// All tokens of a text, the last one being [`Token::End`].
pub(super) fn tokens(source: SourceId, text: &str) -> Result<Vec<Placed>, Box<Diagnostic>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
        } else if rest.starts_with("(*") {
            at += comment(rest).ok_or_else(|| {
                let begin = Span::new(source, at..at + 2);
                Box::new(Diagnostic::new(begin, "a comment without an end").label("begins here"))
            })?;
        } else if rest.starts_with('#') || rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else {
            let (token, length) = token(rest).ok_or_else(|| {
                let end = at + first.len_utf8();
                let here = Span::new(source, at..end);
                Box::new(Diagnostic::new(here, "this is no part of a model"))
            })?;
            found.push(Placed { token, span: Span::new(source, at..at + length) });
            at += length;
        }
    }
    found.push(Placed { token: Token::End, span: Span::new(source, text.len()..text.len()) });
    Ok(found)
}

/// The length of the comment that a text begins with, if it ends.
fn comment(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0_usize, 0);
    while at < bytes.len() {
        if bytes[at..].starts_with(b"(*") {
            depth += 1;
            at += 2;
        } else if bytes[at..].starts_with(b"*)") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return Some(at);
            }
        } else {
            at += 1;
        }
    }
    None
}

/// The token that a text begins with, and its length.
fn token(text: &str) -> Option<(Token, usize)> {
    if let Some(length) = name(text) {
        return Some((Token::Word(text[..length].to_owned()), length));
    }
    if let Some(quoted) = text.strip_prefix('"') {
        let length = quoted.find('"')?;
        return Some((Token::Text(quoted[..length].to_owned()), length + 2));
    }
    if let Some(tagged) = text.strip_prefix('\'') {
        let length = name(tagged)?;
        return Some((Token::Tag(tagged[..length].to_owned()), length + 1));
    }
    let symbol = SYMBOLS.into_iter().find(|symbol| text.starts_with(symbol))?;
    Some((Token::Symbol(symbol), symbol.len()))
}

/// The length of the name that a text begins with.
fn name(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let start = usize::from(bytes.first() == Some(&b'_'));
    if !bytes.get(start).is_some_and(u8::is_ascii_alphabetic) {
        return None;
    }
    let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
    let length = start + bytes[start..].iter().take_while(|byte| is_inside(byte)).count();
    Some(length + usize::from(bytes.get(length) == Some(&b'\'')))
}
