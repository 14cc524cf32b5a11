//! Tokens of everything after the head of a test. Which words are registers, mnemonics or
//! keywords is decided where they stand.

use logos::{Lexer, Logos};

use crate::token::{Kinds, LexError};

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

/// A token.
pub(super) type Token<'t> = crate::token::Token<'t, Kind>;

impl Kinds for Kind {
    const END: Self = Self::End;
    const COMMENT: Option<Self> = Some(Self::Comment);
    const COMMENT_END: &'static str = "*)";
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
