//! Walking over the tokens of a file, and saying what is wrong at one of them.

use program::{Diagnostic, Diagnostics, SourceId, Sources, Span};

use super::words::{self, Token};
use crate::suggest::did_you_mean;

/// Longer words are shortened in messages.
const MAX_QUOTED: usize = 40;

/// What is wrong has been said; the parser has to find a place to go on.
pub(super) struct Reported;

/// A position in a file, and what was wrong before it.
pub(super) struct Parser<'t> {
    pub(super) source: SourceId,
    text_length: usize,
    pub(super) tokens: Vec<Token<'t>>,
    pub(super) next: usize,
    pub(super) errors: Diagnostics,
}

impl<'t> Parser<'t> {
    /// At the start of a file.
    pub(super) fn new(sources: &'t Sources, source: SourceId) -> Self {
        let text = sources.text(source);
        Self {
            source,
            text_length: text.len(),
            tokens: words::tokens(text),
            next: 0,
            errors: Vec::new(),
        }
    }

    /// The next token, whatever it is, unless a new part of the file begins there.
    pub(super) fn name(&mut self, what: &str, help: &str) -> Result<Token<'t>, Reported> {
        match self.peek() {
            Some(token) if !(token.begins_line && words::SECTIONS.contains(&token.text)) => {
                self.next += 1;
                Ok(token)
            }
            Some(_) | None => {
                let error = Diagnostic::new(self.span_here(), format!("{what} is missing"));
                Err(self.report(error.label(format!("expected {what}")).help(help)))
            }
        }
    }

    pub(super) fn peek(&self) -> Option<Token<'t>> {
        self.tokens.get(self.next).copied()
    }

    pub(super) fn skip_to(&mut self, words: &[&str]) {
        while self.peek().is_some_and(|token| !words.contains(&token.text)) {
            self.next += 1;
        }
    }

    pub(super) fn span(&self, token: Token<'_>) -> Span {
        Span::new(self.source, token.start..token.start + token.text.len())
    }

    /// Just after the last token: where something is missing.
    pub(super) fn span_here(&self) -> Span {
        let last = self.next.checked_sub(1).and_then(|last| self.tokens.get(last));
        let at = last.map_or(self.text_length, |last| last.start + last.text.len());
        Span::new(self.source, at..at)
    }

    pub(super) fn error(&self, token: Token<'_>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.span(token), message)
    }

    /// The word among `candidates` that a token is or, after saying so, was meant to be. Going on
    /// with what was meant finds the errors after it and invents none.
    pub(super) fn word(
        &mut self,
        token: Token<'t>,
        expected: &str,
        candidates: &[&'static str],
        help: &str,
    ) -> Option<&'static str> {
        if let Some(word) = candidates.iter().find(|word| **word == token.text) {
            return Some(word);
        }
        let commented = candidates
            .iter()
            .find(|word| token.text.strip_prefix(**word).is_some_and(|rest| rest.starts_with('#')));
        let error = self.unknown(token, expected, candidates);
        self.report(match commented {
            Some(_) => error.help("put white space before the `#` of a comment"),
            None => or_help(error, help),
        });
        commented.copied().or_else(|| did_you_mean(token.text, candidates.iter().copied()))
    }

    /// A word that is none of `candidates` nor anything else that is accepted.
    pub(super) fn unknown(
        &self,
        token: Token<'_>,
        expected: &str,
        candidates: &[&str],
    ) -> Diagnostic {
        let found = quoted(token.text);
        let error = self.error(token, format!("expected {expected}, found {found}"));
        match did_you_mean(token.text, candidates.iter().copied()) {
            Some(meant) => error.label("unknown word").help(format!("did you mean `{meant}`?")),
            None => error.label(format!("expected {expected}")),
        }
    }

    pub(super) fn report(&mut self, error: Diagnostic) -> Reported {
        self.errors.push(error);
        Reported
    }
}

/// The error with this help, unless it has better advice already.
fn or_help(error: Diagnostic, help: &str) -> Diagnostic {
    if error.help.is_some() { error } else { error.help(help) }
}

/// A word in quotation marks, shortened to what fits into a message.
pub(super) fn quoted(word: &str) -> String {
    match word.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("`{}…`", &word[..end]),
        None => format!("`{word}`"),
    }
}
