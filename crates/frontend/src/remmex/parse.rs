//! Parsing: declarations. After an error the parser goes on with the next thread.

use std::collections::{BTreeMap, BTreeSet};

use program::{Diagnostics, IntType, Span, Value};

use super::lex::{Kind, Token};
use crate::fw::ast::{
    Block, Domain, Expr, File, Initial, Local, Name, Replication, Shared, Stmt, StmtKind, Thread,
};
use crate::rmm::tree;
use crate::token::{Nested, Parsed, Reader};

/// Words that cannot be names.
const RESERVED: &[&str] = &[
    "LOCK", "UNLOCK", "active", "assert", "bool", "break", "byte", "do", "else", "false", "fi",
    "goto", "if", "int", "load", "loadval", "mfence", "od", "proctype", "short", "skip", "store",
    "true",
];

pub(super) struct Parser<'t> {
    tokens: Vec<Token<'t>>,
    next: usize,
    pub(super) errors: Diagnostics,
    pub(super) depth: usize,
    /// How many registers for values from memory the current thread needs.
    pub(super) temporaries: usize,
    /// The registers of the current thread.
    pub(super) registers: BTreeSet<String>,
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
pub(super) fn file(tokens: Vec<Token<'_>>, errors: Diagnostics) -> File {
    let mut parser =
        Parser { tokens, next: 0, errors, depth: 0, temporaries: 0, registers: BTreeSet::new() };
    let mut file = tree::empty_file();
    while parser.peek().kind != Kind::End {
        let start = parser.next;
        if parser.item(&mut file).is_err() {
            parser.depth = 0;
            if parser.next == start {
                parser.advance();
            }
            while !matches!(parser.peek().text, "proctype" | "active")
                && parser.peek().kind != Kind::End
            {
                parser.advance();
            }
        }
    }
    name_apart(&mut file.threads);
    file.errors = parser.errors;
    file
}

/// Threads of the same name get numbers.
fn name_apart(threads: &mut [Thread]) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let taken: BTreeSet<String> = threads.iter().map(|thread| thread.name.text.clone()).collect();
    for thread in threads {
        let count = counts.entry(thread.name.text.clone()).or_default();
        *count += 1;
        if *count > 1 {
            let mut name = format!("{}_{count}", thread.name.text);
            while taken.contains(&name) {
                name.push('_');
            }
            thread.name.text = name;
        }
    }
}

impl Parser<'_> {
    fn item(&mut self, file: &mut File) -> Parsed<()> {
        match self.peek().text {
            "int" | "bool" | "byte" | "short" => {
                let domain = self.kind_of_values();
                loop {
                    let shared = self.shared(domain)?;
                    file.shared.push(shared);
                    if !self.eat(Kind::Comma) {
                        break;
                    }
                }
                self.eat(Kind::Semicolon);
                Ok(())
            }
            "proctype" | "active" => {
                let thread = self.thread()?;
                file.threads.push(thread);
                self.eat(Kind::Semicolon);
                Ok(())
            }
            _ => self.unexpected("a declaration such as `int x;` or `proctype`"),
        }
    }

    /// What a type can hold; all integers for `int`.
    fn kind_of_values(&mut self) -> Held {
        match self.advance().text {
            "bool" => Held::Bool,
            "byte" => Held::Int(8, false),
            "short" => Held::Int(16, true),
            _ => Held::All,
        }
    }

    fn shared(&mut self, held: Held) -> Parsed<Shared> {
        let name = self.name("the name of a variable")?;
        let length = if self.eat(Kind::OpenBracket) {
            let length = self.expr()?.plain(self)?;
            self.expect(Kind::CloseBracket, "`]`")?;
            Some(length)
        } else {
            None
        };
        let initial = if self.eat(Kind::Assign) {
            if self.eat(Kind::OpenBrace) {
                let mut values = vec![self.expr()?.plain(self)?];
                while self.eat(Kind::Comma) {
                    values.push(self.expr()?.plain(self)?);
                }
                self.expect(Kind::CloseBrace, "`}`")?;
                Some(Initial::Each(values))
            } else {
                Some(Initial::One(self.expr()?.plain(self)?))
            }
        } else {
            None
        };
        let domain = held.domain(name.span);
        Ok(Shared { name, length, domain, initial, base: None, stride: None, parts: None })
    }

    fn thread(&mut self) -> Parsed<Thread> {
        let mut replication = Replication::One;
        if self.peek().text == "active" {
            self.advance();
            if self.eat(Kind::OpenBracket) {
                replication = Replication::Copies(self.expr()?.plain(self)?);
                self.expect(Kind::CloseBracket, "`]`")?;
            }
            if self.peek().text != "proctype" {
                return self.unexpected("`proctype`");
            }
        }
        self.advance();
        let name = self.name("the name of a thread")?;
        if self.eat(Kind::OpenParen) {
            self.expect(Kind::CloseParen, "`)`, since threads have no parameters")?;
        }
        let opening = self.expect(Kind::OpenBrace, "`{`")?.span;
        self.temporaries = 0;
        self.registers.clear();
        let mut statements = self.statements()?;
        let closing = self.expect(Kind::CloseBrace, "a statement or `}`")?.span;
        let temporaries = (1..=self.temporaries).map(|number| {
            let name = Name { text: temporary(number), span: Span::NONE };
            let local = Local { name, domain: None, initial: None };
            tree::statement(StmtKind::Local(vec![local]), Span::NONE)
        });
        statements.splice(0..0, temporaries);
        Ok(Thread { name, replication, body: Block { statements, span: opening.to(closing) } })
    }

    /// `int r, s = 1`: registers.
    pub(super) fn locals(&mut self) -> Parsed<Stmt> {
        let start = self.peek().span;
        let held = self.kind_of_values();
        let mut locals = Vec::new();
        loop {
            let name = self.name("the name of a variable")?;
            let initial =
                if self.eat(Kind::Assign) { Some(self.expr()?.plain(self)?) } else { None };
            self.registers.insert(name.text.clone());
            let domain = held.domain(name.span);
            locals.push(Local { name, domain, initial });
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        Ok(tree::statement(StmtKind::Local(locals), start.to(self.last_span())))
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

/// What a variable can hold.
#[derive(Clone, Copy)]
enum Held {
    All,
    Bool,
    Int(u8, bool),
}

impl Held {
    fn domain(self, span: Span) -> Option<Domain> {
        match self {
            Self::All => None,
            Self::Bool => Some(tree::domain((0, 1), span)),
            Self::Int(bits, signed) => IntType::new(bits, signed).map(Domain::Int),
        }
    }
}

/// What a register for a value from memory is called.
pub(super) fn temporary(number: usize) -> String {
    format!("${number}")
}

/// A number as an expression.
pub(super) const fn number(value: Value, span: Span) -> Expr {
    tree::number(value, span)
}
