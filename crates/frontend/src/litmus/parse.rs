//! Parsing: the initial state and the table of threads, and what all parts of the parser share.
//!
//! After an error the parser goes on with the next declaration, row or clause, so that one run
//! reports everything.
#![expect(clippy::wildcard_enum_match_arm, reason = "a parser names the tokens it accepts")]

use program::{Diagnostic, Diagnostics, Span, Value};

use super::ast::{Column, Constant, File, Init, InitialValue, Item, Name, Place, Type};
use super::lex::{Kind, Token, shortened};
use crate::suggest::did_you_mean;

/// How many errors are worth reading.
const MAX_ERRORS: usize = 100;

/// The types of the initial state, with their widths.
const TYPES: &[(&str, Type)] = &[
    ("char", Type::Bits(8)),
    ("int8_t", Type::Bits(8)),
    ("uint8_t", Type::Bits(8)),
    ("short", Type::Bits(16)),
    ("int16_t", Type::Bits(16)),
    ("uint16_t", Type::Bits(16)),
    ("int", Type::Bits(32)),
    ("int32_t", Type::Bits(32)),
    ("uint32_t", Type::Bits(32)),
    ("long", Type::Bits(64)),
    ("int64_t", Type::Bits(64)),
    ("uint64_t", Type::Bits(64)),
    ("intptr_t", Type::Pointer),
    ("uintptr_t", Type::Pointer),
];

/// Words before a type that change nothing here.
const QUALIFIERS: &[&str] = &["atomic", "_Atomic", "volatile", "const", "unsigned", "signed"];

/// Marks a failed parse; the error itself has been reported.
#[derive(Debug)]
pub(super) struct Failed;

pub(super) type Parsed<T> = Result<T, Failed>;

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
        observed: Vec::new(),
        filter: None,
        condition: None,
        errors: Vec::new(),
        incomplete: false,
    };
    parser.initial_state(&mut file.init);
    if parser.thread_names(&mut file.threads).is_ok() {
        parser.rows(&mut file.threads);
        parser.final_part(&mut file);
    }
    file.incomplete = !parser.errors.is_empty();
    file.errors = parser.errors;
    file
}

impl<'a> Parser<'a> {
    fn initial_state(&mut self, init: &mut Vec<Init>) {
        self.advance();
        loop {
            match self.peek().kind {
                Kind::CloseBrace => {
                    self.advance();
                    return;
                }
                Kind::End => {
                    let _: Parsed<()> = self.unexpected("`}`");
                    return;
                }
                Kind::Semicolon => {
                    self.advance();
                }
                _ if self.errors.len() >= MAX_ERRORS => self.skip_to(&[Kind::CloseBrace]),
                _ => {
                    if let Ok(declaration) = self.declaration() {
                        init.push(declaration);
                    } else {
                        self.skip_to(&[Kind::Semicolon, Kind::CloseBrace]);
                    }
                }
            }
        }
    }

    fn declaration(&mut self) -> Parsed<Init> {
        let declared = self.declared_type();
        if self.eat(Kind::OpenBracket) {
            let name = self.name("the name of a location")?;
            self.expect(Kind::CloseBracket, "`]`")?;
            let value = self.initial_value()?;
            return Ok(Init { place: Place::Memory { name, index: None }, declared, value });
        }
        let place = self.place()?;
        let value = match &place {
            Place::Memory { index: Some(length), .. } => {
                let length = *length;
                let values = if self.eat(Kind::Equal) { Some(self.values()?) } else { None };
                InitialValue::Elements { length, values }
            }
            Place::Memory { index: None, .. } | Place::Register { .. } => self.initial_value()?,
        };
        self.end_of_declaration()?;
        Ok(Init { place, declared, value })
    }

    fn end_of_declaration(&mut self) -> Parsed<()> {
        match self.peek().kind {
            Kind::Semicolon | Kind::CloseBrace => Ok(()),
            _ => self.unexpected("`;`"),
        }
    }

    fn initial_value(&mut self) -> Parsed<InitialValue> {
        if self.eat(Kind::Equal) {
            Ok(InitialValue::One(self.constant()?))
        } else {
            Ok(InitialValue::Zero)
        }
    }

    /// `{1,2}`.
    pub(super) fn values(&mut self) -> Parsed<Vec<Constant>> {
        self.expect(Kind::OpenBrace, "`{`")?;
        let mut values = vec![self.constant()?];
        while self.eat(Kind::Comma) {
            values.push(self.constant()?);
        }
        self.expect(Kind::CloseBrace, "`,` or `}`")?;
        Ok(values)
    }

    /// The type before a place, if one is there.
    fn declared_type(&mut self) -> Option<Type> {
        let mut qualified = false;
        while QUALIFIERS.contains(&self.peek().text) && self.peek_at(1).kind == Kind::Word {
            qualified = true;
            self.advance();
        }
        let token = self.peek();
        let begins_place = match self.peek_at(1).kind {
            Kind::Word | Kind::Star | Kind::Number => false,
            Kind::OpenBracket => self.peek_at(2).kind != Kind::Word,
            _ => true,
        };
        let declared = if token.kind == Kind::Word && !begins_place {
            self.advance();
            let known = TYPES.iter().find(|(name, _)| *name == token.text);
            if known.is_none() {
                self.unknown_type(token);
            }
            Some(known.map_or(Type::Bits(32), |(_, declared)| *declared))
        } else if qualified {
            Some(Type::Bits(32))
        } else {
            None
        };
        let pointer = self.peek().kind == Kind::Star;
        while self.eat(Kind::Star) {}
        if pointer { Some(Type::Pointer) } else { declared }
    }

