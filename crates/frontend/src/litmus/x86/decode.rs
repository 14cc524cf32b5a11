//! Reading the cells of a thread.
#![expect(clippy::wildcard_enum_match_arm, reason = "a parser names the tokens it accepts")]

use std::collections::BTreeMap;

use program::{Diagnostic, Diagnostics, Span, Value};

use super::super::ast::{Column, Item, Name};
use super::super::lex::{Kind, Token};
use super::super::parse::{not_a_number, number};
use super::check::destination_is_last;
use super::syntax::{Code, Line, Memory, Operand, Operation};
use super::{Dialect, mnemonic, register};
use crate::suggest::did_you_mean;
use crate::token::{Failed, Parsed, shortened, unexpected};

/// The instructions of a thread. What cannot be read is left out.
pub(super) fn code(dialect: Dialect, column: &Column<'_>, errors: &mut Diagnostics) -> Code {
    let mut code = Code { lines: Vec::new(), labels: Vec::new(), end: column.name.span };
    let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
    for item in &column.items {
        match item {
            Item::Label(name) => {
                if let Some(first) = seen.insert(&name.text, name.span) {
                    let message = format!("label `{}` is defined twice", name.text);
                    let error = Diagnostic::new(name.span, message);
                    errors.push(error.related(first, "first defined here"));
                }
                code.labels.push((name.clone(), code.lines.len()));
                code.end = name.span;
            }
            Item::Instruction(tokens) => {
                let [first, .., last] = tokens else {
                    let [only] = tokens else { continue };
                    code.end = only.span;
                    code.lines.extend(line(dialect, tokens, only.span, errors));
                    continue;
                };
                code.end = last.span;
                code.lines.extend(line(dialect, tokens, first.span.to(last.span), errors));
            }
        }
    }
    code
}

fn line(
    dialect: Dialect,
    tokens: &[Token<'_>],
    span: Span,
    errors: &mut Diagnostics,
) -> Option<Line> {
    let end = Span { start: span.end, ..span };
    let mut cell = Cell { dialect, tokens, next: 0, end, errors };
    cell.line(span).ok()
}

/// The tokens of one cell.
pub(super) struct Cell<'a> {
    pub(super) dialect: Dialect,
    tokens: &'a [Token<'a>],
    next: usize,
    end: Span,
    pub(super) errors: &'a mut Diagnostics,
}

impl<'a> Cell<'a> {
    fn line(&mut self, span: Span) -> Parsed<Line> {
        let mut first = self.advance();
        let locked = first.text.eq_ignore_ascii_case("lock");
        if locked {
            first = self.advance();
        }
        if first.kind != Kind::Word {
            self.errors.push(unexpected(first, "an instruction"));
            return Err(Failed);
        }
        let word = first.text.to_ascii_lowercase();
        let Some((operation, suffix)) = mnemonic::find(&word) else {
            self.errors.push(unknown(&first));
            return Err(Failed);
        };
        let mut line =
            Line { operation, locked, bits: suffix, operands: Vec::new(), target: None, span };
        match operation {
            // What a `nop` addresses it does not access.
            Operation::Nothing => return Ok(line),
            Operation::Jump | Operation::JumpIf(_) => {
                let target = self.advance();
                if target.kind != Kind::Word {
                    self.errors.push(unexpected(target, "a label"));
                    return Err(Failed);
                }
                line.target = Some(Name { text: target.text.to_owned(), span: target.span });
            }
            _ => {
                while self.peek().kind != Kind::End {
                    line.operands.push(self.operand()?);
                    if self.peek().kind != Kind::Comma {
                        break;
                    }
                    self.advance();
                }
            }
        }
        if self.peek().kind != Kind::End {
            self.errors.push(unexpected(self.peek(), "the end of the instruction"));
            return Err(Failed);
        }
        self.check_count(&line, first)?;
        if destination_is_last(self.dialect, &line) {
            line.operands.reverse();
        }
        self.check_widths(&mut line)?;
        self.check_lock(&line)?;
        Ok(line)
    }

    fn operand(&mut self) -> Parsed<Operand> {
        let token = self.peek();
        match token.kind {
            Kind::Dollar => {
                self.advance();
                if self.peek().kind == Kind::Word {
                    let token = self.advance();
                    return Ok(Operand::Address(name(token)));
                }
                self.number().map(Operand::Immediate)
            }
            Kind::Number | Kind::Minus => {
                let value = self.number()?;
                match self.peek().kind {
                    Kind::OpenParen | Kind::OpenBracket => self.memory(value, token.span),
                    _ => Ok(Operand::Immediate(value)),
                }
            }
            Kind::OpenParen | Kind::OpenBracket => self.memory(0, token.span),
            Kind::Percent | Kind::Word => {
                let (word, span) = self.register_word();
                if self.peek().kind == Kind::Colon && register::is_flat_segment(word.text) {
                    self.advance();
                    let displacement =
                        if self.peek().kind == Kind::Number { self.number()? } else { 0 };
                    return self.memory(displacement, span);
                }
                match register::find(self.dialect, word.text) {
                    Some(part) if word.kind == Kind::Word => Ok(Operand::Register(part, span)),
                    _ => self.unknown_register(word, span),
                }
            }
            _ => {
                self.errors.push(unexpected(token, "an operand"));
                Err(Failed)
            }
        }
    }

