//! Parsing: expressions. What they read from memory is kept apart from what they compute.

use program::{BinaryOp, Diagnostic, Span, UnaryOp, Value};

use super::lex::Kind;
use super::parse::{Parser, number, temporary};
use crate::fw::ast::{Expr, ExprKind, Name, Place};
use crate::operators::infix_symbol;
use crate::rmm::tree;
use crate::token::{Failed, MOST_NEGATED, Nested, Parsed, Reader};

/// An expression, and what is read for it: each place once, in this order, into temporaries from 1 on.
pub(super) struct Read {
    pub(super) value: Expr,
    pub(super) places: Vec<(String, Place)>,
}

impl Read {
    /// The value, which must not read memory.
    pub(super) fn plain(self, parser: &mut Parser<'_>) -> Parsed<Expr> {
        let Some((_, place)) = self.places.first() else { return Ok(self.value) };
        let message = "memory cannot be read here";
        let help = "read it into a variable first: `r = loadval(x)`";
        parser.errors.push(Diagnostic::new(place.span(), message).help(help));
        Err(Failed)
    }
}

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parsed<Read> {
        let mut places = Vec::new();
        let value = self.binary(0, &mut places)?;
        Ok(Read { value, places })
    }

    fn binary(&mut self, loosest: u8, places: &mut Vec<(String, Place)>) -> Parsed<Expr> {
        let depth = self.depth;
        self.deeper(self.peek().span)?;
        let mut left = self.unary(places)?;
        while self.peek().kind == Kind::Operator {
            let Some(infix) = infix_symbol(self.peek().text) else { break };
            if infix.tightness <= loosest {
                break;
            }
            self.advance();
            let right = self.binary(infix.tightness, places)?;
            left = tree::binary(infix.op, left, right);
            self.deeper(left.span)?;
        }
        self.depth = depth;
        Ok(left)
    }

    fn unary(&mut self, places: &mut Vec<(String, Place)>) -> Parsed<Expr> {
        let token = self.peek();
        let op = match token.text {
            "!" => Some(UnaryOp::Not),
            "-" => Some(UnaryOp::Neg),
            _ => None,
        };
        let Some(op) = op else { return self.operand(places) };
        self.advance();
        self.deeper(token.span)?;
        let operand = self.unary(places)?;
        self.depth -= 1;
        let (span, depth) = (token.span.to(operand.span), operand.depth + 1);
        if let (UnaryOp::Neg, ExprKind::Number(value)) = (op, &operand.kind)
            && *value <= MOST_NEGATED
        {
            return Ok(number(-value, span));
        }
        Ok(Expr { kind: ExprKind::Unary(op, Box::new(operand)), span, depth })
    }

    fn operand(&mut self, places: &mut Vec<(String, Place)>) -> Parsed<Expr> {
        let token = self.peek();
        match (token.kind, token.text) {
            (Kind::Number, text) => {
                self.advance();
                text.parse::<i64>().map(|value| number(Value::from(value), token.span)).map_err(
                    |_| {
                        let error = Diagnostic::new(token.span, "this number is too large");
                        self.errors.push(error);
                        Failed
                    },
                )
            }
            (_, "true" | "false") => {
                self.advance();
                Ok(number(Value::from(token.text == "true"), token.span))
            }
            (Kind::OpenParen, _) => {
                self.advance();
                let inner = self.binary(0, places)?;
                self.expect(Kind::CloseParen, "`)`")?;
                Ok(inner)
            }
            (_, "load") => {
                self.advance();
                self.expect(Kind::OpenParen, "`(`")?;
                let found = self.read(places)?;
                self.expect(Kind::Comma, "`,` and a value")?;
                let expected = self.binary(0, places)?;
                self.expect(Kind::CloseParen, "`)`")?;
                Ok(tree::binary(BinaryOp::Eq, found, expected))
            }
            (_, "loadval") => {
                self.advance();
                self.expect(Kind::OpenParen, "`(`")?;
                let found = self.read(places)?;
                self.expect(Kind::CloseParen, "`)`")?;
                Ok(found)
            }
            (Kind::Word, _) if self.is_name() => {
                let name = self.name("a variable")?;
                if !self.registers.contains(&name.text) {
                    let message = format!("this thread has no variable `{}`", name.text);
                    let help = format!("shared memory is read with `loadval({})`", name.text);
                    self.errors.push(Diagnostic::new(name.span, message).help(help));
                    return Err(Failed);
                }
                Ok(tree::variable(&name.text, name.span))
            }
            _ => self.unexpected("an expression"),
        }
    }

    /// A read of memory: the temporary that holds what was read there.
    fn read(&mut self, places: &mut Vec<(String, Place)>) -> Parsed<Expr> {
        let (place, text) = self.place()?;
        let span = place.span();
        let known = places.iter().position(|(known, _)| *known == text);
        let at = known.unwrap_or_else(|| {
            places.push((text, place));
            places.len() - 1
        });
        self.temporaries = self.temporaries.max(at + 1);
        Ok(tree::variable(&temporary(at + 1), span))
    }

    /// A place in memory, and its text.
    pub(super) fn place(&mut self) -> Parsed<(Place, String)> {
        let start = self.position();
        let name = self.name("a shared variable")?;
        if self.registers.contains(&name.text) {
            let message = format!("`{}` is a variable of this thread", name.text);
            let error = Diagnostic::new(name.span, message);
            self.errors.push(error.help("only shared memory is loaded and stored"));
            return Err(Failed);
        }
        let index = if self.eat(Kind::OpenBracket) {
            let index = self.expr()?.plain(self)?;
            self.expect(Kind::CloseBracket, "`]`")?;
            Some(Box::new(index))
        } else {
            None
        };
        let text = self.tokens()[start..self.position()].iter().map(|token| token.text).collect();
        Ok((Place::Named { name, index }, text))
    }
}

/// The place of a temporary.
pub(super) fn temporary_place(number: usize, span: Span) -> Place {
    Place::Named { name: Name { text: temporary(number), span }, index: None }
}
