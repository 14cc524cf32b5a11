//! The tokens of one instruction.

use program::value::is_at_rest;
use program::{Diagnostic, Diagnostics, Span, Value};

use super::super::ast::Name;
use super::super::lex::{Kind, Token};
use super::super::parse::{not_a_number, number};
use super::syntax::{Register, Term};
use super::{InstructionSet, find};
use crate::suggest::did_you_mean;
use crate::token::{Failed, Parsed, shortened, unexpected};

/// The tokens of one cell, read one after the other.
pub(in crate::litmus) struct Cell<'a> {
    isa: &'a dyn InstructionSet,
    tokens: &'a [Token<'a>],
    next: usize,
    span: Span,
    errors: &'a mut Diagnostics,
}

impl<'a> Cell<'a> {
    pub(super) fn new(
        isa: &'a dyn InstructionSet,
        tokens: &'a [Token<'a>],
        span: Span,
        errors: &'a mut Diagnostics,
    ) -> Self {
        Self { isa, tokens, next: 0, span, errors }
    }

    /// Where the whole instruction stands.
    pub(in crate::litmus) const fn span(&self) -> Span {
        self.span
    }

    pub(in crate::litmus) fn peek(&self) -> Token<'a> {
        self.peek_at(0)
    }

    pub(in crate::litmus) fn peek_at(&self, distance: usize) -> Token<'a> {
        let end = Span { start: self.span.end, ..self.span };
        let nothing = Token { kind: Kind::End, text: "", span: end, starts_line: false };
        self.tokens.get(self.next + distance).copied().unwrap_or(nothing)
    }

    pub(in crate::litmus) fn advance(&mut self) -> Token<'a> {
        let token = self.peek();
        self.next += 1;
        token
    }

    pub(in crate::litmus) fn eat(&mut self, kind: Kind) -> bool {
        let found = self.peek().kind == kind;
        self.next += usize::from(found);
        found
    }

    pub(in crate::litmus) fn expect(&mut self, kind: Kind, what: &str) -> Parsed<Token<'a>> {
        if self.peek().kind == kind { Ok(self.advance()) } else { self.unexpected(what) }
    }

    pub(in crate::litmus) fn comma(&mut self) -> Parsed<()> {
        self.expect(Kind::Comma, "`,`").map(|_| ())
    }

    pub(in crate::litmus) fn unexpected<T>(&mut self, expected: &str) -> Parsed<T> {
        self.fail(unexpected_in_cell(self.peek(), expected))
    }

    pub(in crate::litmus) fn fail<T>(&mut self, error: Diagnostic) -> Parsed<T> {
        self.errors.push(error);
        Err(Failed)
    }

    /// The error that this instruction is known but cannot be modelled.
    pub(in crate::litmus) fn unsupported<T>(&mut self, what: &str, help: &str) -> Parsed<T> {
        self.fail(Diagnostic::new(self.span, format!("{what} cannot be modelled")).help(help))
    }

    /// Whether the cell is over.
    pub(in crate::litmus) fn is_at_end(&self) -> bool {
        self.peek().kind == Kind::End
    }

    pub(super) fn finish(&mut self) -> Parsed<()> {
        if self.is_at_end() { Ok(()) } else { self.unexpected("the end of the instruction") }
    }

    /// The mnemonic, in lower case.
    pub(in crate::litmus) fn mnemonic(&mut self) -> Parsed<String> {
        let token = self.expect(Kind::Word, "an instruction")?;
        Ok(token.text.to_ascii_lowercase())
    }

    /// The error that there is no such mnemonic.
    pub(in crate::litmus) fn unknown<T>(&mut self) -> Parsed<T> {
        let token = self.tokens.first().copied().unwrap_or(self.peek());
        let word = shortened(token.text);
        let mut error = Diagnostic::new(token.span, format!("unknown instruction `{word}`"));
        let lower = word.to_ascii_lowercase();
        error.help = did_you_mean(&lower, self.isa.mnemonics()).map(|like| {
            let upper = word.chars().all(|c| !c.is_ascii_lowercase());
            let like = if upper { like.to_ascii_uppercase() } else { like.to_owned() };
            format!("did you mean `{like}`?")
        });
        self.fail(error)
    }

    /// Whether a register comes next, or a word that could only be one.
    pub(in crate::litmus) fn at_word_or_register(&self) -> bool {
        self.peek().kind == Kind::Word || self.at_register()
    }

    /// Whether a register comes next.
    pub(in crate::litmus) fn at_register(&self) -> bool {
        let token = self.peek();
        token.kind == Kind::Percent
            || self.half().is_some()
            || token.kind == Kind::Word && self.isa.register(token.text).is_some()
    }

    /// The width of a symbolic register of A64: 32 before `W%x`.
    fn half(&self) -> Option<u8> {
        let bits = match self.peek().text {
            "W" => 32,
            "X" => 64,
            _ => return None,
        };
        (self.peek_at(1).kind == Kind::Percent).then_some(bits)
    }

    /// A register, perhaps a symbolic one: `r1`, `%x`, `W%x`.
    pub(in crate::litmus) fn register(&mut self) -> Parsed<Register> {
        if let Some(bits) = self.half() {
            self.advance();
            return Ok(self.register()?.with_bits(bits));
        }
        let token = self.peek();
        if self.eat(Kind::Percent) {
            let name = self.expect(Kind::Word, "the name of a symbolic register")?;
            let found = find(self.isa, &format!("%{}", name.text));
            return found.ok_or(Failed);
        }
        if token.kind != Kind::Word {
            return self.unexpected("a register");
        }
        let Some(register) = self.isa.register(token.text) else {
            return self.fail(unknown_register(self.isa, token.text, token.span));
        };
        self.advance();
        Ok(register)
    }

    /// A register and the comma after it.
    pub(in crate::litmus) fn register_and_comma(&mut self) -> Parsed<Register> {
        let register = self.register()?;
        self.comma()?;
        Ok(register)
    }

    /// A register as a term.
    pub(in crate::litmus) fn value(&mut self) -> Parsed<Term> {
        Ok(term(self.register()?))
    }

    /// A number, perhaps after `#` and a sign.
    pub(in crate::litmus) fn number(&mut self) -> Parsed<Value> {
        self.eat(Kind::Hash);
        let negative = self.eat(Kind::Minus);
        let token = self.expect(Kind::Number, "a number")?;
        let value = number(token.text).map(|value| if negative { -value } else { value });
        match value.filter(|value| is_at_rest(*value)) {
            Some(value) => Ok(value),
            None => self.fail(not_a_number(token)),
        }
    }

    /// A number in these bounds.
    pub(in crate::litmus) fn number_up_to(&mut self, greatest: Value) -> Parsed<Value> {
        let span = self.peek().span;
        let value = self.number()?;
        if (0..=greatest).contains(&value) {
            return Ok(value);
        }
        let help = match greatest {
            0 => "only 0 is possible".to_owned(),
            _ => format!("0 to {greatest} are possible"),
        };
        self.fail(Diagnostic::new(span, format!("{value} is out of range")).help(help))
    }

    /// The label that is jumped to, or how many bytes ahead or back it is: `.+8`.
    pub(in crate::litmus) fn label(&mut self) -> Parsed<Name> {
        let token = self.expect(Kind::Word, "a label")?;
        let signs = [(Kind::Plus, '+'), (Kind::Minus, '-')];
        let Some((_, sign)) = signs.into_iter().find(|(kind, _)| *kind == self.peek().kind) else {
            return Ok(Name { text: token.text.to_owned(), span: token.span });
        };
        if token.text != "." {
            return self.unexpected("the end of the instruction");
        }
        self.advance();
        let bytes = self.expect(Kind::Number, "a number of bytes")?;
        Ok(Name { text: format!(".{sign}{}", bytes.text), span: token.span.to(bytes.span) })
    }

    /// Whether the next token is this word, in any case; if so, takes it.
    pub(in crate::litmus) fn eat_word(&mut self, word: &str) -> bool {
        let token = self.peek();
        let found = token.kind == Kind::Word && token.text.eq_ignore_ascii_case(word);
        self.next += usize::from(found);
        found
    }
}

/// The value of a register.
pub(in crate::litmus) fn term(register: Register) -> Term {
    match register {
        Register::Zero { .. } => Term::Number(0),
        Register::Named { .. } => Term::Register(register),
    }
}

fn unexpected_in_cell(token: Token<'_>, expected: &str) -> Diagnostic {
    if token.kind != Kind::End {
        return unexpected(token, expected);
    }
    let message = format!("expected {expected}, found the end of the instruction");
    Diagnostic::new(token.span, message).label(format!("expected {expected}"))
}

pub(super) fn unknown_register(isa: &dyn InstructionSet, name: &str, span: Span) -> Diagnostic {
    let shown = shortened(name);
    let mut error = Diagnostic::new(span, format!("there is no register `{shown}`"));
    let names = isa.register_names();
    error.help = did_you_mean(&shown, names.iter().map(String::as_str))
        .map(|like| format!("did you mean `{like}`?"));
    error
}
