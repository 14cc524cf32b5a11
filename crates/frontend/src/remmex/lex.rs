//! Tokens, those of Promela as far as the language has them.

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
    #[token("::")]
    Option,
    #[token("->")]
    Arrow,
    #[token("=")]
    Assign,
    /// An operator of an expression.
    #[regex(r"==|!=|<=|>=|<|>|&&|\|\||\+|-|\*|/|%")]
    Operator,
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
    const COMMENT_END: &'static str = "*/";
}
