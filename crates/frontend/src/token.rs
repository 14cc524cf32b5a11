//! Tokens: what the languages have in common that are cut into them by a generated lexer.

use logos::Logos;
use program::{Diagnostic, Diagnostics, SourceId, Span};

/// The kinds of tokens of a language.
pub(crate) trait Kinds:
    for<'t> Logos<'t, Source = str, Extras = (), Error = LexError> + Copy + Eq
{
    /// The end of the text; never produced by the lexer itself.
    const END: Self;
    /// A comment, where it has to be told apart.
    const COMMENT: Option<Self>;
    /// What closes a comment.
    const COMMENT_END: &'static str;
}

/// What a lexer cannot read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum LexError {
    #[default]
    UnknownCharacter,
    UnterminatedComment,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'t, K> {
    pub(crate) kind: K,
    pub(crate) text: &'t str,
    pub(crate) span: Span,
    /// Whether a line break stands between the token before and this one.
    pub(crate) starts_line: bool,
}

/// The tokens of a text from `start` on, the last of kind [`Kinds::END`], and what could not be
/// read.
pub(crate) fn tokens<K: Kinds>(
    text: &str,
    start: usize,
    source: SourceId,
) -> (Vec<Token<'_, K>>, Diagnostics) {
    let mut tokens = Vec::new();
    let mut errors = Vec::new();
    let mut last_end = start;
    let mut bad_until = None;
    for (result, range) in K::lexer(&text[start..]).spanned() {
        let range = start + range.start..start + range.end;
        let span = Span::new(source, range.clone());
        match result {
            Ok(kind) if Some(kind) == K::COMMENT => {}
            Ok(kind) => {
                let starts_line = tokens.is_empty() || text[last_end..range.start].contains('\n');
                tokens.push(Token { kind, text: &text[range.clone()], span, starts_line });
                last_end = range.end;
            }
            Err(LexError::UnterminatedComment) => {
                let opening = Span::new(source, range.start..range.start + 2);
                let help = format!("close it with `{}`", K::COMMENT_END);
                errors.push(Diagnostic::new(opening, "unterminated comment").help(help));
            }
            // One error for a run of characters that mean nothing.
            Err(LexError::UnknownCharacter) => {
                if bad_until != Some(range.start) {
                    let message = format!("unexpected character {:?}", &text[range.clone()]);
                    errors.push(Diagnostic::new(span, message).label("not part of the language"));
                }
                bad_until = Some(range.end);
            }
        }
    }
    let end = Span::new(source, text.len()..text.len());
    tokens.push(Token { kind: K::END, text: "", span: end, starts_line: true });
    (tokens, errors)
}

/// A piece of text as it is quoted in messages.
pub(crate) fn shortened(text: &str) -> String {
    const LONG: usize = 40;
    if text.chars().count() <= LONG {
        text.to_owned()
    } else {
        text.chars().take(LONG).chain(['…']).collect()
    }
}
