//! Tokens of both syntaxes. A line break means nothing to the grammar; it only helps to go on
//! after an error.

use logos::Logos;
use program::{Diagnostic, Diagnostics, SourceId, Span};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Logos)]
#[logos(skip r"[ \t\r\n\f]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
pub(super) enum Kind {
    /// A name or a keyword; `l'0` and `l′0` are names.
    #[regex(r"[A-Za-z_][A-Za-z0-9_'′]*")]
    Word,
    /// `$r`.
    #[regex(r"\$[A-Za-z_][A-Za-z0-9_'′]*")]
    Register,
    #[regex(r"[0-9][A-Za-z0-9_]*")]
    Number,
    /// Written by mathematicians, by Pascal programmers, and by everybody else.
    #[token("←")]
    #[token(":=")]
    #[token("<-")]
    Arrow,
    #[token("=")]
    Equals,
    #[token("(")]
    OpenParen,
    #[token(")")]
    CloseParen,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token("?")]
    Question,
    /// A symbol of [`crate::operators`].
    #[regex(r"\+|-|\*|/|%|&|\||\^|<<|>>|==|!=|<|<=|>|>=|&&|\|\||~|!")]
    Operator,
    /// The end of the text; never produced by the lexer itself.
    End,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) span: Span,
    /// Whether a line break stands between the token before and this one.
    pub(super) starts_line: bool,
}

/// The tokens of a text, the last of kind [`Kind::End`], and what could not be read.
pub(super) fn tokens(text: &str, source: SourceId) -> (Vec<Token<'_>>, Diagnostics) {
    let mut tokens = Vec::new();
    let mut errors = Vec::new();
    let mut last_end = 0;
    let mut bad_until = None;
    for (result, range) in Kind::lexer(text).spanned() {
        let span = Span::new(source, range.clone());
        if let Ok(kind) = result {
            let starts_line = tokens.is_empty() || text[last_end..range.start].contains('\n');
            tokens.push(Token { kind, text: &text[range.clone()], span, starts_line });
            last_end = range.end;
            continue;
        }
        // One error for a run of characters that mean nothing.
        if bad_until != Some(range.start) {
            let character = &text[range.clone()];
            errors.push(
                Diagnostic::new(span, format!("unexpected character {character:?}"))
                    .label("not part of the syntax"),
            );
        }
        bad_until = Some(range.end);
    }
    let end = Span::new(source, text.len()..text.len());
    tokens.push(Token { kind: Kind::End, text: "", span: end, starts_line: true });
    (tokens, errors)
}
