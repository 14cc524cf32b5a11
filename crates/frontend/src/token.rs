//! Tokens: what the languages have in common that are cut into them by a generated lexer.

use logos::{Lexer, Logos};
use program::{Diagnostic, Diagnostics, SourceId, Span, Value};

/// The largest number that is a number with a minus before it, too: values have 64 bits, with a sign or without.
pub(crate) const MOST_NEGATED: Value = 1 << 63;

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

/// Reads a comment that has begun, to what closes it.
pub(crate) fn comment<K: Kinds>(lexer: &mut Lexer<'_, K>) -> Result<(), LexError> {
    if let Some(length) = lexer.remainder().find(K::COMMENT_END) {
        lexer.bump(length + K::COMMENT_END.len());
        Ok(())
    } else {
        lexer.bump(lexer.remainder().len());
        Err(LexError::UnterminatedComment)
    }
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

/// Marks a failed parse; the error itself has been reported.
#[derive(Debug)]
pub(crate) struct Failed;

pub(crate) type Parsed<T> = Result<T, Failed>;

/// What a parser that reads tokens one after the other can do.
pub(crate) trait Reader<'t, K: Kinds> {
    /// All tokens.
    fn tokens(&self) -> &[Token<'t, K>];
    /// The number of the next token.
    fn position(&self) -> usize;
    /// Goes on at another token.
    fn go_to(&mut self, position: usize);
    /// The errors so far.
    fn errors(&mut self) -> &mut Diagnostics;

    fn peek(&self) -> Token<'t, K> {
        self.peek_at(0)
    }

    fn peek_second(&self) -> Token<'t, K> {
        self.peek_at(1)
    }

    fn peek_at(&self, distance: usize) -> Token<'t, K> {
        let last = self.tokens().len() - 1;
        self.tokens()[(self.position() + distance).min(last)]
    }

    fn advance(&mut self) -> Token<'t, K> {
        let token = self.peek();
        if token.kind != K::END {
            self.go_to(self.position() + 1);
        }
        token
    }

    /// Where the last token taken stands.
    fn last_span(&self) -> Span {
        self.tokens()[self.position().saturating_sub(1)].span
    }

    fn eat(&mut self, kind: K) -> bool {
        let found = self.peek().kind == kind;
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, kind: K, what: &str) -> Parsed<Token<'t, K>> {
        if self.peek().kind == kind { Ok(self.advance()) } else { self.unexpected(what) }
    }

    fn unexpected<T>(&mut self, expected: &str) -> Parsed<T> {
        self.unexpected_with(expected, None)
    }

    fn unexpected_with<T>(&mut self, expected: &str, help: Option<String>) -> Parsed<T> {
        let mut error = unexpected(self.peek(), expected);
        error.help = help;
        self.errors().push(error);
        Err(Failed)
    }
}

/// A reader that knows how deep what it reads is nested.
pub(crate) trait Nested<'t, K: Kinds>: Reader<'t, K> {
    /// How deep statements and expressions may be nested.
    const MAX_DEPTH: usize = 100;

    /// How deep they are.
    fn depth(&mut self) -> &mut usize;

    /// Enters something nested.
    fn deeper(&mut self, span: Span) -> Parsed<()> {
        *self.depth() += 1;
        if *self.depth() <= Self::MAX_DEPTH {
            return Ok(());
        }
        let message = format!("nested more than {} deep", Self::MAX_DEPTH);
        self.errors().push(Diagnostic::new(span, message));
        Err(Failed)
    }
}

/// The error that a token is not what was expected.
pub(crate) fn unexpected<K: Kinds>(token: Token<'_, K>, expected: &str) -> Diagnostic {
    let found = if token.kind == K::END {
        "the end of the text".to_owned()
    } else {
        format!("`{}`", shortened(token.text))
    };
    Diagnostic::new(token.span, format!("expected {expected}, found {found}"))
        .label(format!("expected {expected}"))
}
