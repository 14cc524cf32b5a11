//! Parsing: statements. Here the two syntaxes differ most.

use super::ast::{Expr, ExprKind, Statement};
use super::lex::Kind;
use super::parse::Parser;
use super::words::Syntax;
use crate::suggest::did_you_mean;
use crate::token::{Parsed, Reader, shortened};

impl Parser<'_> {
    pub(super) fn statement(&mut self) -> Parsed<Statement> {
        match self.syntax {
            Syntax::Esop13 => self.esop13_statement(),
            Syntax::Esop15 => self.esop15_statement(),
        }
    }

    fn esop13_statement(&mut self) -> Parsed<Statement> {
        match self.peek().text {
            "mfence" => {
                self.advance();
                Ok(Statement::Fence)
            }
            "assert" => {
                self.advance();
                self.expr().map(Statement::Assume)
            }
            "mem" => {
                let address = self.memory_cell()?;
                self.arrow()?;
                let value = self.expr()?;
                Ok(Statement::Store { address, value })
            }
            _ => {
                self.is_statement_like(&[Kind::Arrow, Kind::Equals], &["skip"])?;
                let register = self.register_name("a statement")?;
                self.arrow()?;
                if self.peek().text == "mem" {
                    let address = self.memory_cell()?;
                    if self.peek().kind == Kind::Operator {
                        let help = "load into a register first, then compute with it".to_owned();
                        return self.unexpected_with("`;` and `goto`", Some(help));
                    }
                    return Ok(Statement::Load { register, address });
                }
                let value = self.expr()?;
                Ok(Statement::Assign { register, value })
            }
        }
    }

    fn memory_cell(&mut self) -> Parsed<Expr> {
        self.advance();
        self.expect(Kind::OpenBracket, "`[` and an address")?;
        let address = self.expr()?;
        self.expect(Kind::CloseBracket, "`]`")?;
        Ok(address)
    }

    fn arrow(&mut self) -> Parsed<()> {
        if self.peek().kind == Kind::Equals {
            let help = Some("assignments are written `<-`, `:=` or `←` here".to_owned());
            return self.unexpected_with("`<-`", help);
        }
        self.expect(Kind::Arrow, "`<-`").map(|_| ())
    }

    fn esop15_statement(&mut self) -> Parsed<Statement> {
        let token = self.peek();
        match token.text {
            "skip" => {
                self.advance();
                Ok(Statement::Skip)
            }
            "fence" | "fn" => {
                self.advance();
                Ok(Statement::Fence)
            }
            "assume" => {
                self.advance();
                self.expr().map(Statement::Assume)
            }
            "arw" => {
                self.advance();
                self.expect(Kind::OpenParen, "`(`")?;
                let address = self.variable()?;
                self.expect(Kind::Comma, "`,` and the value waited for")?;
                let expected = self.expr()?;
                self.expect(Kind::Comma, "`,` and the value written")?;
                let new = self.expr()?;
                self.expect(Kind::CloseParen, "`)`")?;
                Ok(Statement::ReadWrite { address, expected, new })
            }
            _ if token.kind == Kind::Register => {
                let register = self.register_name("a register")?;
                self.expect(Kind::Equals, "`=`")?;
                let value = self.expr()?;
                Ok(match value.kind {
                    ExprKind::Name(_) => Statement::Load { register, address: value },
                    ExprKind::Number(_)
                    | ExprKind::Register(_)
                    | ExprKind::Unary(..)
                    | ExprKind::Binary(..)
                    | ExprKind::Select(_)
                    | ExprKind::Cast(..) => Statement::Assign { register, value },
                })
            }
            _ => {
                self.is_statement_like(&[Kind::Equals], &["mfence", "assert"])?;
                let address = self.variable()?;
                self.expect(Kind::Equals, "`=`")?;
                let value = self.expr()?;
                Ok(Statement::Store { address, value })
            }
        }
    }

    fn variable(&mut self) -> Parsed<Expr> {
        let name = self.name("a shared variable")?;
        Ok(Expr { kind: ExprKind::Name(name.text), span: name.span, depth: 0 })
    }

    /// Fails at what neither is nor could begin an assignment, with a suggestion. `foreign` are
    /// statements of other syntaxes that one is likely to write.
    fn is_statement_like(&mut self, assignments: &[Kind], foreign: &[&str]) -> Parsed<()> {
        let token = self.peek();
        if token.kind == Kind::Word
            && self.syntax.is_name(token.text)
            && !assignments.contains(&self.peek_second().kind)
        {
            let words = self.syntax.statements();
            let help = if foreign.contains(&token.text) {
                let instead = match (self.syntax, token.text) {
                    (Syntax::Esop13, _) => "assert 1",
                    (Syntax::Esop15, "mfence") => "fence",
                    (Syntax::Esop15, _) => "assume",
                };
                Some(format!("this syntax has no `{}`; write `{instead}`", token.text))
            } else {
                did_you_mean(token.text, words.iter().copied())
                    .map(|like| format!("did you mean `{like}`?"))
            };
            if help.is_some() {
                return self.unexpected_with("a statement", help);
            }
        }
        if token.kind == Kind::Word || token.kind == Kind::Register {
            return Ok(());
        }
        let quoted = shortened(token.text);
        let help = (token.kind == Kind::Number)
            .then(|| format!("`{quoted}` is a number; only registers and memory can be assigned"));
        self.unexpected_with("a statement", help)
    }
}