    /// `(x)`, `[x]`, `(%rbx)`, `(%rbx,%rcx,8)`, after the displacement.
    fn memory(&mut self, displacement: Value, start: Span) -> Parsed<Operand> {
        let close = match self.advance().kind {
            Kind::OpenParen => Kind::CloseParen,
            _ => Kind::CloseBracket,
        };
        let mut memory = Memory { name: None, displacement, registers: Vec::new(), span: start };
        match self.peek().kind {
            Kind::Number | Kind::Minus => memory.displacement += self.number()?,
            _ => {
                let marked = self.peek().kind == Kind::Percent;
                let (word, span) = self.register_word();
                match register::find(self.dialect, word.text) {
                    Some(_) => {
                        let part = self.address_register(word, span)?;
                        memory.registers.push((part, 1));
                    }
                    None if marked || displacement != 0 || word.kind != Kind::Word => {
                        return self.unknown_register(word, span);
                    }
                    None => memory.name = Some(name(word)),
                }
            }
        }
        if memory.name.is_none() && self.peek().kind == Kind::Comma {
            self.advance();
            let (word, span) = self.register_word();
            let part = self.address_register(word, span)?;
            let mut scale = 1;
            if self.peek().kind == Kind::Comma {
                self.advance();
                let token = self.peek();
                scale = self.number()?;
                if !matches!(scale, 1 | 2 | 4 | 8) {
                    let error = Diagnostic::new(token.span, "a scale is 1, 2, 4 or 8");
                    self.errors.push(error);
                    return Err(Failed);
                }
            }
            memory.registers.push((part, scale));
        }
        let last = self.advance();
        if last.kind != close {
            let what = if close == Kind::CloseParen { "`)`" } else { "`]`" };
            self.errors.push(unexpected(last, what));
            return Err(Failed);
        }
        memory.span = start.to(last.span);
        Ok(Operand::Memory(memory))
    }

    fn address_register(&mut self, word: Token<'_>, span: Span) -> Parsed<register::Part> {
        let Some(part) = register::find(self.dialect, word.text) else {
            return self.unknown_register(word, span);
        };
        let bits = match self.dialect {
            Dialect::Intel => 32,
            Dialect::Att => 64,
        };
        if part.bits == bits {
            return Ok(part);
        }
        let message = format!("an address has {bits} bits, this register {}", part.bits);
        let help = format!("write `{}`", part.whole);
        self.errors.push(Diagnostic::new(span, message).help(help));
        Err(Failed)
    }

    /// A word, with `%` before it or not.
    fn register_word(&mut self) -> (Token<'a>, Span) {
        let start = self.peek().span;
        if self.peek().kind == Kind::Percent {
            self.advance();
        }
        let word = self.advance();
        (word, start.to(word.span))
    }

    fn unknown_register<T>(&mut self, word: Token<'_>, span: Span) -> Parsed<T> {
        if word.kind != Kind::Word {
            self.errors.push(unexpected(word, "a register"));
            return Err(Failed);
        }
        let shown = shortened(word.text);
        let error = Diagnostic::new(span, format!("there is no register `{shown}`"));
        let names = register::names(self.dialect);
        let cased = match self.dialect {
            Dialect::Intel => shown.to_ascii_uppercase(),
            Dialect::Att => shown.to_ascii_lowercase(),
        };
        self.errors.push(match (did_you_mean(&cased, names), self.dialect) {
            (Some(like), _) => error.help(format!("did you mean `{like}`?")),
            (None, Dialect::Intel) => error.help(format!("a location is written `[{shown}]`")),
            (None, Dialect::Att) => error.help(format!("a location is written `({shown})`")),
        });
        Err(Failed)
    }

    fn number(&mut self) -> Parsed<Value> {
        let negative = self.peek().kind == Kind::Minus;
        if negative {
            self.advance();
        }
        let token = self.advance();
        if token.kind != Kind::Number {
            self.errors.push(unexpected(token, "a number"));
            return Err(Failed);
        }
        match number(token.text) {
            Some(value) if negative => Ok(-value),
            Some(value) => Ok(value),
            None => {
                self.errors.push(not_a_number(token));
                Err(Failed)
            }
        }
    }

    fn peek(&self) -> Token<'a> {
        let end = Token { kind: Kind::End, text: "", span: self.end, starts_line: true };
        self.tokens.get(self.next).copied().unwrap_or(end)
    }

    fn advance(&mut self) -> Token<'a> {
        let token = self.peek();
        self.next += 1;
        token
    }
}

fn name(token: Token<'_>) -> Name {
    Name { text: token.text.to_owned(), span: token.span }
}

fn unknown(token: &Token<'_>) -> Diagnostic {
    let shown = shortened(token.text);
    let lower = shown.to_ascii_lowercase();
    if lower.starts_with("movnt") {
        return Diagnostic::new(token.span, format!("`{shown}` is a non-temporal move"))
            .label("not part of the TSO model")
            .help("non-temporal stores are not ordered as TSO orders stores");
    }
    if matches!(lower.as_str(), "jp" | "jnp" | "jpe" | "jpo") {
        return Diagnostic::new(token.span, "the parity flag is not modelled");
    }
    let error = Diagnostic::new(token.span, format!("unknown instruction `{shown}`"));
    let upper = shown.chars().any(|c| c.is_ascii_uppercase());
    match did_you_mean(&lower, mnemonic::suggestions()) {
        Some(like) if upper => error.help(format!("did you mean `{}`?", like.to_ascii_uppercase())),
        Some(like) => error.help(format!("did you mean `{like}`?")),
        None => error,
    }
}
