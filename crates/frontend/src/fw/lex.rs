//! Tokens. A token knows whether it is the first on its line: that is all a newline means here,
//! since no statement can begin with what continues an expression.

use logos::{Lexer, Logos};
use program::{Diagnostic, Diagnostics, SourceId, Span};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Logos)]
#[logos(error = LexError)]
#[logos(skip r"[ \t\r\n\f\u{feff}]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
pub(super) enum Kind {
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*")]
    Word,
    #[regex(r"[0-9][A-Za-z0-9_]*")]
    Number,
    #[token("/*", block_comment)]
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
    #[token("?")]
    Question,
    #[token(".")]
    Dot,
    #[token("=>")]
    Implies,
    #[token("..")]
    Range,
    #[token("..=")]
    RangeInclusive,
    #[token("=")]
    Assign,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("&")]
    And,
    #[token("|")]
    Or,
    #[token("^")]
    Xor,
    #[token("~")]
    Tilde,
    #[token("!")]
    Bang,
    #[token("<<")]
    Shl,
    #[token(">>")]
    Shr,
    #[token("==")]
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
    AndAnd,
    #[token("||")]
    OrOr,
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
    /// Whether a line break stands between the token before and this one.
    pub(super) starts_line: bool,
}

fn block_comment(lexer: &mut Lexer<'_, Kind>) -> Result<(), LexError> {
    if let Some(length) = lexer.remainder().find("*/") {
        lexer.bump(length + 2);
        Ok(())
    } else {
        lexer.bump(lexer.remainder().len());
        Err(LexError::UnterminatedComment)
    }
}

/// The tokens of a text, the last of kind [`Kind::End`], and what could not be read.
pub(super) fn tokens(text: &str, source: SourceId) -> (Vec<Token<'_>>, Diagnostics) {
    let mut tokens = Vec::new();
    let mut errors = Vec::new();
    let mut last_end = 0;
    let mut bad_until = None;
    for (result, range) in Kind::lexer(text).spanned() {
        let span = Span::new(source, range.clone());
        match result {
            Ok(Kind::Comment) => {}
            Ok(kind) => {
                let starts_line = tokens.is_empty() || text[last_end..range.start].contains('\n');
                tokens.push(Token { kind, text: &text[range.clone()], span, starts_line });
                last_end = range.end;
            }
            Err(LexError::UnterminatedComment) => errors.push(
                Diagnostic::new(
                    Span::new(source, range.start..range.start + 2),
                    "unterminated comment",
                )
                .help("close it with `*/`"),
            ),
            // One error for a run of characters that mean nothing.
            Err(LexError::UnknownCharacter) => {
                if bad_until != Some(range.start) {
                    let character = &text[range.clone()];
                    errors.push(
                        Diagnostic::new(span, format!("unexpected character {character:?}"))
                            .label("not part of the language"),
                    );
                }
                bad_until = Some(range.end);
            }
        }
    }
    let end = Span::new(source, text.len()..text.len());
    tokens.push(Token { kind: Kind::End, text: "", span: end, starts_line: true });
    (tokens, errors)
}
