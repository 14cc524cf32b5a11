//! Words of the formats that nets are written in, with their places in the text.

use std::fmt;
use std::ops::Range;

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// Where, in bytes.
    pub at: Range<usize>,
    /// What.
    pub message: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ReadError {}

/// A word or a sign, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    pub(crate) text: &'t str,
    pub(crate) at: Range<usize>,
}

/// The words and signs of a text. A sign is the longest of `signs` that fits.
pub(crate) struct Tokens<'t> {
    text: &'t str,
    signs: &'static [&'static str],
    position: usize,
    next: Option<Token<'t>>,
}

impl<'t> Tokens<'t> {
    /// `signs`, longer ones before those they begin with.
    pub(crate) fn of(text: &'t str, signs: &'static [&'static str]) -> Result<Self, ReadError> {
        let mut tokens = Self { text, signs, position: 0, next: None };
        tokens.advance()?;
        Ok(tokens)
    }

    fn advance(&mut self) -> Result<(), ReadError> {
        loop {
            let rest = &self.text[self.position..];
            let blank = rest.len() - rest.trim_start().len();
            self.position += blank;
            let rest = &self.text[self.position..];
            if !rest.starts_with('#') {
                break;
            }
            self.position += rest.find('\n').unwrap_or(rest.len());
        }
        let rest = &self.text[self.position..];
        let start = self.position;
        let length = match self.signs.iter().find(|sign| rest.starts_with(**sign)) {
            Some(sign) => sign.len(),
            None => rest
                .find(|letter: char| !(letter.is_alphanumeric() || "_.'".contains(letter)))
                .unwrap_or(rest.len()),
        };
        if rest.is_empty() {
            self.next = None;
            return Ok(());
        }
        if length == 0 {
            let letter = rest.chars().next().unwrap_or(' ');
            let at = start..start + letter.len_utf8();
            return Err(ReadError { at, message: format!("`{letter}` has no meaning here") });
        }
        self.position += length;
        self.next = Some(Token { text: &rest[..length], at: start..self.position });
        Ok(())
    }

    pub(crate) const fn peek(&self) -> Option<&Token<'t>> {
        self.next.as_ref()
    }

    /// Whether this comes next.
    pub(crate) fn is_next(&self, text: &str) -> bool {
        self.next.as_ref().is_some_and(|next| next.text == text)
    }

    /// Takes this if it comes next.
    pub(crate) fn take(&mut self, text: &str) -> Result<bool, ReadError> {
        let is_next = self.is_next(text);
        if is_next {
            self.advance()?;
        }
        Ok(is_next)
    }

    pub(crate) fn expect(&mut self, text: &str) -> Result<(), ReadError> {
        if self.take(text)? { Ok(()) } else { Err(self.unexpected(&format!("`{text}`"))) }
    }

    /// What comes next, a word or a sign.
    pub(crate) fn any(&mut self, what: &str) -> Result<Token<'t>, ReadError> {
        let Some(token) = self.next.take() else { return Err(self.unexpected(what)) };
        self.advance()?;
        Ok(token)
    }

    /// A number.
    pub(crate) fn number(&mut self) -> Result<u32, ReadError> {
        let token = self.any("a number")?;
        token.text.parse().map_err(|_| {
            let message = format!("`{}` is no number from 0 to {}", token.text, u32::MAX);
            ReadError { at: token.at, message }
        })
    }

    /// That something else was expected.
    pub(crate) fn unexpected(&self, what: &str) -> ReadError {
        let end = self.text.len();
        let (at, found) = self.next.as_ref().map_or_else(
            || (end..end, "the end".to_owned()),
            |token| (token.at.clone(), format!("`{}`", token.text)),
        );
        ReadError { at, message: format!("expected {what}, found {found}") }
    }
}
