//! Expressions. From the loosest: `|`, `++`, `;`, `\`, `&`, `*` between sets, `~`, then what follows an
//! operand (`*`, `+`, `?`, `^-1`), then application.

use std::sync::Arc;

use program::Diagnostic;

use super::lexer::Token;
use super::parser::{Parser, pattern};
use super::syntax::{Binary, Binding, Condition, Expr, Function, Kind, MatchSet, Pattern, Unary};

impl Parser<'_, '_> {
    /// An expression, which may be a tuple without parentheses.
    pub(super) fn expression(&mut self) -> Result<Expr, Box<Diagnostic>> {
        self.enter()?;
        let expr = self.any_expression()?;
        self.leave();
        Ok(expr)
    }

    fn any_expression(&mut self) -> Result<Expr, Box<Diagnostic>> {
        let start = self.span();
        let kind = if self.take_word("let") {
            let recursive = self.take_word("rec");
            let bindings = self.bindings()?;
            self.expect_word("in")?;
            let body = Box::new(self.expression()?);
            Kind::Let { recursive, bindings, body }
        } else if self.take_word("fun") {
            let parameter = self.parameters()?.ok_or_else(|| self.unexpected("a parameter"))?;
            self.expect("->")?;
            let body = self.expression()?;
            Kind::Function(Arc::new(Function { parameter, body }))
        } else if self.take_word("try") {
            let tried = self.expression()?;
            self.expect_word("with")?;
            Kind::Try(Box::new([tried, self.expression()?]))
        } else if self.take_word("if") {
            let condition = self.condition()?;
            self.expect_word("then")?;
            let then = self.expression()?;
            self.expect_word("else")?;
            Kind::If(Box::new((condition, then, self.expression()?)))
        } else if self.take_word("match") {
            self.match_expression()?
        } else {
            return self.tuple();
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    fn tuple(&mut self) -> Result<Expr, Box<Diagnostic>> {
        let start = self.span();
        let first = self.operation()?;
        if !self.is_symbol(",") {
            return Ok(first);
        }
        let mut all = vec![first];
        while self.take(",") {
            all.push(self.operation()?);
        }
        Ok(Expr { kind: Kind::Tuple(all), span: self.since(start) })
    }

    fn condition(&mut self) -> Result<Condition, Box<Diagnostic>> {
        if self.at_variant() {
            return self.variants().map(Condition::Known);
        }
        let left = self.operation()?;
        if self.take("=") {
            Ok(Condition::Equal(left, self.operation()?))
        } else if self.take_word("subset") {
            Ok(Condition::Subset(left, self.operation()?))
        } else if self.take_word("in") {
            Ok(Condition::Member(left, self.operation()?))
        } else {
            Err(self.unexpected("`=`, `subset` or `in`").into())
        }
    }

    fn match_expression(&mut self) -> Result<Kind, Box<Diagnostic>> {
        let scrutinee = self.expression()?;
        self.expect_word("with")?;
        self.take("||");
        let is_tag = match self.peek() {
            Token::Tag(_) => true,
            Token::Word(_) | Token::Text(_) | Token::Symbol(_) | Token::End => false,
        };
        let kind = if is_tag { self.tag_clauses(scrutinee)? } else { self.set_clauses(scrutinee)? };
        self.expect_word("end")?;
        Ok(kind)
    }

    fn tag_clauses(&mut self, scrutinee: Expr) -> Result<Kind, Box<Diagnostic>> {
        let (mut clauses, mut otherwise) = (Vec::new(), None);
        loop {
            if self.take("_") {
                self.expect("->")?;
                otherwise = Some(Box::new(self.expression()?));
                break;
            }
            let tag = self.tag()?;
            self.expect("->")?;
            clauses.push((tag, self.expression()?));
            if !self.take("||") {
                break;
            }
        }
        Ok(Kind::MatchTag { scrutinee: Box::new(scrutinee), clauses, otherwise })
    }

    fn set_clauses(&mut self, scrutinee: Expr) -> Result<Kind, Box<Diagnostic>> {
        let (mut empty, mut more) = (None, None);
        for number in 0..2 {
            if number == 1 {
                self.expect("||")?;
            }
            if self.take("{") {
                self.expect("}")?;
                self.expect("->")?;
                empty = Some(self.expression()?);
            } else {
                let element = self.parameter()?;
                if self.is_symbol("|") {
                    return Err(self.refused("a pattern of three parts").into());
                }
                self.expect("++")?;
                let rest = self.parameter()?;
                self.expect("->")?;
                more = Some((element, rest, self.expression()?));
            }
        }
        match (empty, more) {
            (Some(empty), Some((element, rest, more))) => {
                Ok(Kind::MatchSet(Box::new(MatchSet { scrutinee, empty, element, rest, more })))
            }
            (Some(_) | None, Some(_) | None) => {
                Err(self.unexpected("a case for the empty set and one for all others").into())
            }
        }
    }

    /// Everything with operators.
    pub(super) fn operation(&mut self) -> Result<Expr, Box<Diagnostic>> {
        self.level(0)
    }

    /// Operators of this level or tighter ones. All but `\` associate to the right, which matters for
    /// `++` alone.
    fn level(&mut self, level: usize) -> Result<Expr, Box<Diagnostic>> {
        const LEVELS: [(&str, Binary); 5] = [
            ("|", Binary::Union),
            ("++", Binary::Add),
            (";", Binary::Sequence),
            ("\\", Binary::Difference),
            ("&", Binary::Intersection),
        ];
        let Some((symbol, operator)) = LEVELS.get(level).copied() else {
            return self.product();
        };
        let start = self.span();
        let mut left = self.level(level + 1)?;
        while self.take(symbol) {
            let is_right = operator == Binary::Add;
            let right = self.level(if is_right { level } else { level + 1 })?;
            let kind = Kind::Binary(operator, Box::new([left, right]));
            left = Expr { kind, span: self.since(start) };
        }
        Ok(left)
    }

    /// `S * T`; a star that no operand follows is a closure.
    fn product(&mut self) -> Result<Expr, Box<Diagnostic>> {
        let start = self.span();
        let left = self.prefixed()?;
        if !self.take("*") {
            return Ok(left);
        }
        let right = self.prefixed()?;
        let kind = Kind::Binary(Binary::Product, Box::new([left, right]));
        Ok(Expr { kind, span: self.since(start) })
    }

    fn prefixed(&mut self) -> Result<Expr, Box<Diagnostic>> {
        let start = self.span();
        if !self.take("~") {
            return self.postfixed();
        }
        self.enter()?;
        let inner = self.prefixed()?;
        self.leave();
        let kind = Kind::Unary(Unary::Complement, Box::new(inner));
        Ok(Expr { kind, span: self.since(start) })
    }

    fn postfixed(&mut self) -> Result<Expr, Box<Diagnostic>> {
        let start = self.span();
        let mut expr = self.application()?;
        loop {
            let operator = if self.is_symbol("*") && !self.operand_after_star() {
                Unary::Star
            } else if self.is_symbol("+") {
                Unary::Plus
            } else if self.is_symbol("?") {
                Unary::Optional
            } else if self.is_symbol("^-1") {
                Unary::Inverse
            } else {
                return Ok(expr);
            };
            self.advance();
            expr = Expr { kind: Kind::Unary(operator, Box::new(expr)), span: self.since(start) };
        }
    }

    /// Whether an operand follows the star that comes next.
    fn operand_after_star(&mut self) -> bool {
        let here = self.mark();
        self.advance();
        let follows = self.is_symbol("~") || self.begins_operand();
        self.reset(here);
        follows
    }

    fn begins_operand(&self) -> bool {
        match self.peek() {
            Token::Tag(_) => true,
            Token::Word(word) => self.next_name().is_some() || word == "begin",
            Token::Symbol(symbol) => ["0", "{", "_", "(", "["].contains(symbol),
            Token::Text(_) | Token::End => false,
        }
    }

    fn application(&mut self) -> Result<Expr, Box<Diagnostic>> {
        let start = self.span();
        let is_name = self.next_name().is_some();
        let Some(mut expr) = self.argument()? else {
            return Err(self.unexpected("an expression").into());
        };
        while is_name && let Some(argument) = self.argument()? {
            let kind = Kind::Apply(Box::new([expr, argument]));
            expr = Expr { kind, span: self.since(start) };
        }
        Ok(expr)
    }

    /// A name, or something in parentheses of some kind, if that comes next.
    pub(super) fn argument(&mut self) -> Result<Option<Expr>, Box<Diagnostic>> {
        if !self.begins_operand() {
            return Ok(None);
        }
        self.enter()?;
        let start = self.span();
        let kind = if self.next_name().is_some() {
            Kind::Name(self.name()?)
        } else if self.take("0") {
            Kind::EmptyRelation
        } else if self.take("_") {
            Kind::Everything
        } else if self.take("{") {
            let mut all = Vec::new();
            if !self.is_symbol("}") {
                all.push(self.operation()?);
                while self.take(",") {
                    all.push(self.operation()?);
                }
            }
            self.expect("}")?;
            Kind::Elements(all)
        } else if self.take("[") {
            let inner = self.expression()?;
            self.expect("]")?;
            Kind::Unary(Unary::Identity, Box::new(inner))
        } else if self.take("(") {
            if self.take(")") {
                Kind::Tuple(Vec::new())
            } else {
                let inner = self.expression()?;
                self.expect(")")?;
                inner.kind
            }
        } else if self.take_word("begin") {
            let inner = self.expression()?;
            self.expect_word("end")?;
            inner.kind
        } else {
            Kind::Tag(self.tag()?)
        };
        self.leave();
        Ok(Some(Expr { kind, span: self.since(start) }))
    }

    /// `x = e`, `(x, y) = e`, or `f x = e`.
    pub(super) fn binding(&mut self) -> Result<Binding, Box<Diagnostic>> {
        let start = self.span();
        if self.is_symbol("(") {
            let Some(names) = self.parameters()? else {
                return Err(self.unexpected("a name").into());
            };
            self.expect("=")?;
            return Ok(Binding { pattern: names, value: self.expression()? });
        }
        let first = self.parameter()?;
        if self.is_symbol(",") {
            let mut all = vec![first];
            while self.take(",") {
                all.push(self.parameter()?);
            }
            self.expect("=")?;
            return Ok(Binding { pattern: pattern(all), value: self.expression()? });
        }
        let parameter = self.parameters()?;
        self.expect("=")?;
        let mut value = self.expression()?;
        if let Some(parameter) = parameter {
            let kind = Kind::Function(Arc::new(Function { parameter, body: value }));
            value = Expr { kind, span: self.since(start) };
        }
        Ok(Binding { pattern: Pattern::One(first), value })
    }
}
