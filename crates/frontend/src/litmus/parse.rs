//! Parsing: the table of threads, and what all parts of the parser share.
//!
//! After an error the parser goes on with the next declaration, row or clause, so that one run
//! reports everything.

use program::{Diagnostic, Diagnostics, Program, Value};

use super::ast::{Column, File, Item, Name, Prop, Row};
use super::lex::{Kind, Token};
use crate::token::{Failed, Parsed, Reader, shortened};

/// How many errors are worth reading.
pub(super) const MAX_ERRORS: usize = 100;

pub(super) struct Parser<'a> {
    tokens: &'a [Token<'a>],
    next: usize,
    pub(super) errors: Diagnostics,
}

/// Parses everything after the head. The first token is the brace of the initial state.
pub(super) fn file<'a>(tokens: &'a [Token<'a>], errors: Diagnostics) -> File<'a> {
    let mut parser = Parser { tokens, next: 0, errors };
    let mut file = File {
        init: Vec::new(),
        threads: Vec::new(),
        rows: Vec::new(),
        observed: Vec::new(),
        filter: None,
        condition: None,
        errors: Vec::new(),
        incomplete: false,
        end_of_table: 0,
    };
    parser.initial_state(&mut file.init);
    if let Ok(names) = parser.thread_names(&mut file.threads) {
        file.rows.push(names);
        parser.rows(&mut file);
        file.end_of_table = parser.peek().span.start;
        parser.final_part(&mut file);
    }
    super::symbolic::resolve(&mut file, &mut parser.errors);
    file.incomplete = !parser.errors.is_empty();
    file.errors = parser.errors;
    file
}

/// Parses what stands around threads that are no columns of a table: the initial state, and what
/// follows.
pub(super) fn around<'a>(
    init: &'a [Token<'a>],
    threads: Vec<Column<'a>>,
    end: &'a [Token<'a>],
    errors: Diagnostics,
) -> File<'a> {
    let mut parser = Parser { tokens: init, next: 0, errors };
    let mut file = File {
        init: Vec::new(),
        threads,
        rows: Vec::new(),
        observed: Vec::new(),
        filter: None,
        condition: None,
        errors: Vec::new(),
        incomplete: false,
        end_of_table: end.first().map_or(0, |token| token.span.start),
    };
    parser.initial_state(&mut file.init);
    let mut parser = Parser { tokens: end, next: 0, errors: parser.errors };
    if parser.peek().kind != Kind::End {
        parser.final_part(&mut file);
    }
    file.incomplete = !parser.errors.is_empty();
    file.errors = parser.errors;
    file
}

