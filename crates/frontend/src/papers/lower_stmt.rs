//! Lowering: statements and expressions, and what the names in them mean.

use std::collections::BTreeMap;

use program::{
    Access, Diagnostic, Diagnostics, Expr, FenceKind, Instruction, LocationId, RegisterId, Span,
    Update,
};

use super::ast::{self, ExprKind, Statement};
use super::words::Syntax;
use crate::suggest::did_you_mean;
use crate::token::shortened;

/// What the names of one thread mean.
pub(super) struct Scope<'a> {
    pub(super) syntax: Syntax,
    pub(super) registers: BTreeMap<&'a str, RegisterId>,
    pub(super) locations: &'a BTreeMap<String, LocationId>,
    pub(super) errors: &'a mut Diagnostics,
}

impl Scope<'_> {
    /// The instruction of a statement, unless something in it is wrong.
    pub(super) fn statement(&mut self, statement: &Statement) -> Option<Instruction> {
        Some(match statement {
            Statement::Skip => Instruction::Skip,
            Statement::Fence => Instruction::Fence(FenceKind::Full),
            Statement::Assume(condition) => Instruction::Assume(self.value(condition)?),
            Statement::Assign { register, value } => {
                let (register, value) =
                    (self.register(&register.text, register.span), self.value(value));
                Instruction::Assign { register: register?, value: value? }
            }
            Statement::Load { register, address } => {
                let (register, address) =
                    (self.register(&register.text, register.span), self.address(address));
                Instruction::Load { register: register?, address: address?, access: Access::PLAIN }
            }
            Statement::Store { address, value } => {
                let (address, value) = (self.address(address), self.value(value));
                Instruction::Store { address: address?, value: value?, access: Access::PLAIN }
            }
            Statement::ReadWrite { address, expected, new } => {
                let address = self.address(address);
                let (expected, new) = (self.value(expected), self.value(new));
                Instruction::Update {
                    result: None,
                    address: address?,
                    update: Update::BlockingReadWrite { expected: expected?, new: new? },
                    access: Access::PLAIN,
                }
            }
        })
    }

    fn register(&mut self, name: &str, span: Span) -> Option<RegisterId> {
        let found = self.registers.get(name).copied();
        if found.is_none() {
            self.unknown(name, span);
        }
        found
    }

    fn address(&mut self, expr: &ast::Expr) -> Option<Expr> {
        match (&expr.kind, self.syntax) {
            (ExprKind::Name(name), Syntax::Esop15) => {
                let location = self.locations.get(name.as_str()).copied();
                if location.is_none() {
                    self.unknown_variable(name, expr.span);
                }
                location.map(Expr::address)
            }
            (_, Syntax::Esop13 | Syntax::Esop15) => self.value(expr),
        }
    }

    fn value(&mut self, expr: &ast::Expr) -> Option<Expr> {
        Some(match &expr.kind {
            ExprKind::Number(value) => Expr::Const(*value),
            ExprKind::Name(name) => self.name(name, expr.span)?,
            ExprKind::Register(name) => Expr::Register(self.register(name, expr.span)?),
            ExprKind::Unary(op, operand) => Expr::unary(*op, self.value(operand)?),
            ExprKind::Cast(int, operand) => Expr::Cast(*int, Box::new(self.value(operand)?)),
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                Expr::binary(*op, left?, right?)
            }
            ExprKind::Select(operands) => {
                let [first, second, third] = operands.each_ref().map(|operand| self.value(operand));
                Expr::Select(Box::new([first?, second?, third?]))
            }
        })
    }

    /// A name without `$` in an expression.
    fn name(&mut self, name: &str, span: Span) -> Option<Expr> {
        match self.syntax {
            Syntax::Esop13 => {
                let register = self.registers.get(name).copied().map(Expr::Register);
                let address = || self.locations.get(name).copied().map(Expr::address);
                let found = register.or_else(address);
                if found.is_none() {
                    self.unknown(name, span);
                }
                found
            }
            Syntax::Esop15 if self.locations.contains_key(name) => {
                let message = format!("shared variable `{name}` inside an expression");
                let help = format!("read it into a register first: `$r = {name}`");
                self.errors.push(Diagnostic::new(span, message).help(help));
                None
            }
            Syntax::Esop15 => {
                self.unknown_variable(name, span);
                None
            }
        }
    }

    /// Reports a register that is not declared.
    fn unknown(&mut self, name: &str, span: Span) {
        let sigil = self.syntax.sigil();
        let text = shortened(name);
        let like = did_you_mean(name, self.registers.keys().copied());
        let help = like.map_or_else(
            || format!("declare it after `regs`: `{sigil}{text}`"),
            |like| format!("did you mean `{sigil}{like}`?"),
        );
        let message = format!("this thread has no register `{sigil}{text}`");
        self.errors.push(Diagnostic::new(span, message).help(help));
    }

    fn unknown_variable(&mut self, name: &str, span: Span) {
        let text = shortened(name);
        let help = if self.registers.contains_key(name) {
            format!("registers are written with `$`: `${text}`")
        } else if let Some(like) = did_you_mean(name, self.locations.keys().map(String::as_str)) {
            format!("did you mean `{like}`?")
        } else {
            format!("declare it after `vars`: `{text}`")
        };
        let message = format!("there is no shared variable `{text}`");
        self.errors.push(Diagnostic::new(span, message).help(help));
    }
}
