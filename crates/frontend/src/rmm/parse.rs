//! Parsing: declarations. After an error the parser goes on with the next process.

use program::{Diagnostic, Diagnostics, Program, Span, Value};

use super::ast::{Data, File, Forbidden, Name, Process};
use super::expand::expand;
use super::lex::{Kind, Token};
use crate::token::{Failed, MOST_NEGATED, Nested, Parsed, Reader};

/// Words that cannot be names.
pub(super) const RESERVED: &[&str] = &[
    "assume",
    "cas",
    "data",
    "do",
    "either",
    "else",
    "false",
    "fence",
    "forbidden",
    "goto",
    "if",
    "llfence",
    "locked",
    "me",
    "my",
    "nop",
    "not",
    "or",
    "other",
    "predicates",
    "process",
    "read",
    "registers",
    "slocked",
    "ssfence",
    "syncrd",
    "syncwr",
    "text",
    "then",
    "true",
    "while",
    "write",
];

pub(super) struct Parser<'t> {
    tokens: Vec<Token<'t>>,
    next: usize,
    pub(super) errors: Diagnostics,
    pub(super) depth: usize,
}

impl<'t> Reader<'t, Kind> for Parser<'t> {
    fn tokens(&self) -> &[Token<'t>] {
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

impl<'t> Nested<'t, Kind> for Parser<'t> {
    fn depth(&mut self) -> &mut usize {
        &mut self.depth
    }
}

/// Parses a whole file.
pub(super) fn file(tokens: &[Token<'_>], mut errors: Diagnostics) -> File {
    let tokens = expand(tokens, &mut errors);
    let mut parser = Parser { tokens, next: 0, errors, depth: 0 };
    let mut file = File::default();
    while parser.peek().kind != Kind::End {
        let start = parser.next;
        if parser.item(&mut file).is_err() {
            parser.recover(start);
        }
    }
    file.errors = parser.errors;
    file
}

impl Parser<'_> {
    /// Goes on where something new begins.
    fn recover(&mut self, start: usize) {
        self.depth = 0;
        if self.next == start {
            self.advance();
        }
        while !matches!(self.peek().text, "process" | "data" | "forbidden" | "predicates")
            && self.peek().kind != Kind::End
        {
            self.advance();
        }
    }

    fn item(&mut self, file: &mut File) -> Parsed<()> {
        match self.peek().text {
            "forbidden" => {
                self.advance();
                loop {
                    let forbidden = self.forbidden()?;
                    file.forbidden.push(forbidden);
                    if !self.eat(Kind::Semicolon) {
                        return Ok(());
                    }
                }
            }
            // Hints for predicate abstraction, which mean nothing for what a program does.
            "predicates" => {
                while !matches!(self.peek().text, "data" | "process")
                    && self.peek().kind != Kind::End
                {
                    self.advance();
                }
                Ok(())
            }
            "data" => {
                self.advance();
                self.declarations(Kind::Word, &mut file.globals)
            }
            "process" => {
                let process = self.process()?;
                file.processes.push(process);
                Ok(())
            }
            _ => self.unexpected("`forbidden`, `data`, `macro` or `process`"),
        }
    }

    /// A label, or `*`, for each process.
    fn forbidden(&mut self) -> Parsed<Forbidden> {
        let start = self.peek().span;
        let mut labels = Vec::new();
        loop {
            let token = self.peek();
            if token.kind == Kind::Star {
                self.advance();
                labels.push(None);
            } else if self.is_name() {
                labels.push(Some(self.name("a label")?));
            } else {
                break;
            }
        }
        if labels.is_empty() {
            return self.unexpected("a label or `*` for each process");
        }
        Ok(Forbidden { labels, span: start.to(self.last_span()) })
    }

    fn process(&mut self) -> Parsed<Process> {
        let start = self.advance().span;
        let count = if self.eat(Kind::OpenParen) {
            let number = self.expect(Kind::Number, "how many processes there are")?;
            self.expect(Kind::CloseParen, "`)`")?;
            match number.text.parse::<u32>() {
                Ok(count) if count <= Program::MAX_THREADS => count,
                Ok(_) | Err(_) => {
                    let message =
                        format!("at most {} processes are possible", Program::MAX_THREADS);
                    self.errors.push(Diagnostic::new(number.span, message));
                    0
                }
            }
        } else {
            1
        };
        let span = start.to(self.last_span());
        let (mut data, mut registers) = (Vec::new(), Vec::new());
        loop {
            match self.peek().text {
                "data" => {
                    self.advance();
                    self.declarations(Kind::Word, &mut data)?;
                }
                "registers" => {
                    self.advance();
                    self.declarations(Kind::Register, &mut registers)?;
                }
                "text" => break,
                _ => return self.unexpected("`data`, `registers` or `text`"),
            }
        }
        let opening = self.advance().span;
        let statements = self.statements()?;
        let end = statements.last().map_or(opening, |last| last.span);
        let span_of_body = around(Span { start: opening.end, end: end.end, ..opening });
        let body = super::ast::Block { statements, span: span_of_body };
        Ok(Process { count, data, registers, body, span })
    }

    fn declarations(&mut self, kind: Kind, into: &mut Vec<Data>) -> Parsed<()> {
        while self.peek().kind == kind && (kind == Kind::Register || self.is_name()) {
            let token = self.advance();
            let name = Name { text: token.text.to_owned(), span: token.span };
            self.expect(Kind::Eq, "`=` and an initial value, or `= *`")?;
            let initial = if self.eat(Kind::Star) { None } else { Some(self.integer()?) };
            let domain = if self.eat(Kind::Colon) { self.domain()? } else { None };
            into.push(Data { name, initial, domain });
            self.eat(Kind::Comma);
        }
        Ok(())
    }

    /// `[low:high]` or `Z`.
    fn domain(&mut self) -> Parsed<Option<(Value, Value)>> {
        if self.peek().text == "Z" {
            self.advance();
            return Ok(None);
        }
        let start = self.expect(Kind::OpenBracket, "`[low:high]` or `Z`")?.span;
        let low = self.integer()?;
        self.expect(Kind::Colon, "`:`")?;
        let high = self.integer()?;
        self.expect(Kind::CloseBracket, "`]`")?;
        if low > high {
            let span = start.to(self.last_span());
            self.errors.push(Diagnostic::new(span, "these values are none at all"));
            return Ok(None);
        }
        Ok(Some((low, high)))
    }

    fn integer(&mut self) -> Parsed<Value> {
        let negative = self.eat(Kind::Minus);
        let number = self.expect(Kind::Number, "a number")?;
        let value = self.number(number)?;
        if negative && value > MOST_NEGATED {
            self.errors.push(Diagnostic::new(number.span, "this number is too large"));
            return Err(Failed);
        }
        Ok(if negative { -value } else { value })
    }

    pub(super) fn number(&mut self, token: Token<'_>) -> Parsed<Value> {
        let number = token.text.parse::<u64>().map(Value::from);
        number.map_err(|_| {
            self.errors.push(Diagnostic::new(token.span, "this number is too large"));
            Failed
        })
    }

    pub(super) fn is_name(&self) -> bool {
        let token = self.peek();
        token.kind == Kind::Word && !RESERVED.contains(&token.text)
    }

    pub(super) fn name(&mut self, what: &str) -> Parsed<Name> {
        if !self.is_name() {
            return self.unexpected(what);
        }
        let token = self.advance();
        Ok(Name { text: token.text.to_owned(), span: token.span })
    }
}

/// A span with one character more on each side.
pub(super) const fn around(span: Span) -> Span {
    Span { start: span.start.saturating_sub(1), end: span.end + 1, ..span }
}
