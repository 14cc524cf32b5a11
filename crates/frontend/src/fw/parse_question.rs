//! Parsing: what a program asks about its final states, and conditions on the states on the way.
//!
//! From loosest to tightest: `=>` (to the right), `||`, `&&`, `!`. Simple statements differ: about
//! final states only equality is asked.
#![expect(clippy::wildcard_enum_match_arm, reason = "a parser names the tokens it accepts")]

use program::{Diagnostic, Quantifier};

use super::ast::{Equals, InState, Observed, Place, Proposition};
use super::lex::Kind;
use super::parse::Parser;
use crate::token::{Failed, Parsed, Reader};

/// Parses a simple statement.
type Simple<P, S> = fn(&mut P) -> Parsed<Proposition<S>>;

impl Parser<'_> {
    /// The quantifier that a word means.
    pub(super) fn quantifier(word: &str) -> Option<Quantifier> {
        [Quantifier::Exists, Quantifier::Never, Quantifier::Always]
            .into_iter()
            .find(|quantifier| quantifier.to_string() == word)
    }

    /// `x`, `a[1]`, `mem[5]`, `across(a[0], u32)`, `thread.register` or `thread[1].register`.
    pub(super) fn observed(&mut self) -> Parsed<Observed> {
        if self.peek().text == "across" && self.peek_second().kind == Kind::OpenParen {
            self.advance();
            self.advance();
            let place = self.place()?;
            self.expect(Kind::Comma, "`,` and a type")?;
            let int = self.type_across()?;
            self.expect(Kind::CloseParen, "`)`")?;
            return Ok(Observed::Across(place, int));
        }
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

    /// A statement about final states.
    pub(super) fn about_final_states(&mut self) -> Parsed<Proposition<Equals>> {
        self.proposition(Self::equals)
    }

    /// A statement about final states, and nothing after it.
    pub(super) fn only_about_final_states(&mut self) -> Parsed<Proposition<Equals>> {
        let proposition = self.about_final_states()?;
        self.expect(Kind::End, "`&&`, `||` or the end of the condition")?;
        Ok(proposition)
    }

    /// A statement about any states.
    pub(super) fn about_any_state(&mut self) -> Parsed<Proposition<InState>> {
        self.proposition(Self::in_state)
    }

    /// A statement about any states, and nothing after it.
    pub(super) fn about_states(&mut self) -> Parsed<Proposition<InState>> {
        let proposition = self.about_any_state()?;
        self.expect(Kind::End, "`&&`, `||` or the end of the condition")?;
        Ok(proposition)
    }

    fn proposition<S>(&mut self, simple: Simple<Self, S>) -> Parsed<Proposition<S>> {
        let left = self.disjunction(simple)?;
        if !self.eat(Kind::Implies) {
            return Ok(left);
        }
        let right = self.nested_proposition(simple)?;
        Ok(Proposition::Implies(Box::new(left), Box::new(right)))
    }

    fn disjunction<S>(&mut self, simple: Simple<Self, S>) -> Parsed<Proposition<S>> {
        let mut left = self.conjunction(simple)?;
        let mut length = 0;
        while self.eat(Kind::OrOr) {
            length += 1;
            self.check_depth(length, self.last_span())?;
            left = Proposition::Or(Box::new(left), Box::new(self.conjunction(simple)?));
        }
        Ok(left)
    }

    fn conjunction<S>(&mut self, simple: Simple<Self, S>) -> Parsed<Proposition<S>> {
        let mut left = self.negation(simple)?;
        let mut length = 0;
        while self.eat(Kind::AndAnd) {
            length += 1;
            self.check_depth(length, self.last_span())?;
            left = Proposition::And(Box::new(left), Box::new(self.negation(simple)?));
        }
        Ok(left)
    }

    fn nested_proposition<S>(&mut self, simple: Simple<Self, S>) -> Parsed<Proposition<S>> {
        self.expr_depth += 1;
        let result = self
            .check_depth(self.expr_depth, self.peek().span)
            .and_then(|()| self.proposition(simple));
        self.expr_depth -= 1;
        result
    }

    fn negation<S>(&mut self, simple: Simple<Self, S>) -> Parsed<Proposition<S>> {
        let token = self.peek();
        if token.kind == Kind::OpenParen {
            self.advance();
            let inner = self.nested_proposition(simple)?;
            self.expect(Kind::CloseParen, "`)`")?;
            return Ok(inner);
        }
        if token.kind == Kind::Bang {
            self.advance();
            self.expr_depth += 1;
            let inner =
                self.check_depth(self.expr_depth, token.span).and_then(|()| self.negation(simple));
            self.expr_depth -= 1;
            return inner.map(|inner| Proposition::Not(Box::new(inner)));
        }
        if token.text == "true" || token.text == "false" {
            self.advance();
            return Ok(Proposition::Constant(token.text == "true"));
        }
        simple(self)
    }

    fn equals(&mut self) -> Parsed<Proposition<Equals>> {
        let observed = self.observed()?;
        let negated = self.peek().kind == Kind::Ne;
        if !negated && self.peek().kind != Kind::Eq {
            let error = Diagnostic::new(self.peek().span, "expected `==` or `!=` and a value");
            self.errors.push(error.help("conditions on final states compare with constants"));
            return Err(Failed);
        }
        self.advance();
        let equals = Proposition::Simple(Equals(observed, self.operand()?));
        Ok(if negated { Proposition::Not(Box::new(equals)) } else { equals })
    }

    fn in_state(&mut self) -> Parsed<Proposition<InState>> {
        let start = self.position();
        if let Place::Named { name: thread, index } = self.place()?
            && self.eat(Kind::At)
        {
            let label = self.name("the name of a label")?;
            return Ok(Proposition::Simple(InState::At { thread, index, label }));
        }
        self.go_to(start);
        let observed = self.observed()?;
        let operator = self.peek();
        let is_comparison = [Kind::Eq, Kind::Ne, Kind::Lt, Kind::Le, Kind::Gt, Kind::Ge];
        if !is_comparison.contains(&operator.kind) {
            let message = "expected a comparison and a value, or `@` and a label";
            let mut error = Diagnostic::new(operator.span, message);
            let help = if operator.kind == Kind::Assign {
                "`==` compares"
            } else {
                "for example `x == 1`, `a[0] != 0`, `p[1].r <= 2` or `p[0]@critical`"
            };
            error = error.help(help);
            self.errors.push(error);
            return Err(Failed);
        }
        self.advance();
        let value = self.operand()?;
        let not = |inner| Proposition::Not(Box::new(inner));
        let equals = |observed, value| Proposition::Simple(InState::Equals(observed, value));
        let less = |observed, value| Proposition::Simple(InState::Less(observed, value));
        let at_most = |observed, value| Proposition::Simple(InState::AtMost(observed, value));
        Ok(match operator.kind {
            Kind::Ne => not(equals(observed, value)),
            Kind::Lt => less(observed, value),
            Kind::Ge => not(less(observed, value)),
            Kind::Le => at_most(observed, value),
            Kind::Gt => not(at_most(observed, value)),
            _ => equals(observed, value),
        })
    }
}
