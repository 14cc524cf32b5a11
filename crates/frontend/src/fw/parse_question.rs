//! Parsing: what a program asks about its final states.
//!
//! From loosest to tightest: `=>` (to the right), `||`, `&&`, `!`.

use program::{Diagnostic, Quantifier};

use super::ast::{Observed, Place, Proposition};
use super::lex::Kind;
use super::parse::Parser;
use crate::token::{Failed, Parsed, Reader};

impl Parser<'_> {
    /// The quantifier that a word means.
    pub(super) fn quantifier(word: &str) -> Option<Quantifier> {
        [Quantifier::Exists, Quantifier::Never, Quantifier::Always]
            .into_iter()
            .find(|quantifier| quantifier.to_string() == word)
    }

    /// `x`, `a[1]`, `mem[5]`, `thread.register` or `thread[1].register`.
    pub(super) fn observed(&mut self) -> Parsed<Observed> {
        let place = self.place()?;
        if self.peek().kind != Kind::Dot {
            return Ok(Observed::Cell(place));
        }
        let Place::Named { name, index } = place else {
            return self.unexpected("a thread before the `.`");
        };
        self.advance();
        let register = self.name("the name of a local variable")?;
        Ok(Observed::Register { thread: name, index, register })
    }

    pub(super) fn proposition(&mut self) -> Parsed<Proposition> {
        let left = self.disjunction()?;
        if !self.eat(Kind::Implies) {
            return Ok(left);
        }
        let right = self.nested_proposition()?;
        Ok(Proposition::Implies(Box::new(left), Box::new(right)))
    }

    fn disjunction(&mut self) -> Parsed<Proposition> {
        let mut left = self.conjunction()?;
        let mut length = 0;
        while self.eat(Kind::OrOr) {
            length += 1;
            self.check_depth(length, self.last_span())?;
            left = Proposition::Or(Box::new(left), Box::new(self.conjunction()?));
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Parsed<Proposition> {
        let mut left = self.statement_about_state()?;
        let mut length = 0;
        while self.eat(Kind::AndAnd) {
            length += 1;
            self.check_depth(length, self.last_span())?;
            left = Proposition::And(Box::new(left), Box::new(self.statement_about_state()?));
        }
        Ok(left)
    }

    fn nested_proposition(&mut self) -> Parsed<Proposition> {
        self.expr_depth += 1;
        let result =
            self.check_depth(self.expr_depth, self.peek().span).and_then(|()| self.proposition());
        self.expr_depth -= 1;
        result
    }

    fn statement_about_state(&mut self) -> Parsed<Proposition> {
        let token = self.peek();
        if token.kind == Kind::OpenParen {
            self.advance();
            let inner = self.nested_proposition()?;
            self.expect(Kind::CloseParen, "`)`")?;
            return Ok(inner);
        }
        if token.kind == Kind::Bang {
            self.advance();
            self.expr_depth += 1;
            let inner = self
                .check_depth(self.expr_depth, token.span)
                .and_then(|()| self.statement_about_state());
            self.expr_depth -= 1;
            return inner.map(|inner| Proposition::Not(Box::new(inner)));
        }
        if token.text == "true" || token.text == "false" {
            self.advance();
            return Ok(Proposition::Constant(token.text == "true"));
        }
        let observed = self.observed()?;
        let negated = self.peek().kind == Kind::Ne;
        if !negated && self.peek().kind != Kind::Eq {
            let error = Diagnostic::new(self.peek().span, "expected `==` or `!=` and a value");
            self.errors.push(error.help("conditions on final states compare with constants"));
            return Err(Failed);
        }
        self.advance();
        let equals = Proposition::Equals(observed, self.operand()?);
        Ok(if negated { Proposition::Not(Box::new(equals)) } else { equals })
    }
}