/// Parses a condition and nothing after it.
pub(super) fn condition(tokens: &[Token<'_>], errors: Diagnostics) -> Result<Prop, Diagnostics> {
    let mut parser = Parser { tokens, next: 0, errors };
    let parsed = parser.proposition().and_then(|prop| {
        parser.expect(Kind::End, "`/\\`, `\\/` or the end of the condition").map(|_| prop)
    });
    match parsed {
        Ok(prop) if parser.errors.is_empty() => Ok(prop),
        Ok(_) | Err(Failed) => Err(parser.errors),
    }
}

impl<'a> Reader<'a, Kind> for Parser<'a> {
    fn tokens(&self) -> &[Token<'a>] {
        self.tokens
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
    /// `P0 | P1 ;`.
    fn thread_names(&mut self, threads: &mut Vec<Column<'a>>) -> Parsed<Row<'a>> {
        self.eat(Kind::Semicolon);
        let mut row = Row::default();
        loop {
            let token = self.peek();
            let number = thread_number(token.text).and_then(|number| number.parse::<u32>().ok());
            let Some(number) = number.filter(|_| token.kind == Kind::Word) else {
                return self.unexpected("the names of the threads, `P0 | P1 ;`");
            };
            self.advance();
            if let Some(first) = threads.iter().find(|thread| thread.number == number) {
                let error = Diagnostic::new(token.span, format!("there are two threads {number}"));
                self.errors.push(error.related(first.name.span, "the first one"));
            }
            let name = Name { text: format!("P{number}"), span: token.span };
            threads.push(Column { number, name, items: Vec::new() });
            if threads.len() > Program::MAX_THREADS as usize {
                let message = format!("at most {} threads fit", Program::MAX_THREADS);
                self.errors.push(Diagnostic::new(token.span, message));
                return Err(Failed);
            }
            row.cells.push(&self.tokens[self.next - 1..self.next]);
            row.ends.push(self.peek().span);
            if self.eat(Kind::Semicolon) {
                return Ok(row);
            }
            self.expect(Kind::Pipe, "`|` or `;`")?;
        }
    }

    fn rows(&mut self, file: &mut File<'a>) {
        let threads = &mut file.threads;
        while !self.at_final_part() && self.errors.len() < MAX_ERRORS {
            let row = self.peek().span;
            let mut parts = Row::default();
            let mut column = 0;
            loop {
                let start = self.next;
                let items = self.cell();
                parts.cells.push(&self.tokens[start..self.next]);
                parts.ends.push(self.peek().span);
                let count = threads.len();
                match threads.get_mut(column) {
                    Some(thread) => thread.items.extend(items),
                    None if column == count => self.errors.push(
                        Diagnostic::new(row, "this row has more cells than there are threads")
                            .help(format!("there are {count}")),
                    ),
                    None => {}
                }
                column += 1;
                if !self.eat(Kind::Pipe) {
                    break;
                }
            }
            file.rows.push(parts);
            if column < threads.len() {
                let message = format!("this row has {column} cells for {} threads", threads.len());
                self.errors
                    .push(Diagnostic::new(row, message).help("leave a cell empty: `MFENCE | ;`"));
            }
            if !self.eat(Kind::Semicolon) {
                let _: Parsed<()> = self.unexpected("`;` after the row");
                self.skip_to(&[]);
            }
        }
    }

    /// Labels and at most one instruction.
    fn cell(&mut self) -> Vec<Item<'a>> {
        let mut items = Vec::new();
        while self.peek().kind == Kind::Word && self.peek_at(1).kind == Kind::Colon {
            let token = self.advance();
            self.advance();
            items.push(Item::Label(Name { text: token.text.to_owned(), span: token.span }));
        }
        let start = self.next;
        self.skip_to(&[Kind::Pipe, Kind::Semicolon]);
        if start < self.next {
            items.push(Item::Instruction(&self.tokens[start..self.next]));
        }
        items
    }

    pub(super) fn name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.expect(Kind::Word, what)?;
        Ok(Name { text: token.text.to_owned(), span: token.span })
    }

    /// Goes on at a token of one of these kinds, or at the end.
    pub(super) fn skip_to(&mut self, kinds: &[Kind]) {
        while self.peek().kind != Kind::End && !kinds.contains(&self.peek().kind) {
            self.advance();
        }
    }
}

/// The digits of `P0`.
pub(super) fn thread_number(word: &str) -> Option<&str> {
    word.strip_prefix('P')
        .filter(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The value of a number of at most 64 bits.
pub(super) fn number(text: &str) -> Option<Value> {
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = match lower.as_bytes() {
        [b'0', b'x', ..] => (&lower[2..], 16),
        [b'0', b'b', ..] => (&lower[2..], 2),
        [b'0', b'o', ..] => (&lower[2..], 8),
        _ => (lower.as_str(), 10),
    };
    u64::from_str_radix(digits, radix).ok().map(Value::from)
}

/// The error that a number cannot be read.
pub(super) fn not_a_number(token: Token<'_>) -> Diagnostic {
    let text = shortened(token.text);
    Diagnostic::new(token.span, format!("`{text}` is not a number of at most 64 bits"))
}
