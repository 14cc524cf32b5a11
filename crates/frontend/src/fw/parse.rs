//! Parsing: declarations, and what all parts of the parser share.
//!
//! A recursive-descent parser that reports every error of a file: after an error it goes on with
//! the next statement or declaration. Nesting is bounded, so no input overflows the stack.
#![expect(clippy::wildcard_enum_match_arm, reason = "a parser names the tokens it accepts")]

use std::collections::BTreeSet;

use program::{Diagnostic, Diagnostics, Expr as Model, IntType, Span};

use super::ast::{
    Domain, Equals, Expr, File, InState, Initial, Name, Proposition, Question, RangeExpr,
    Replication, Shared, Thread,
};
use super::lex::{Kind, Token};
use super::words;
use crate::suggest::did_you_mean;
use crate::token::{Failed, Parsed, Reader, shortened};

/// How deep blocks may be nested.
pub(super) const MAX_BLOCK_DEPTH: usize = 100;
/// How many errors are worth reading.
const MAX_ERRORS: usize = 100;

pub(super) struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    next: usize,
    pub(super) errors: Diagnostics,
    doubtful: BTreeSet<String>,
    pub(super) block_depth: usize,
    pub(super) expr_depth: usize,
}

/// Parses a condition on states.
pub(super) fn goal(
    tokens: Vec<Token<'_>>,
    errors: Diagnostics,
) -> Result<Proposition<InState>, Diagnostics> {
    let mut parser = Parser::new(tokens, errors);
    match parser.about_states() {
        Ok(goal) if parser.errors.is_empty() => Ok(goal),
        Ok(_) | Err(Failed) => Err(parser.errors),
    }
}

/// Parses a condition on final states.
pub(super) fn condition(
    tokens: Vec<Token<'_>>,
    errors: Diagnostics,
) -> Result<Proposition<Equals>, Diagnostics> {
    let mut parser = Parser::new(tokens, errors);
    match parser.only_about_final_states() {
        Ok(condition) if parser.errors.is_empty() => Ok(condition),
        Ok(_) | Err(Failed) => Err(parser.errors),
    }
}

/// Parses a whole file.
pub(super) fn file(tokens: Vec<Token<'_>>, errors: Diagnostics) -> File {
    let mut parser = Parser::new(tokens, errors);
    let mut file = File {
        name: None,
        constants: Vec::new(),
        unbounded_memory: false,
        shared: Vec::new(),
        threads: Vec::new(),
        question: Question::default(),
        errors: Vec::new(),
        doubtful: BTreeSet::new(),
    };
    while parser.peek().kind != Kind::End && parser.errors.len() < MAX_ERRORS {
        let start = parser.next;
        if parser.item(&mut file).is_err() {
            parser.recover(start, words::ITEMS);
        }
    }
    file.errors = parser.errors;
    file.doubtful = parser.doubtful;
    file
}

impl<'a> Reader<'a, Kind> for Parser<'a> {
    fn tokens(&self) -> &[Token<'a>] {
        &self.tokens
    }
    fn position(&self) -> usize {
        self.next
    }
    fn go_to(&mut self, position: usize) {
        self.next = position;
    }
    fn errors(&mut self) -> &mut Diagnostics {
        &mut self.errors
    }
}

impl<'a> Parser<'a> {
    const fn new(tokens: Vec<Token<'a>>, errors: Diagnostics) -> Self {
        let doubtful = BTreeSet::new();
        Self { tokens, next: 0, errors, doubtful, block_depth: 0, expr_depth: 0 }
    }

    fn item(&mut self, file: &mut File) -> Parsed<()> {
        match self.peek().text {
            "program" => {
                let keyword = self.advance();
                let name = self.name("a program name")?;
                if let Some(first) = &file.name {
                    let error = Diagnostic::new(keyword.span, "the program already has a name");
                    self.errors.push(error.related(first.span, "named here"));
                } else {
                    file.name = Some(name);
                }
            }
            "const" => {
                self.advance();
                self.list(|parser| {
                    let name = parser.name("the name of a constant")?;
                    parser.expect(Kind::Assign, "`=` and a value")?;
                    file.constants.push((name, parser.expr()?));
                    Ok(())
                })?;
            }
            "memory" => {
                self.advance();
                if self.peek().text != "unbounded" {
                    return self.unexpected("`unbounded`");
                }
                self.advance();
                file.unbounded_memory = true;
            }
            "shared" => {
                self.advance();
                self.list(|parser| {
                    let shared = parser.shared()?;
                    file.shared.push(shared);
                    Ok(())
                })?;
            }
            "thread" => {
                self.advance();
                let thread = self.thread()?;
                file.threads.push(thread);
            }
            "observe" => {
                self.advance();
                self.list(|parser| {
                    file.question.observed.push(parser.observed()?);
                    Ok(())
                })?;
            }
            "filter" => {
                let keyword = self.advance();
                let proposition = self.about_final_states()?;
                self.only_once(file.question.filter.is_some(), keyword.span)?;
                file.question.filter = Some(proposition);
            }
            "forbidden" => {
                let keyword = self.advance();
                let proposition = self.about_any_state()?;
                self.only_once(file.question.forbidden.is_some(), keyword.span)?;
                file.question.forbidden = Some(proposition);
            }
            word if let Some(quantifier) = Self::quantifier(word) => {
                let keyword = self.advance();
                let proposition = self.about_final_states()?;
                self.only_once(file.question.condition.is_some(), keyword.span)?;
                file.question.condition = Some((quantifier, proposition));
            }
            word => {
                let help = self.no_declaration(word);
                return self
                    .unexpected_with("a declaration such as `shared`, `const` or `thread`", help);
            }
        }
        self.end_of_statement()
    }

