//! Tokens. Words and numbers are told apart by their first character; what is a keyword the parser knows.

use logos::Logos;

use crate::token::{Kinds, LexError, comment};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Logos)]
#[logos(error = LexError)]
#[logos(skip r"[ \t\r\n\f\u{feff}]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
pub(super) enum Kind {
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*")]
    Word,
    #[regex(r"\$[A-Za-z0-9_]+")]
    Register,
    #[regex(r"[0-9]+")]
    Number,
    #[token("/*", comment)]
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
    #[token(":=")]
    Becomes,
    #[token("=")]
    Eq,
    #[token("!=")]
    Ne,
    #[token("<")]
    Lt,
    #[token("<=")]
    Le,
    #[token(">")]
    Gt,
    #[token(">=")]
    Ge,
    #[token("&&")]
    And,
    #[token("||")]
    Or,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("@")]
    At,
    /// The end of the text; never produced by the lexer itself.
    End,
}

/// A token.
pub(super) type Token<'t> = crate::token::Token<'t, Kind>;

impl Kinds for Kind {
    const END: Self = Self::End;
    const COMMENT: Option<Self> = Some(Self::Comment);
    const COMMENT_END: &'static str = "*/";
}
