//! Parsing: expressions, by precedence climbing over the operators of [`crate::operators`];
//! looser than all of them is `?:`, tighter are prefix operators.
#![expect(clippy::wildcard_enum_match_arm, reason = "a parser names the tokens it accepts")]

use program::{BinaryOp, Diagnostic, IntType, Span, UnaryOp, Value};

use super::ast::{Expr, ExprKind, Place, UpdateCall};
use super::lex::{Kind, Token};
use super::parse::Parser;
use super::words;
use crate::operators::{COMPARISON, Infix, infix_symbol};
use crate::token::{Failed, MOST_NEGATED, Parsed, Reader};

/// The atomic operation with this name that can stand in an expression.
pub(super) fn update_call(word: &str) -> Option<UpdateCall> {
    match word {
        "xchg" => Some(UpdateCall::Exchange),
        "cas" => Some(UpdateCall::CompareAndSwap),
        "cmpxchg" => Some(UpdateCall::CompareExchange),
        "store_exclusive" => Some(UpdateCall::StoreExclusive),
        _ => words::fetch_op_named(word).map(UpdateCall::Fetch),
    }
}

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

    /// An expression that can stand beside a comparison.
    pub(super) fn operand(&mut self) -> Parsed<Expr> {
        self.binary(COMPARISON)
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

    /// Operands joined by operators that bind tighter than `loosest`.
    fn binary(&mut self, loosest: u8) -> Parsed<Expr> {
        let mut left = self.prefix()?;
        while let Some(Infix { op, tightness, .. }) = infix_symbol(self.peek().text) {
            if *tightness <= loosest {
                break;
            }
            let operator = self.advance();
            let right = self.binary(*tightness)?;
            let span = left.span.to(right.span);
            let depth = left.depth.max(right.depth);
            let kind = ExprKind::Binary(*op, Box::new(left), Box::new(right));
            left = self.node(kind, span, depth)?;
            if *tightness == COMPARISON
                && infix_symbol(self.peek().text).is_some_and(|next| next.tightness == COMPARISON)
            {
                self.errors.push(
                    Diagnostic::new(self.peek().span, "comparisons do not chain")
                        .related(operator.span, "the first comparison")
                        .help("write `a < b && b < c`, or use parentheses"),
                );
                return Err(Failed);
            }
        }
        Ok(left)
    }

    fn prefix(&mut self) -> Parsed<Expr> {
        let mut operators: Vec<(UnaryOp, Span)> = Vec::new();
        loop {
            let op = match self.peek().kind {
                // A negative literal is one constant, not an operation on one.
                Kind::Minus if self.peek_second().kind == Kind::Number => {
                    let minus = self.advance();
                    let number = self.advance();
                    let value = self.number(number)?;
                    let span = minus.span.to(number.span);
                    if value > MOST_NEGATED {
                        return self.too_large(span);
                    }
                    return self.apply_prefix(operators, ExprKind::Number(-value), span, 0);
                }
                Kind::Minus => UnaryOp::Neg,
                Kind::Tilde => UnaryOp::BitNot,
                Kind::Bang => UnaryOp::Not,
                _ => break,
            };
            let operator = self.advance();
            operators.push((op, operator.span));
            self.check_depth(operators.len(), operator.span)?;
        }
        let operand = self.primary()?;
        self.apply_prefix(operators, operand.kind, operand.span, operand.depth)
    }

    fn apply_prefix(
        &mut self,
        operators: Vec<(UnaryOp, Span)>,
        kind: ExprKind,
        span: Span,
        depth: usize,
    ) -> Parsed<Expr> {
        let mut expr = Expr { kind, span, depth };
        for (op, operator) in operators.into_iter().rev() {
            let (span, depth) = (operator.to(expr.span), expr.depth);
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
        match token.kind {
            Kind::Number => {
                self.advance();
                let value = self.number(token)?;
                Ok(Expr { kind: ExprKind::Number(value), span: token.span, depth: 0 })
            }
            Kind::OpenParen => {
                self.advance();
                let inner = self.expr()?;
                if self.peek().kind == Kind::Assign {
                    return self.unexpected_with("`)`", Some("`==` compares".to_owned()));
                }
                let close = self.expect(Kind::CloseParen, "`)`")?;
                Ok(Expr { span: token.span.to(close.span), ..inner })
            }
            Kind::And => {
                self.advance();
                let place = self.place()?;
                let depth = place_depth(&place);
                let span = token.span.to(self.last_span());
                self.node(ExprKind::AddressOf(place), span, depth)
            }
            Kind::Word => self.word(token),
            _ => self.unexpected("an expression"),
        }
    }

    fn word(&mut self, token: Token<'_>) -> Parsed<Expr> {
        let constant =
            |value| Ok(Expr { kind: ExprKind::Number(value), span: token.span, depth: 0 });
        match token.text {
            "true" => {
                self.advance();
                constant(1)
            }
            "false" => {
                self.advance();
                constant(0)
            }
            "min" | "max" => {
                let op = if token.text == "min" { BinaryOp::Min } else { BinaryOp::Max };
                self.open_call()?;
                let left = self.expr()?;
                self.expect(Kind::Comma, "`,`")?;
                let right = self.expr()?;
                let span = self.close_call(token)?;
                let depth = left.depth.max(right.depth);
                self.node(ExprKind::Binary(op, Box::new(left), Box::new(right)), span, depth)
            }
            "choose" => {
                self.open_call()?;
                let range = self.range()?;
                let span = self.close_call(token)?;
                self.node(ExprKind::Choose(Box::new(range)), span, 0)
            }
            "load" => {
                self.open_call()?;
                let from = self.place()?;
                let depth = place_depth(&from);
                let attributes = self.rest_of_call()?;
                let span = token.span.to(self.last_span());
                self.node(ExprKind::Load { from, attributes }, span, depth)
            }
            word => {
                if let Some(update) = update_call(word) {
                    return self.update(token, update);
                }
                if let Some(int) = IntType::from_name(word) {
                    self.open_call()?;
                    let operand = self.expr()?;
                    let span = self.close_call(token)?;
                    let depth = operand.depth;
                    return self.node(ExprKind::Cast(int, Box::new(operand)), span, depth);
                }
                let place = self.place()?;
                let depth = place_depth(&place);
                let span = token.span.to(self.last_span());
                Ok(Expr { kind: ExprKind::Place(place), span, depth })
            }
        }
    }

    fn update(&mut self, token: Token<'_>, update: UpdateCall) -> Parsed<Expr> {
        self.open_call()?;
        let place = self.place()?;
        let mut arguments = Vec::new();
        for _ in 0..update.arguments() {
            self.expect(Kind::Comma, "`,` and a value")?;
            arguments.push(self.expr()?);
        }
        let attributes = self.rest_of_call()?;
        let span = token.span.to(self.last_span());
        let depth = arguments.iter().map(|argument| argument.depth).max().unwrap_or(0);
        let depth = depth.max(place_depth(&place));
        self.node(ExprKind::Update { update, place, arguments, attributes }, span, depth)
    }

    fn open_call(&mut self) -> Parsed<()> {
        self.advance();
        self.expect(Kind::OpenParen, "`(`").map(|_| ())
    }

    fn close_call(&mut self, start: Token<'_>) -> Parsed<Span> {
        self.expect(Kind::CloseParen, "`)`").map(|close| start.span.to(close.span))
    }

    fn number(&mut self, token: Token<'_>) -> Parsed<Value> {
        let digits: String = token.text.chars().filter(|c| *c != '_').collect();
        let (radix, digits) = match digits.get(..2) {
            Some("0x" | "0X") => (16, &digits[2..]),
            Some("0b" | "0B") => (2, &digits[2..]),
            _ => (10, digits.as_str()),
        };
        if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
            let error = Diagnostic::new(token.span, "malformed number")
                .help("numbers are written 42, 0x2a or 0b101010, with `_` between digits");
            self.errors.push(error);
            return Err(Failed);
        }
        match u64::from_str_radix(digits, radix) {
            Ok(value) => Ok(Value::from(value)),
            Err(_) => self.too_large(token.span),
        }
    }

    fn too_large<T>(&mut self, span: Span) -> Parsed<T> {
        let help = "values lie between -9223372036854775808 and 18446744073709551615";
        self.errors.push(Diagnostic::new(span, "this number is too large").help(help));
        Err(Failed)
    }
}

fn place_depth(place: &Place) -> usize {
    match place {
        Place::Named { index, .. } => index.as_ref().map_or(0, |index| index.depth),
        Place::Mem { address, .. } => address.depth,
    }
}
