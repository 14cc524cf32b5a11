//! Prefix expressions and registers.

use program::{BinaryOp, Diagnostic, Expr, RegisterId, UnaryOp, Value};

use super::parse::Thread;
use super::reader::{Parser, Reported, quoted};
use super::words::{self, Token};

const OPERAND: &str =
    "an operand is an integer, a register, `! E`, or an operator before its two operands";

/// An operator whose operands are being read.
enum Pending {
    Not,
    Left(BinaryOp),
    Right(BinaryOp, Expr),
}

impl<'t> Parser<'t> {
    /// A prefix expression. What is still to be read is on a stack of our own, so that no input
    /// can exhaust the machine's.
    pub(super) fn expression(
        &mut self,
        thread: &mut Thread<'t>,
        what: &str,
    ) -> Result<Expr, Reported> {
        let start = self.peek();
        let mut pending: Vec<Pending> = Vec::new();
        loop {
            let token = self.name(if pending.is_empty() { what } else { "an operand" }, OPERAND)?;
            if pending.len() > Expr::MAX_DEPTH {
                let message = format!("an expression is nested more than {} deep", Expr::MAX_DEPTH);
                let span = start.map_or(self.span(token), |start| self.span(start));
                let error = Diagnostic::new(span, message).label("it begins here");
                return Err(self.report(error.help("compute parts of it first, with `local`")));
            }
            if token.text == words::NOT {
                pending.push(Pending::Not);
                continue;
            }
            if let Some(op) = words::binary_operator(token.text) {
                pending.push(Pending::Left(op));
                continue;
            }
            let mut operand = self.leaf(thread, token)?;
            loop {
                match pending.pop() {
                    None => return Ok(operand),
                    Some(Pending::Not) => operand = Expr::unary(UnaryOp::Not, operand),
                    Some(Pending::Right(op, left)) => operand = Expr::binary(op, left, operand),
                    Some(Pending::Left(op)) => {
                        pending.push(Pending::Right(op, operand));
                        break;
                    }
                }
            }
        }
    }

    fn leaf(&mut self, thread: &mut Thread<'t>, token: Token<'t>) -> Result<Expr, Reported> {
        let text = token.text;
        if words::is_integer(text) {
            let Ok(value) = text.parse::<i64>() else {
                let error = self.error(token, format!("the integer {} is too large", quoted(text)));
                let help = format!("integers are {} to {}", i64::MIN, i64::MAX);
                return Err(self.report(error.help(help)));
            };
            return Ok(Expr::Const(Value::from(value)));
        }
        if words::is_register_name(text) {
            return Ok(Expr::Register(self.register_named(thread, token)));
        }
        let operators = words::BINARY_OPERATORS.map(|(text, _)| text);
        let error = self.unknown(token, "an operand", &operators);
        let glued = operators.iter().chain([&words::NOT]).any(|operator| {
            text.strip_prefix(operator)
                .is_some_and(|rest| words::is_register_name(rest) || words::is_integer(rest))
        });
        Err(self.report(if glued {
            error.help("separate an operator from its operands by white space")
        } else if error.help.is_none() {
            error.help(format!("{OPERAND}; the operators are ! {}", operators.join(" ")))
        } else {
            error
        }))
    }

    pub(super) fn register(
        &mut self,
        thread: &mut Thread<'t>,
        shape: &str,
    ) -> Result<RegisterId, Reported> {
        let help = format!("the instruction is {shape}");
        let token = self.name("a register", &help)?;
        if words::is_register_name(token.text) {
            return Ok(self.register_named(thread, token));
        }
        let message = format!("{} cannot name a register", quoted(token.text));
        let error = self.error(token, message).label("expected a register");
        Err(self.report(error.help(help)))
    }

    #[expect(clippy::unused_self, reason = "reads like its neighbours")]
    fn register_named(&self, thread: &mut Thread<'t>, token: Token<'t>) -> RegisterId {
        let Thread { registers, template, .. } = thread;
        *registers.entry(token.text).or_insert_with(|| template.integer_register(token.text))
    }
}
