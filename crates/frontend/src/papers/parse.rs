//! Parsing: programs, threads and labelled instructions, and what all parts of the parser share.
//!
//! Every error of a text is reported: after one, parsing goes on with the next instruction, thread
//! or `end`.

use program::{Diagnostic, Diagnostics, Expr as Model, Span, Value};

use super::ast::{File, Instruction, Name, Thread};
use super::lex::{Kind, Token};
use super::words::Syntax;
use crate::suggest::did_you_mean;
use crate::token::{Failed, Parsed, Reader, shortened};

/// How many errors are worth reading.
const MAX_ERRORS: usize = 100;

pub(super) struct Parser<'a> {
    pub(super) syntax: Syntax,
    tokens: Vec<Token<'a>>,
    next: usize,
    pub(super) errors: Diagnostics,
    pub(super) expr_depth: usize,
}

/// Parses a whole text.
pub(super) fn file(syntax: Syntax, tokens: Vec<Token<'_>>, errors: Diagnostics) -> File {
    let mut parser = Parser { syntax, tokens, next: 0, errors, expr_depth: 0 };
    let mut file = File::default();
    while parser.peek().kind != Kind::End && parser.has_patience() {
        let start = parser.next;
        if parser.item(&mut file).is_err() {
            if parser.next == start {
                parser.advance();
            }
            while parser.peek().kind != Kind::End && !syntax.items().contains(&parser.peek().text) {
                parser.advance();
            }
        }
    }
    file.errors = parser.errors;
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
    fn item(&mut self, file: &mut File) -> Parsed<()> {
        let token = self.peek();
        match (token.text, self.syntax) {
            ("program", _) => {
                self.advance();
                let name = self.name("a program name")?;
                if let Some(first) = &file.name {
                    let error = Diagnostic::new(token.span, "the program already has a name");
                    self.errors.push(error.related(first.span, "named here"));
                } else {
                    file.name = Some(name);
                }
            }
            ("vars", Syntax::Esop15) => {
                self.advance();
                while self.peek().kind == Kind::Word && self.syntax.is_name(self.peek().text) {
                    let name = self.name("the name of a variable")?;
                    file.variables.push((name, self.initial_value()?));
                    self.eat(Kind::Comma);
                }
            }
            ("procs", Syntax::Esop15) => {
                self.advance();
            }
            (word, syntax) if word == syntax.thread() => {
                self.advance();
                let thread = self.thread()?;
                file.threads.push(thread);
            }
            (word, syntax) => {
                let help = did_you_mean(word, syntax.items().iter().copied())
                    .map(|like| format!("did you mean `{like}`?"));
                let expected = match syntax {
                    Syntax::Esop13 => "`program` or `thread`",
                    Syntax::Esop15 => "`program`, `vars`, `procs` or `process`",
                };
                return self.unexpected_with(expected, help);
            }
        }
        Ok(())
    }

    fn thread(&mut self) -> Parsed<Thread> {
        let name = self.name("the name of a thread")?;
        let mut registers = Vec::new();
        if self.peek().text == "regs" {
            self.advance();
            while self.peek().text != "init" {
                let register = self.register_name("a register or `init`")?;
                registers.push((register, self.initial_value()?));
                self.eat(Kind::Comma);
            }
        }
        self.keyword("init")?;
        let initial = self.name("the initial label")?;
        let begin = self.keyword("begin")?;
        let mut instructions = Vec::new();
        loop {
            let token = self.peek();
            if token.text == "end" {
                self.advance();
                break;
            }
            if token.kind == Kind::End || token.text == self.syntax.thread() {
                let error = Diagnostic::new(begin.span, format!("`{}` does not end", name.text))
                    .label("begun here");
                self.errors.push(error.help("close it with `end`"));
                break;
            }
            if !self.has_patience() {
                return Err(Failed);
            }
            let start = self.next;
            match self.instruction() {
                Ok(instruction) => instructions.push(instruction),
                Err(Failed) => self.recover(start),
            }
        }
        Ok(Thread { name, registers, initial, instructions })
    }

    fn instruction(&mut self) -> Parsed<Instruction> {
        let label = self.name("a label or `end`")?;
        self.expect(Kind::Colon, "`:` after the label")?;
        let statement = self.statement()?;
        self.expect(Kind::Semicolon, "`;` and `goto`")?;
        self.keyword("goto")?;
        let target = self.name("the label to go on with")?;
        self.eat(Kind::Semicolon);
        let span = label.span.to(self.last_span());
        Ok(Instruction { label, statement, target, span })
    }

    /// Goes on after an error: with what looks like the next instruction, or at the end.
    fn recover(&mut self, start: usize) {
        if self.next == start {
            self.advance();
        }
        while self.peek().kind != Kind::End {
            let token = self.peek();
            let before = self.tokens[self.next - 1];
            let ends =
                token.text == "end" && before.text != "goto" || token.text == self.syntax.thread();
            let begins = token.starts_line
                || before.kind == Kind::Semicolon
                || (self.next > 1 && self.tokens[self.next - 2].text == "goto");
            let labelled = token.kind == Kind::Word && self.peek_second().kind == Kind::Colon;
            if ends || (begins && labelled) {
                break;
            }
            self.advance();
        }
    }

    /// `= 5`, if there. Neither paper has it: everything starts with zero there.
    fn initial_value(&mut self) -> Parsed<Value> {
        if !self.eat(Kind::Equals) {
            return Ok(0);
        }
        self.literal()
    }

    pub(super) fn name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.peek();
        if token.kind == Kind::Register {
            let help = format!("`{}` is a register", shortened(token.text));
            return self.unexpected_with(what, Some(help));
        }
        if token.kind != Kind::Word {
            return self.unexpected(what);
        }
        if !self.syntax.is_name(token.text) {
            let help = format!("`{}` means something in the syntax; choose another", token.text);
            return self.unexpected_with(what, Some(help));
        }
        self.advance();
        Ok(Name { text: token.text.to_owned(), span: token.span })
    }

    /// The name of a register, without its `$`.
    pub(super) fn register_name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.peek();
        let text = shortened(token.text);
        match (self.syntax, token.kind) {
            (Syntax::Esop15, Kind::Register) => {
                self.advance();
                Ok(Name { text: token.text[1..].to_owned(), span: token.span })
            }
            (Syntax::Esop15, Kind::Word) if self.syntax.is_name(token.text) => self
                .unexpected_with(what, Some(format!("registers are written with `$`: `${text}`"))),
            (Syntax::Esop13, Kind::Register) => self
                .unexpected_with(what, Some("registers are written without `$` here".to_owned())),
            (Syntax::Esop13 | Syntax::Esop15, _) => self.name(what),
        }
    }

    fn keyword(&mut self, word: &str) -> Parsed<Token<'a>> {
        let token = self.peek();
        if token.text == word {
            return Ok(self.advance());
        }
        let help = did_you_mean(token.text, [word]).map(|like| format!("did you mean `{like}`?"));
        self.unexpected_with(&format!("`{word}`"), help)
    }

    /// Fails if expressions are nested too deep for anyone's good.
    pub(super) fn check_depth(&mut self, depth: usize, span: Span) -> Parsed<()> {
        if depth <= Model::MAX_DEPTH {
            return Ok(());
        }
        let message = format!("expression nested more than {} deep", Model::MAX_DEPTH);
        self.errors.push(Diagnostic::new(span, message).help("split it with another register"));
        Err(Failed)
    }

    fn has_patience(&self) -> bool {
        self.errors.len() < MAX_ERRORS
    }
}
