//! Parsing the initial state, places and constants.
#![expect(clippy::wildcard_enum_match_arm, reason = "a parser names the tokens it accepts")]

use program::{Diagnostic, Span, Value};

use super::ast::{Constant, Init, InitialValue, Name, Place, Type};
use super::lex::{Kind, Token};
use super::parse::{MAX_ERRORS, Parser, not_a_number, number, thread_number};
use crate::suggest::did_you_mean;
use crate::token::{Parsed, Reader, shortened};

const fn integer(bits: u8, signed: bool) -> Type {
    Type::Integer { bits, signed }
}

/// The types of the initial state.
const TYPES: &[(&str, Type)] = &[
    ("char", integer(8, true)),
    ("int8_t", integer(8, true)),
    ("uint8_t", integer(8, false)),
    ("short", integer(16, true)),
    ("int16_t", integer(16, true)),
    ("uint16_t", integer(16, false)),
    ("int", integer(32, true)),
    ("int32_t", integer(32, true)),
    ("uint32_t", integer(32, false)),
    ("long", integer(64, true)),
    ("int64_t", integer(64, true)),
    ("uint64_t", integer(64, false)),
    ("int128_t", integer(128, true)),
    ("intptr_t", Type::Pointer),
    ("uintptr_t", Type::Pointer),
];

/// Words before a type. `unsigned` changes it.
const QUALIFIERS: &[&str] = &["atomic", "_Atomic", "volatile", "const", "unsigned", "signed"];

impl<'a> Parser<'a> {
    pub(super) fn initial_state(&mut self, init: &mut Vec<Init>) {
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
        self.refuse_beyond()?;
        let declared = self.declared_type();
        if self.eat(Kind::OpenBracket) {
            let name = self.name("the name of a location")?;
            self.expect(Kind::CloseBracket, "`]`")?;
            let value = self.initial_value()?;
            self.end_of_declaration()?;
            return Ok(Init { place: Place::Memory { name, index: None }, declared, value });
        }
        let place = self.place()?;
        let value = match &place {
            Place::Memory { index: Some(length), .. } => {
                let length = *length;
                let values = if self.eat(Kind::Equal) { Some(self.values()?) } else { None };
                InitialValue::Elements { length, values }
            }
            Place::Memory { index: None, .. } | Place::Register { .. } | Place::Symbolic(_) => {
                self.initial_value()?
            }
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
        let mut unsigned = false;
        while QUALIFIERS.contains(&self.peek().text)
            && matches!(self.peek_at(1).kind, Kind::Word | Kind::Number | Kind::Percent)
        {
            qualified = true;
            unsigned |= self.advance().text == "unsigned";
        }
        let token = self.peek();
        let begins_place = match self.peek_at(1).kind {
            Kind::Word | Kind::Star | Kind::Number | Kind::Percent => false,
            Kind::OpenBracket => self.peek_at(2).kind != Kind::Word,
            _ => true,
        };
        let declared = if token.kind == Kind::Word && !begins_place {
            self.advance();
            let known = TYPES.iter().find(|(name, _)| *name == token.text);
            if known.is_none() {
                self.unknown_type(token);
            }
            Some(known.map_or(integer(32, true), |(_, declared)| *declared))
        } else if qualified {
            Some(integer(32, true))
        } else {
            None
        };
        let pointer = self.peek().kind == Kind::Star;
        while self.eat(Kind::Star) {}
        match declared {
            _ if pointer => Some(Type::Pointer),
            Some(Type::Integer { bits, .. }) if unsigned => Some(integer(bits, false)),
            declared => declared,
        }
    }

    fn unknown_type(&mut self, token: Token<'a>) {
        let word = shortened(token.text);
        if let Some(what) = super::beyond::of_type(&word) {
            self.errors.push(Diagnostic::new(token.span, format!("{what} cannot be modelled")));
            return;
        }
        let mut error = Diagnostic::new(token.span, format!("there is no type `{word}`"));
        error.help = did_you_mean(&word, TYPES.iter().map(|(name, _)| *name))
            .map(|like| format!("did you mean `{like}`?"));
        self.errors.push(error);
    }

    /// `0:EAX`, `%x0`, `x` or `a[1]`.
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
            let name = self.register_name()?;
            return Ok(Place::Register { thread, thread_span: token.span, name });
        }
        if token.kind == Kind::Percent {
            return Ok(Place::Symbolic(self.register_name()?));
        }
        let name = self.name("a location or a register such as `0:EAX`")?;
        let index = self.index()?;
        Ok(Place::Memory { name, index })
    }

    /// `EAX` or, with the `%` as part of the name, `%rax` or `%x0`.
    fn register_name(&mut self) -> Parsed<Name> {
        let start = self.peek().span;
        let percent = self.eat(Kind::Percent);
        let name = self.name("a register")?;
        let text = if percent { format!("%{}", name.text) } else { name.text };
        Ok(Name { text, span: start.to(name.span) })
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
        self.refuse_qualified()?;
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
}