    fn unknown_type(&mut self, token: Token<'a>) {
        let word = shortened(token.text);
        let mut error = Diagnostic::new(token.span, format!("there is no type `{word}`"));
        error.help = did_you_mean(&word, TYPES.iter().map(|(name, _)| *name))
            .map(|like| format!("did you mean `{like}`?"));
        self.errors.push(error);
    }

    /// `0:EAX`, `x` or `a[1]`.
    pub(super) fn place(&mut self) -> Parsed<Place> {
        let token = self.peek();
        let thread = match token.kind {
            Kind::Number => Some(token.text),
            Kind::Word if self.peek_at(1).kind == Kind::Colon => thread_number(token.text),
            _ => None,
        };
        if let Some(thread) = thread {
            let Ok(thread) = thread.parse() else {
                return self.unexpected("the number of a thread");
            };
            self.advance();
            self.expect(Kind::Colon, "`:` and a register")?;
            self.eat(Kind::Percent);
            let name = self.name("a register")?;
            return Ok(Place::Register { thread, thread_span: token.span, name });
        }
        let name = self.name("a location or a register such as `0:EAX`")?;
        let index = self.index()?;
        Ok(Place::Memory { name, index })
    }

    /// `[1]`, if there.
    fn index(&mut self) -> Parsed<Option<(Value, Span)>> {
        if self.peek().kind != Kind::OpenBracket {
            return Ok(None);
        }
        self.advance();
        let (value, span) = self.number()?;
        self.expect(Kind::CloseBracket, "`]`")?;
        Ok(Some((value, span)))
    }

    pub(super) fn constant(&mut self) -> Parsed<Constant> {
        match self.peek().kind {
            Kind::Number | Kind::Minus => {
                let (value, _) = self.number()?;
                if self.peek().kind == Kind::Colon {
                    return self.unexpected("a constant, not another register");
                }
                Ok(Constant::Number(value))
            }
            Kind::Word | Kind::Ampersand => {
                self.eat(Kind::Ampersand);
                let name = self.name("a location")?;
                let index = self.index()?;
                Ok(Constant::Address { name, index })
            }
            _ => self.unexpected("a number or a location"),
        }
    }

    fn number(&mut self) -> Parsed<(Value, Span)> {
        let start = self.peek().span;
        let negative = self.eat(Kind::Minus);
        let token = self.expect(Kind::Number, "a number")?;
        let span = start.to(token.span);
        let value = number(token.text);
        if value.is_none() {
            self.errors.push(not_a_number(token));
        }
        let value = value.unwrap_or(0);
        Ok((if negative { -value } else { value }, span))
    }

    /// `P0 | P1 ;`.
    fn thread_names(&mut self, threads: &mut Vec<Column<'a>>) -> Parsed<()> {
        self.eat(Kind::Semicolon);
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
            if self.eat(Kind::Semicolon) {
                return Ok(());
            }
            self.expect(Kind::Pipe, "`|` or `;`")?;
        }
    }

    fn rows(&mut self, threads: &mut [Column<'a>]) {
        while !self.at_final_part() && self.errors.len() < MAX_ERRORS {
            let row = self.peek().span;
            let mut column = 0;
            loop {
                let items = self.cell();
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

    pub(super) fn peek(&self) -> Token<'a> {
        self.tokens[self.next]
    }

    pub(super) fn peek_at(&self, distance: usize) -> Token<'a> {
        self.tokens[(self.next + distance).min(self.tokens.len() - 1)]
    }

    pub(super) fn advance(&mut self) -> Token<'a> {
        let token = self.peek();
        if token.kind != Kind::End {
            self.next += 1;
        }
        token
    }

    /// Where the last token taken stands.
    pub(super) fn last_span(&self) -> Span {
        self.tokens[self.next.saturating_sub(1)].span
    }

    pub(super) fn eat(&mut self, kind: Kind) -> bool {
        let found = self.peek().kind == kind;
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect(&mut self, kind: Kind, what: &str) -> Parsed<Token<'a>> {
        if self.peek().kind == kind { Ok(self.advance()) } else { self.unexpected(what) }
    }

    pub(super) fn unexpected<T>(&mut self, expected: &str) -> Parsed<T> {
        self.errors.push(unexpected(self.peek(), expected));
        Err(Failed)
    }

    /// Goes on at a token of one of these kinds, or at the end.
    pub(super) fn skip_to(&mut self, kinds: &[Kind]) {
        while self.peek().kind != Kind::End && !kinds.contains(&self.peek().kind) {
            self.advance();
        }
    }
}

/// The digits of `P0`.
fn thread_number(word: &str) -> Option<&str> {
    word.strip_prefix('P')
        .filter(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The error that a token is not what was expected.
pub(super) fn unexpected(token: Token<'_>, expected: &str) -> Diagnostic {
    let found = match token.kind {
        Kind::End => "the end of the file".to_owned(),
        _ => format!("`{}`", shortened(token.text)),
    };
    Diagnostic::new(token.span, format!("expected {expected}, found {found}"))
        .label(format!("expected {expected}"))
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