    /// What may have been meant by a line that begins with this word and is no declaration.
    fn no_declaration(&self, word: &str) -> Option<String> {
        if let Some(like) = did_you_mean(word, words::ITEMS.iter().copied()) {
            return Some(format!("did you mean `{like}`?"));
        }
        if word == "assert" {
            return Some(
                "an `assert` stands in a thread; `always x == 0` is about all final states"
                    .to_owned(),
            );
        }
        if words::STATEMENTS.contains(&word) {
            return Some(format!("`{word}` is a statement and stands in a thread"));
        }
        let (first, second) = (self.peek(), self.peek_second());
        let is_typed = first.kind == Kind::Word && second.kind == Kind::Word && !second.starts_line;
        is_typed.then(|| {
            format!("a shared variable is declared by `shared {}`", shortened(second.text))
        })
    }

    /// Fails if what was taken for the name of a variable is followed by another name: then it is a type.
    pub(super) fn is_no_type(&mut self, taken: &Name, how: &str) -> Parsed<()> {
        let token = self.peek();
        let is_clause = ["at", "stride", "parts"].contains(&token.text);
        if token.kind != Kind::Word || token.starts_line || is_clause {
            return Ok(());
        }
        let domain = if taken.text == "bool" { "u1" } else { "i32" };
        let help = format!(
            "types follow the name and can be left out: `{how} {}: {domain}`",
            shortened(token.text)
        );
        self.unexpected_with("`:`, `=`, `,` or a new line", Some(help))
    }

    fn only_once(&mut self, again: bool, span: Span) -> Parsed<()> {
        if !again {
            return Ok(());
        }
        let message = "only one such condition is possible";
        self.errors.push(Diagnostic::new(span, message).help("join them with `&&` or `||`"));
        Err(Failed)
    }

    fn shared(&mut self) -> Parsed<Shared> {
        let name = self.name("the name of a shared variable")?;
        self.is_no_type(&name, "shared")?;
        let length = if self.eat(Kind::OpenBracket) {
            let length = self.expr()?;
            self.expect(Kind::CloseBracket, "`]`")?;
            Some(length)
        } else {
            None
        };
        let domain = self.domain()?;
        let initial = if self.eat(Kind::Assign) {
            if self.eat(Kind::OpenBrace) {
                let mut values = Vec::new();
                let mut and_zeros = false;
                while self.peek().kind != Kind::CloseBrace {
                    and_zeros = self.eat(Kind::Range);
                    if and_zeros {
                        break;
                    }
                    values.push(self.expr()?);
                    if !self.eat(Kind::Comma) {
                        break;
                    }
                }
                self.expect(Kind::CloseBrace, "`,` or `}`")?;
                Some(if and_zeros { Initial::First(values) } else { Initial::Each(values) })
            } else {
                Some(Initial::One(self.expr()?))
            }
        } else {
            None
        };
        let base = self.clause("at")?;
        let stride = self.clause("stride")?;
        let parts = self.clause("parts")?;
        Ok(Shared { name, length, domain, initial, base, stride, parts })
    }

    fn clause(&mut self, word: &str) -> Parsed<Option<Expr>> {
        if self.peek().text == word {
            self.advance();
            self.expr().map(Some)
        } else {
            Ok(None)
        }
    }

    /// `: u8` or `: 0..=3`, if there.
    pub(super) fn domain(&mut self) -> Parsed<Option<Domain>> {
        if !self.eat(Kind::Colon) {
            return Ok(None);
        }
        if let Some(int) = IntType::from_name(self.peek().text)
            && self.tokens[self.next + 1].kind != Kind::OpenParen
        {
            self.advance();
            return Ok(Some(Domain::Int(int)));
        }
        // `x: bool` is not the beginning of a range.
        let second = self.peek_second();
        let alone = second.starts_line
            || matches!(second.kind, Kind::Comma | Kind::Assign | Kind::Semicolon | Kind::End);
        if self.peek().kind == Kind::Word && alone {
            let help = "types are `u1` to `u64` and `i1` to `i64`; a range is written `0..8`";
            return self.unexpected_with("a type or a range", Some(help.to_owned()));
        }
        self.range().map(|range| Some(Domain::Range(Box::new(range))))
    }

