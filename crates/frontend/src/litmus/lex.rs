//! Tokens of everything after the head of a test. Which words are registers, mnemonics or
//! keywords is decided where they stand.

use logos::{Lexer, Logos};
use program::{Diagnostic, Diagnostics, SourceId, Span};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Logos)]
#[logos(error = LexError)]
#[logos(skip r"[ \t\r\n\f]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
pub(super) enum Kind {
    #[regex(r"[A-Za-z_.][A-Za-z0-9_.]*")]
    Word,
    #[regex(r"[0-9][A-Za-z0-9_]*")]
    Number,
    #[token("(*", comment)]
    Comment,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
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
    #[token("|")]
    Pipe,
    #[token("=")]
    #[token("==")]
    Equal,
    #[token("!=")]
    #[token("<>")]
    NotEqual,
    #[token("=>")]
    Implies,
    #[token("/\\")]
    And,
    #[token("\\/")]
    Or,
    #[token("~")]
    Tilde,
    #[token("$")]
    Dollar,
    #[token("%")]
    Percent,
    #[token("#")]
    Hash,
    #[token("&")]
    Ampersand,
    #[token("*")]
    Star,
    #[token("-")]
    Minus,
    #[token("+")]
    Plus,
    #[token("!")]
    Bang,
    /// The end of the text; never produced by the lexer itself.
    End,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum LexError {
    #[default]
    UnknownCharacter,
    UnterminatedComment,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) span: Span,
}

/// The length of the comment with which `text` begins, comments inside it included, or nothing
/// if it does not end.
pub(super) fn comment_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut open = 0_usize;
    let mut next = 0;
    while next + 1 < bytes.len() {
        match &bytes[next..next + 2] {
            b"(*" => {
                open += 1;
                next += 2;
            }
            b"*)" => {
                open -= 1;
                next += 2;
                if open == 0 {
                    return Some(next);
                }
            }
            _ => next += 1,
        }
    }
    None
}

fn comment(lexer: &mut Lexer<'_, Kind>) -> Result<(), LexError> {
    let start = lexer.span().start;
    let Some(length) = comment_length(&lexer.source()[start..]) else {
        lexer.bump(lexer.remainder().len());
        return Err(LexError::UnterminatedComment);
    };
    lexer.bump(length - 2);
    Ok(())
}

/// The tokens of a text from `start`, the last of kind [`Kind::End`], and what could not be read.
pub(super) fn tokens(text: &str, start: usize, source: SourceId) -> (Vec<Token<'_>>, Diagnostics) {
    let mut tokens = Vec::new();
    let mut errors = Vec::new();
    let mut bad_until = None;
    for (result, range) in Kind::lexer(&text[start..]).spanned() {
        let range = start + range.start..start + range.end;
        let span = Span::new(source, range.clone());
        match result {
            Ok(Kind::Comment) => {}
            Ok(kind) => tokens.push(Token { kind, text: &text[range], span }),
            Err(LexError::UnterminatedComment) => errors.push(
                Diagnostic::new(
                    Span::new(source, range.start..range.start + 2),
                    "unterminated comment",
                )
                .help("close it with `*)`"),
            ),
            // One error for a run of characters that mean nothing.
            Err(LexError::UnknownCharacter) => {
                if bad_until != Some(range.start) {
                    let character = &text[range.clone()];
                    errors.push(
                        Diagnostic::new(span, format!("unexpected character {character:?}"))
                            .label("not part of a litmus test"),
                    );
                }
                bad_until = Some(range.end);
            }
        }
    }
    let end = Span::new(source, text.len()..text.len());
    tokens.push(Token { kind: Kind::End, text: "", span: end });
    (tokens, errors)
}

/// A text as it is quoted in messages.
pub(super) fn shortened(text: &str) -> String {
    const LONG: usize = 40;
    if text.chars().count() <= LONG {
        text.to_owned()
    } else {
        text.chars().take(LONG).chain(['…']).collect()
    }
}
