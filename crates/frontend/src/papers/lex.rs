//! Tokens of both syntaxes. A line break means nothing to the grammar; it only helps to go on
//! after an error.

use logos::Logos;

use crate::token::{Kinds, LexError};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Logos)]
#[logos(error = LexError)]
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
pub(super) type Token<'t> = crate::token::Token<'t, Kind>;

impl Kinds for Kind {
    const END: Self = Self::End;
    // Comments end with their line, and are skipped.
    const COMMENT: Option<Self> = None;
    const COMMENT_END: &'static str = "";
}
