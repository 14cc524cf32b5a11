//! Parsing: expressions, by precedence climbing; the precedences are those of
//! [`crate::operators`], and `?:` is looser than all.

use program::{Diagnostic, Span, UnaryOp, Value};

use super::ast::{Expr, ExprKind};
use super::lex::{Kind, Token};
use super::parse::Parser;
use super::words::Syntax;
use crate::operators::{self, COMPARISON, Function, Infix};
use crate::suggest::did_you_mean;
use crate::token::{Failed, Parsed, Reader, shortened};

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        // Parentheses leave no trace in the tree, but they do on the stack. Printed expressions
        // have at most one pair for each operator.
        self.expr_depth += 1;
        let result = self
            .check_depth(self.expr_depth / 2, self.peek().span)
            .and_then(|()| self.binary(0))
            .and_then(|condition| self.rest_of_selection(condition));
        self.expr_depth -= 1;
        result
    }

    fn rest_of_selection(&mut self, condition: Expr) -> Parsed<Expr> {
        if !self.eat(Kind::Question) {
            return Ok(condition);
        }
        let then = self.expr()?;
        self.expect(Kind::Colon, "`:`")?;
        let otherwise = self.expr()?;
        let span = condition.span.to(otherwise.span);
        let depth = condition.depth.max(then.depth).max(otherwise.depth);
        self.node(ExprKind::Select(Box::new([condition, then, otherwise])), span, depth)
    }

    fn next_infix(&self) -> Option<&'static Infix> {
        let token = self.peek();
        if token.kind == Kind::Operator { operators::infix_symbol(token.text) } else { None }
    }

    fn binary(&mut self, loosest: u8) -> Parsed<Expr> {
        let mut left = self.prefix()?;
        while let Some(infix) = self.next_infix() {
            if infix.tightness <= loosest {
                break;
            }
            let operator = self.advance();
            let right = self.binary(infix.tightness)?;
            let span = left.span.to(right.span);
            let depth = left.depth.max(right.depth);
            let kind = ExprKind::Binary(infix.op, Box::new(left), Box::new(right));
            left = self.node(kind, span, depth)?;
            let chains = infix.tightness == COMPARISON
                && self.next_infix().is_some_and(|next| next.tightness == COMPARISON);
            if chains {
                self.errors.push(
                    Diagnostic::new(self.peek().span, "comparisons do not chain")
                        .related(operator.span, "the first comparison")
                        .help("write `a < b && b < c`, or use parentheses"),
                );
                return Err(Failed);
            }
        }
        self.no_misread_operator()?;
        Ok(left)
    }

    /// Operators of other languages, and one that a missing space hides.
    fn no_misread_operator(&mut self) -> Parsed<()> {
        let token = self.peek();
        let help = match (token.kind, token.text) {
            (Kind::Equals, _) => "equality is written `==`",
            (Kind::Arrow, "<-") => "a comparison with a negative number is written `< -`",
            _ => return Ok(()),
        };
        self.unexpected_with("an operator", Some(help.to_owned()))
    }

    fn prefix(&mut self) -> Parsed<Expr> {
        let mut prefixes: Vec<(UnaryOp, Span)> = Vec::new();
        loop {
            let token = self.peek();
            if token.kind != Kind::Operator {
                break;
            }
            // A negative literal is one constant, not an operation on one.
            if token.text == "-" && self.peek_second().kind == Kind::Number {
                let value = self.literal()?;
                let span = token.span.to(self.last_span());
                return self
                    .apply(prefixes, Expr { kind: ExprKind::Number(value), span, depth: 0 });
            }
            let Some(op) = operators::prefix_symbol(token.text) else { break };
            self.advance();
            prefixes.push((op, token.span));
            self.check_depth(prefixes.len(), token.span)?;
        }
        let operand = self.primary()?;
        self.apply(prefixes, operand)
    }

    fn apply(&mut self, prefixes: Vec<(UnaryOp, Span)>, operand: Expr) -> Parsed<Expr> {
        let mut expr = operand;
        for (op, prefix) in prefixes.into_iter().rev() {
            let (span, depth) = (prefix.to(expr.span), expr.depth);
            expr = self.node(ExprKind::Unary(op, Box::new(expr)), span, depth)?;
        }
        Ok(expr)
    }

    /// A tree node over operands at most `depth` deep.
    fn node(&mut self, kind: ExprKind, span: Span, depth: usize) -> Parsed<Expr> {
        self.check_depth(depth + 1, span)?;
        Ok(Expr { kind, span, depth: depth + 1 })
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let token = self.peek();
        let leaf = |kind| Ok(Expr { kind, span: token.span, depth: 0 });
        match (token.kind, self.syntax) {
            (Kind::Number, _) => {
                let value = self.literal()?;
                leaf(ExprKind::Number(value))
            }
            (Kind::OpenParen, _) => {
                self.advance();
                let inner = self.expr()?;
                let close = self.expect(Kind::CloseParen, "`)`")?;
                Ok(Expr { span: token.span.to(close.span), ..inner })
            }
            (Kind::Word, _) if self.peek_second().kind == Kind::OpenParen => self.function(token),
            (Kind::Word, Syntax::Esop13) if token.text == "mem" => {
                let help = "memory is read by an instruction of its own: `r <- mem[e]`";
                self.unexpected_with("an expression", Some(help.to_owned()))
            }
            (Kind::Word, _) => {
                let name = self.name("an expression")?;
                leaf(ExprKind::Name(name.text))
            }
            (Kind::Register, Syntax::Esop15) => {
                let name = self.register_name("an expression")?;
                leaf(ExprKind::Register(name.text))
            }
            (Kind::Register, Syntax::Esop13) => {
                self.register_name("an expression").and(Err(Failed))
            }
            _ => self.unexpected("an expression"),
        }
    }

    /// `add(r1, r2)`, `not(r)`, `u8(r)`.
    fn function(&mut self, token: Token<'_>) -> Parsed<Expr> {
        let Some(function) = operators::function(token.text) else {
            let help = did_you_mean(token.text, operators::functions()).map_or_else(
                || "the functions are those of the operators, such as `add`, and casts such as `u8`"
                    .to_owned(),
                |like| format!("did you mean `{like}`?"),
            );
            let message = format!("there is no function `{}`", shortened(token.text));
            self.errors.push(Diagnostic::new(token.span, message).help(help));
            return Err(Failed);
        };
        self.advance();
        self.expect(Kind::OpenParen, "`(`")?;
        let first = self.expr()?;
        let (depth, kind) = match function {
            Function::Unary(op) => (first.depth, ExprKind::Unary(op, Box::new(first))),
            Function::Cast(int) => (first.depth, ExprKind::Cast(int, Box::new(first))),
            Function::Binary(op) => {
                self.expect(Kind::Comma, "`,` and a second operand")?;
                let second = self.expr()?;
                let depth = first.depth.max(second.depth);
                (depth, ExprKind::Binary(op, Box::new(first), Box::new(second)))
            }
        };
        let close = self.expect(Kind::CloseParen, "`)`")?;
        self.node(kind, token.span.to(close.span), depth)
    }

    /// A number, perhaps negative.
    pub(super) fn literal(&mut self) -> Parsed<Value> {
        let start = self.peek();
        let negative = start.kind == Kind::Operator && start.text == "-";
        if negative {
            self.advance();
        }
        let token = self.expect(Kind::Number, "a number")?;
        let digits: String = token.text.chars().filter(|c| *c != '_').collect();
        let (radix, digits) = match digits.get(..2) {
            Some("0x" | "0X") => (16, &digits[2..]),
            _ => (10, digits.as_str()),
        };
        if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
            let error = Diagnostic::new(token.span, "malformed number")
                .help("numbers are written 42 or 0x2a, with `_` between digits");
            self.errors.push(error);
            return Err(Failed);
        }
        let value = u64::from_str_radix(digits, radix).map(Value::from);
        match (value, negative) {
            (Ok(value), false) => Ok(value),
            (Ok(value), true) if -value >= Value::from(i64::MIN) => Ok(-value),
            (Ok(_) | Err(_), _) => {
                let help = "values lie between -9223372036854775808 and 18446744073709551615";
                let span = start.span.to(token.span);
                self.errors.push(Diagnostic::new(span, "this number is too large").help(help));
                Err(Failed)
            }
        }
    }
}