    /// `low..high` or `low..=high`.
    pub(super) fn range(&mut self) -> Parsed<RangeExpr> {
        let low = self.expr()?;
        self.range_from(low)
    }

    fn range_from(&mut self, low: Expr) -> Parsed<RangeExpr> {
        let inclusive = match self.peek().kind {
            Kind::Range => false,
            Kind::RangeInclusive => true,
            _ => return self.unexpected("`..` or `..=`"),
        };
        self.advance();
        let high = self.expr()?;
        let span = low.span.to(high.span);
        Ok(RangeExpr { low, high, inclusive, span })
    }

    fn thread(&mut self) -> Parsed<Thread> {
        let name = self.name("the name of a thread")?;
        let replication = if self.eat(Kind::OpenBracket) {
            let replication = if self.peek().kind == Kind::Star {
                self.advance();
                Replication::Any
            } else if self.peek().kind == Kind::Word && self.tokens[self.next + 1].text == "in" {
                let index = self.name("the name of an index")?;
                self.advance();
                self.indices(index)?
            } else {
                Replication::Copies(self.expr()?)
            };
            self.expect(Kind::CloseBracket, "`]`")?;
            replication
        } else {
            Replication::One
        };
        let body = self.block()?;
        Ok(Thread { name, replication, body })
    }

    /// What an index is of: `low..high`, or `*` and `low..*` for any number of copies.
    fn indices(&mut self, index: Name) -> Parsed<Replication> {
        if self.eat(Kind::Star) {
            return Ok(Replication::AnyIndex(index, None));
        }
        let low = self.expr()?;
        if self.peek().kind == Kind::Range && self.tokens[self.next + 1].kind == Kind::Star {
            self.advance();
            self.advance();
            return Ok(Replication::AnyIndex(index, Some(low)));
        }
        Ok(Replication::Index(index, Box::new(self.range_from(low)?)))
    }

    /// One or more of something, with commas between.
    pub(super) fn list(&mut self, mut one: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        loop {
            one(self)?;
            if !self.eat(Kind::Comma) {
                return Ok(());
            }
        }
    }

    pub(super) fn name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.peek();
        if token.kind != Kind::Word {
            return self.unexpected(what);
        }
        if !words::is_name(token.text) {
            let help = format!("`{}` means something in the language; choose another", token.text);
            return self.unexpected_with(what, Some(help));
        }
        self.advance();
        Ok(Name { text: token.text.to_owned(), span: token.span })
    }

    /// Fails if expressions are nested too deep for anyone's good.
    pub(super) fn check_depth(&mut self, depth: usize, span: Span) -> Parsed<()> {
        if depth <= Model::MAX_DEPTH {
            return Ok(());
        }
        let message = format!("expression nested more than {} deep", Model::MAX_DEPTH);
        self.errors.push(
            Diagnostic::new(span, message)
                .help("operators in a row count, too; split it with a `local` variable"),
        );
        Err(Failed)
    }

    /// A statement ends with `;`, with its line, or before `}`.
    pub(super) fn end_of_statement(&mut self) -> Parsed<()> {
        let token = self.peek();
        if self.eat(Kind::Semicolon) {
            while self.eat(Kind::Semicolon) {}
            return Ok(());
        }
        if token.starts_line || token.kind == Kind::CloseBrace || token.kind == Kind::End {
            return Ok(());
        }
        let help = (token.kind == Kind::Assign).then(|| "`==` compares".to_owned());
        self.unexpected_with("a new line or `;`", help)
    }

    /// Goes on after an error: skips to the next line that is not inside a nested block, to `;`,
    /// or to the brace that closes the enclosing block, and remembers the names passed over.
    /// Outside all blocks it goes on with the next declaration.
    pub(super) fn recover(&mut self, start: usize, resume: &[&str]) {
        if self.next == start {
            self.advance();
        }
        let mut nested = 0_usize;
        loop {
            let token = self.peek();
            match token.kind {
                Kind::End => break,
                Kind::OpenBrace => nested += 1,
                Kind::CloseBrace if nested == 0 && self.block_depth > 0 => break,
                Kind::CloseBrace => nested = nested.saturating_sub(1),
                _ if nested > 0 || !token.starts_line => {}
                _ if self.block_depth > 0 || resume.contains(&token.text) => break,
                _ => {}
            }
            self.advance();
        }
        let skipped = &self.tokens[start..self.next];
        self.doubtful.extend(
            skipped
                .iter()
                .filter(|token| token.kind == Kind::Word)
                .map(|token| token.text.to_owned()),
        );
    }
}
