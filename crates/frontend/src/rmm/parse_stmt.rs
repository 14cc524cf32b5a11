//! Parsing: statements, conditions and expressions.
#![expect(clippy::wildcard_enum_match_arm, reason = "a parser names the tokens it accepts")]

use program::{BinaryOp, Diagnostic, Span};

use super::ast::{Block, Condition, Expr, Kind as Statements, Name, Place, Statement};
use super::lex::Kind;
use super::parse::{Parser, around};
use crate::token::{Failed, MOST_NEGATED, Nested, Parsed, Reader};

impl Parser<'_> {
    /// Statements with semicolons between them.
    pub(super) fn statements(&mut self) -> Parsed<Vec<Statement>> {
        let mut statements = vec![self.statement()?];
        while self.eat(Kind::Semicolon) {
            // A semicolon after the last statement does no harm.
            if matches!(self.peek().kind, Kind::CloseBrace | Kind::End)
                || matches!(self.peek().text, "process" | "or")
            {
                break;
            }
            statements.push(self.statement()?);
        }
        Ok(statements)
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let label = if self.is_name() && self.peek_second().kind == Kind::Colon {
            let label = self.name("a label")?;
            self.advance();
            Some(label)
        } else {
            None
        };
        let start = self.peek().span;
        self.deeper(start)?;
        let kind = self.kind();
        self.depth -= 1;
        Ok(Statement { label, kind: kind?, span: start.to(self.last_span()) })
    }

    fn kind(&mut self) -> Parsed<Statements> {
        let token = self.peek();
        if token.kind == Kind::Register {
            let register = self.register()?;
            self.expect(Kind::Becomes, "`:=`")?;
            return Ok(Statements::Assign { register, value: self.expr()? });
        }
        if token.kind == Kind::OpenBrace {
            return Ok(Statements::Group(self.braces()?.remove(0)));
        }
        if token.kind != Kind::Word {
            return self.unexpected("a statement");
        }
        self.advance();
        Ok(match token.text {
            "nop" => Statements::Nop,
            "fence" => Statements::Fence,
            "ssfence" => Statements::StoreFence,
            "llfence" => Statements::LoadFence,
            "goto" => Statements::Goto(self.name("a label")?),
            "assume" => {
                self.colon()?;
                Statements::Assume(self.condition()?)
            }
            "read" => {
                self.colon()?;
                if self.peek().kind == Kind::Register {
                    let register = self.register()?;
                    self.expect(Kind::Becomes, "`:=`")?;
                    Statements::Read { register, place: self.place()? }
                } else {
                    let place = self.place()?;
                    self.expect(Kind::Eq, "`=` and the value that is waited for")?;
                    Statements::ReadEqual { place, value: self.expr()? }
                }
            }
            "write" => self.write(false)?,
            "syncwr" => self.write(true)?,
            "locked" if self.peek().text == "write" => {
                self.advance();
                self.write(true)?
            }
            "locked" => Statements::Locked(self.braces()?),
            "either" => Statements::Either(self.braces()?),
            "cas" => {
                self.expect(Kind::OpenParen, "`(`")?;
                let place = self.place()?;
                self.expect(Kind::Comma, "`,` and the expected value")?;
                let expected = self.expr()?;
                self.expect(Kind::Comma, "`,` and the new value")?;
                let new = self.expr()?;
                self.expect(Kind::CloseParen, "`)`")?;
                Statements::Cas { place, expected, new }
            }
            "if" => {
                let condition = self.condition()?;
                self.word("then")?;
                let then = self.body()?;
                let otherwise = if self.peek().text == "else" {
                    self.advance();
                    Some(self.body()?)
                } else {
                    None
                };
                Statements::If { condition, then, otherwise }
            }
            "while" => {
                let condition = self.condition()?;
                self.word("do")?;
                Statements::While { condition, body: self.body()? }
            }
            "syncrd" | "slocked" => {
                let message = format!("`{}` belongs to another memory model than TSO", token.text);
                let help = "use `read` and `locked write`";
                self.errors.push(Diagnostic::new(token.span, message).help(help));
                return Err(Failed);
            }
            _ => {
                self.go_to(self.position() - 1);
                return self.unexpected("a statement");
            }
        })
    }

    fn write(&mut self, locked: bool) -> Parsed<Statements> {
        self.colon()?;
        let place = self.place()?;
        self.expect(Kind::Becomes, "`:=`")?;
        Ok(Statements::Write { place, value: self.expr()?, locked })
    }

    fn colon(&mut self) -> Parsed<()> {
        self.expect(Kind::Colon, "`:`").map(|_| ())
    }

    fn word(&mut self, word: &str) -> Parsed<()> {
        if self.peek().text != word {
            return self.unexpected(&format!("`{word}`"));
        }
        self.advance();
        Ok(())
    }

    /// The statement that a condition governs: one in braces, or one without.
    fn body(&mut self) -> Parsed<Block> {
        if self.peek().kind == Kind::OpenBrace {
            return Ok(self.braces()?.remove(0));
        }
        let start = self.peek().span;
        let statement = self.statement()?;
        let span = around(start.to(statement.span));
        Ok(Block { statements: vec![statement], span })
    }

    /// `{ … or … }`: at least one alternative.
    fn braces(&mut self) -> Parsed<Vec<Block>> {
        let mut opening = self.expect(Kind::OpenBrace, "`{`")?.span;
        let mut blocks = Vec::new();
        loop {
            let statements = self.statements()?;
            let closing = self.peek();
            let filled = Span { start: opening.end, end: closing.span.start, ..opening };
            blocks.push(Block { statements, span: around(filled) });
            opening = closing.span;
            if self.eat(Kind::CloseBrace) {
                return Ok(blocks);
            }
            if closing.text != "or" {
                return self.unexpected("`;`, `or` or `}`");
            }
            self.advance();
        }
    }

    fn register(&mut self) -> Parsed<Name> {
        let token = self.expect(Kind::Register, "a register such as `$r`")?;
        Ok(Name { text: token.text.to_owned(), span: token.span })
    }

    fn place(&mut self) -> Parsed<Place> {
        let start = self.peek().span;
        if self.eat(Kind::OpenBracket) {
            let address = self.expr()?;
            self.expect(Kind::CloseBracket, "`]`")?;
            return Ok(Place::Pointer { address, span: start.to(self.last_span()) });
        }
        let name = self.name("a memory location")?;
        if !self.eat(Kind::OpenBracket) {
            return Ok(Place::Global(name));
        }
        let owner = if self.peek().text == "my" {
            self.advance();
            None
        } else {
            let number = self.expect(Kind::Number, "`my` or the number of another process")?;
            Some(number.text.parse().unwrap_or(u32::MAX))
        };
        self.expect(Kind::CloseBracket, "`]`")?;
        Ok(Place::Local { name, owner, span: start.to(self.last_span()) })
    }

    fn expr(&mut self) -> Parsed<Expr> {
        let mut left = self.unit()?;
        let depth = self.depth;
        loop {
            let op = match self.peek().kind {
                Kind::Plus => BinaryOp::Add,
                Kind::Minus => BinaryOp::Sub,
                _ => break,
            };
            let span = self.advance().span;
            self.deeper(span)?;
            left = Expr::Binary(op, Box::new(left), Box::new(self.unit()?));
        }
        self.depth = depth;
        Ok(left)
    }

    fn unit(&mut self) -> Parsed<Expr> {
        let token = self.peek();
        match token.kind {
            Kind::Number => {
                self.advance();
                Ok(Expr::Number(self.number(token)?, token.span))
            }
            Kind::Register => Ok(Expr::Register(self.register()?)),
            Kind::Minus => {
                self.advance();
                self.deeper(token.span)?;
                let operand = self.unit()?;
                self.depth -= 1;
                let span = token.span.to(operand.span());
                Ok(match operand {
                    Expr::Number(value, _) if value <= MOST_NEGATED => Expr::Number(-value, span),
                    operand => Expr::Negated(Box::new(operand), span),
                })
            }
            Kind::OpenParen => {
                self.advance();
                self.deeper(token.span)?;
                let inner = self.expr()?;
                self.depth -= 1;
                self.expect(Kind::CloseParen, "`)`")?;
                Ok(inner)
            }
            Kind::Word if matches!(token.text, "me" | "other") => self.refused_value(),
            Kind::At => self.refused_value(),
            _ => self.unexpected("a register, a number or `(`"),
        }
    }

    fn refused_value(&mut self) -> Parsed<Expr> {
        let token = self.peek();
        let message =
            format!("the number of a process (`{}`) cannot be used as a value", token.text);
        let help = "Memorax refuses it, too; write one process for each number";
        self.errors.push(Diagnostic::new(token.span, message).help(help));
        Err(Failed)
    }

    pub(super) fn condition(&mut self) -> Parsed<Condition> {
        let start = self.peek().span;
        let depth = self.depth;
        self.deeper(start)?;
        let mut left = self.conjunction()?;
        while self.eat(Kind::Or) {
            self.deeper(start)?;
            left = Condition::Or(Box::new(left), Box::new(self.conjunction()?));
        }
        self.depth = depth;
        Ok(left)
    }

    fn conjunction(&mut self) -> Parsed<Condition> {
        let mut left = self.negation()?;
        let depth = self.depth;
        while self.eat(Kind::And) {
            self.deeper(self.last_span())?;
            left = Condition::And(Box::new(left), Box::new(self.negation()?));
        }
        self.depth = depth;
        Ok(left)
    }

    fn negation(&mut self) -> Parsed<Condition> {
        let token = self.peek();
        match token.text {
            "not" => {
                self.advance();
                self.deeper(token.span)?;
                let inner = self.negation()?;
                self.depth -= 1;
                Ok(Condition::Not(Box::new(inner), token.span.to(self.last_span())))
            }
            "true" | "false" => {
                self.advance();
                Ok(Condition::Constant(token.text == "true", token.span))
            }
            "[" => {
                self.advance();
                let inner = self.condition()?;
                self.expect(Kind::CloseBracket, "`]`")?;
                Ok(inner)
            }
            _ => {
                let left = self.expr()?;
                let op = match self.peek().kind {
                    Kind::Eq => BinaryOp::Eq,
                    Kind::Ne => BinaryOp::Ne,
                    Kind::Lt => BinaryOp::Lt,
                    Kind::Le => BinaryOp::Le,
                    Kind::Gt => BinaryOp::Gt,
                    Kind::Ge => BinaryOp::Ge,
                    _ => return self.unexpected("a comparison"),
                };
                self.advance();
                Ok(Condition::Compared(op, left, self.expr()?))
            }
        }
    }
}
