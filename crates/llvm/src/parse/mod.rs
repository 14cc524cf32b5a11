//! From text to data, by recursive descent.
//!
//! Two rules carry the parser over the versions. Between what begins an entity and its type, and between
//! a type and its value, every unknown word with an optional argument in parentheses is an attribute.
//! And what cannot be parsed although its brackets are balanced is kept as text, one instruction or
//! one top-level entity at a time; only a text that is cut off or is not IR is an error.

mod attributes;
mod call;
mod constant;
mod function;
mod instruction;
mod memory;
mod metadata;
mod result;
mod scope;
mod top_level;
mod types;

use std::borrow::Cow;
use std::fmt;

use rustc_hash::FxHashMap;

use crate::index::{SymbolId, TypeId};
use crate::lexer::{Lexer, Token};
use crate::module::{Linkage, Module, Symbol, SymbolKind};
use crate::names;
use scope::Scope;
use types::CommonTypes;

/// Why a text is not a module, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The line, from 1.
    pub line: u32,
    /// The column, in characters from 1.
    pub column: u32,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

/// Reads a module.
pub fn parse(text: &str) -> Result<Module, ParseError> {
    parse_until(text, &|| false)
}

/// The same, unless a limit is reached meanwhile: `is_over` is asked before every definition and every statement,
/// and after it has said so the error says nothing of the text.
pub fn parse_until(text: &str, is_over: &dyn Fn() -> bool) -> Result<Module, ParseError> {
    if u32::try_from(text.len()).is_err() {
        let message = "a text of 4 GiB or more is not read".to_owned();
        return Err(ParseError { line: 1, column: 1, message });
    }
    let mut parser = Parser::new(text, is_over);
    match parser.module() {
        Ok(()) => Ok(parser.finish()),
        Err(failure) => Err(failure.in_text(text)),
    }
}

/// Types and constants nested deeper are not read: recursion must end before the stack does.
const DEEPEST: u32 = 200;

/// What went wrong, by offset.
#[derive(Debug)]
struct Failure {
    offset: usize,
    message: Cow<'static, str>,
}

impl Failure {
    fn in_text(self, text: &str) -> ParseError {
        let before = &text[..self.offset.min(text.len())];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let lines = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let columns = before[line_start..].chars().count() + 1;
        // The text is below 4 GiB.
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        ParseError {
            line: number(lines),
            column: number(columns),
            message: self.message.into_owned(),
        }
    }
}

type Parsed<T> = Result<T, Failure>;

/// Everything known while a text is read.
struct Parser<'a> {
    lexer: Lexer<'a>,
    is_over: &'a dyn Fn() -> bool,
    module: Module,
    symbols: FxHashMap<Cow<'a, str>, SymbolId>,
    common: CommonTypes,
    named_types: FxHashMap<&'a str, TypeId>,
    pointers: FxHashMap<(TypeId, u32), TypeId>,
    nodes: metadata::Nodes,
    scope: Scope<'a>,
    depth: u32,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, is_over: &'a dyn Fn() -> bool) -> Self {
        let mut module = Module::default();
        let common = CommonTypes::new(&mut module.types);
        Self {
            lexer: Lexer::new(text, 0),
            is_over,
            module,
            symbols: FxHashMap::default(),
            common,
            named_types: FxHashMap::default(),
            pointers: FxHashMap::default(),
            nodes: metadata::Nodes::new(text),
            scope: Scope::default(),
            depth: 0,
        }
    }

    fn finish(mut self) -> Module {
        let (nodes, distinct) = self.nodes.finish();
        self.module.metadata.nodes = nodes;
        self.module.metadata.distinct = distinct;
        self.module
    }

    fn must_go_on(&self) -> Parsed<()> {
        if (self.is_over)() {
            let message = "a limit was reached while the text was read".into();
            return Err(Failure { offset: self.lexer.start, message });
        }
        Ok(())
    }

    fn token(&self) -> Token<'a> {
        self.lexer.token
    }

    fn bump(&mut self) {
        self.lexer.bump();
    }

    fn fail<T>(&self, message: impl Into<Cow<'static, str>>) -> Parsed<T> {
        let message = match self.token() {
            Token::End => Cow::Borrowed("the text ends too early"),
            Token::Unterminated => Cow::Borrowed("this string has no end"),
            Token::Word(_)
            | Token::Label(_)
            | Token::Local(_)
            | Token::Symbol(_)
            | Token::Metadata(_)
            | Token::Hash(_)
            | Token::Comdat(_)
            | Token::Number(_)
            | Token::String(_)
            | Token::Bytes(_)
            | Token::Sign(_)
            | Token::Unknown => message.into(),
        };
        Err(Failure { offset: self.lexer.start, message })
    }

    fn at(&self, sign: u8) -> bool {
        self.token() == Token::Sign(sign)
    }

    fn at_word(&self, word: &str) -> bool {
        self.token() == Token::Word(word)
    }

    fn eat(&mut self, sign: u8) -> bool {
        let here = self.at(sign);
        if here {
            self.bump();
        }
        here
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let here = self.at_word(word);
        if here {
            self.bump();
        }
        here
    }

    fn expect(&mut self, sign: u8) -> Parsed<()> {
        if self.eat(sign) {
            return Ok(());
        }
        self.fail(format!("expected `{}`", char::from(sign)))
    }

    fn expect_word(&mut self, word: &'static str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { self.fail(format!("expected `{word}`")) }
    }

    /// A number that is not negative.
    fn natural<N: std::str::FromStr>(&mut self) -> Parsed<N> {
        if let Token::Number(text) = self.token()
            && let Ok(number) = text.parse()
        {
            self.bump();
            return Ok(number);
        }
        self.fail("expected a number")
    }

    /// `addrspace(N)`, or `addrspace("P")` where the layout names spaces.
    fn address_space(&mut self) -> Parsed<u32> {
        if !self.at_word("addrspace") {
            return Ok(0);
        }
        self.bump();
        self.expect(b'(')?;
        if let Token::String(_) = self.token() {
            self.bump();
            self.expect(b')')?;
            return Ok(0);
        }
        let space = self.natural()?;
        self.expect(b')')?;
        Ok(space)
    }

    /// Goes behind a bracket and all that is in it. Iterative, so as to survive any nesting.
    fn skip_group(&mut self) -> Parsed<()> {
        let mut open = 0_usize;
        loop {
            match self.token() {
                Token::Sign(b'(' | b'[' | b'{') => open += 1,
                Token::Sign(b')' | b']' | b'}') => open = open.saturating_sub(1),
                Token::End | Token::Unterminated => return self.fail("a bracket is not closed"),
                Token::Word(_)
                | Token::Label(_)
                | Token::Local(_)
                | Token::Symbol(_)
                | Token::Metadata(_)
                | Token::Hash(_)
                | Token::Comdat(_)
                | Token::Number(_)
                | Token::String(_)
                | Token::Bytes(_)
                | Token::Sign(_)
                | Token::Unknown => {}
            }
            self.bump();
            if open == 0 {
                return Ok(());
            }
        }
    }

    fn skip_group_at(&mut self, sign: u8) -> Parsed<()> {
        if self.at(sign) { self.skip_group() } else { Ok(()) }
    }

    /// The text from an offset to the end of the token before the current one.
    fn text_from(&self, start: usize) -> &'a str {
        let end = self.lexer.previous_end.max(start);
        &self.lexer.text()[start..end]
    }

    /// Runs a part of the parser one level deeper.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            return self.fail("this is nested too deeply to be read");
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// The symbol of a name, which need not have been met before.
    fn symbol(&mut self, raw: &'a str) -> SymbolId {
        let name = names::identifier(raw);
        if let Some(id) = self.symbols.get(&name) {
            return *id;
        }
        let id = SymbolId::new(self.module.symbols.len());
        self.module.symbols.push(Symbol {
            name: name.clone().into_owned(),
            linkage: Linkage::External,
            kind: SymbolKind::Unknown,
        });
        self.symbols.insert(name, id);
        id
    }
}
