//! Compiling comparisons, selections and branches.

use program::{BinaryOp, Expr, UnaryOp};

use super::assembler::{Arithmetic, Assembler, Operand, Reg, Relation};
use super::bounds;
use super::value::{Compiler, Refusal, constant};

impl<A: Assembler> Compiler<'_, A> {
    /// 1 or 0, for what is true or false.
    pub(super) fn truth(&mut self, expr: &Expr) -> Result<Reg, Refusal> {
        if bounds::is_truth(expr, self.template, self.small) {
            return self.value(expr, None);
        }
        self.relation(Relation::NotEqual, expr, &Expr::Const(0), None)
    }

    pub(super) fn relation(
        &mut self,
        relation: Relation,
        left: &Expr,
        right: &Expr,
        to: Option<Reg>,
    ) -> Result<Reg, Refusal> {
        self.exact(left)?;
        self.exact(right)?;
        if self.assembler.compares_by_difference() {
            self.exact(&Expr::binary(BinaryOp::Sub, left.clone(), right.clone()))?;
        }
        let (left, right) = (self.value(left, None)?, self.value(right, None)?);
        let result = self.destination(to.filter(|to| *to != left && *to != right))?;
        let spare = self.scratch()?;
        let lines = self.assembler.truth(relation, result, (left, right), spare);
        self.lines.extend(lines);
        Ok(result)
    }

    pub(super) fn select(
        &mut self,
        test: Reg,
        then: Reg,
        otherwise: Reg,
        to: Option<Reg>,
    ) -> Result<Reg, Refusal> {
        let result = self.destination(to)?;
        if let Some(lines) = self.assembler.select(result, test, (then, otherwise)) {
            self.lines.extend(lines);
            return Ok(result);
        }
        // otherwise ^ ((then ^ otherwise) & -(test != 0))
        let (zero, mask, both) = (self.scratch()?, self.scratch()?, self.scratch()?);
        let assembler = self.assembler;
        self.lines.extend(assembler.constant(zero, 0));
        let truth = assembler.truth(Relation::NotEqual, mask, (test, zero), both);
        self.lines.extend(truth);
        let mut step = |op, to, left, right| {
            self.lines.extend(assembler.arithmetic(op, to, left, Operand::Register(right)));
        };
        step(Arithmetic::Sub, mask, zero, mask);
        step(Arithmetic::Xor, both, then, otherwise);
        step(Arithmetic::And, both, both, mask);
        step(Arithmetic::Xor, result, both, otherwise);
        Ok(result)
    }

    /// A branch to a label if a condition holds.
    pub(super) fn branch(&mut self, condition: &Expr, label: &str) -> Result<(), Refusal> {
        let zero = Expr::Const(0);
        let (op, left, right) = match condition {
            Expr::Binary(op, left, right) if let Some(op) = relation(*op) => {
                (op, &**left, &**right)
            }
            Expr::Unary(UnaryOp::Not, inner) => (Relation::Equal, &**inner, &zero),
            Expr::Const(_)
            | Expr::Register(_)
            | Expr::Element(..)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(_)
            | Expr::Cast(..) => (Relation::NotEqual, condition, &zero),
        };
        self.exact(left)?;
        self.exact(right)?;
        let left = self.value(left, None)?;
        let number = constant(right).filter(|value| self.assembler.compares_with(*value));
        let right = match number {
            Some(value) => Operand::Number(value),
            None => Operand::Register(self.value(right, None)?),
        };
        self.lines.extend(self.assembler.branch(op, left, right, label));
        Ok(())
    }
}

/// The comparison that an operator is, if it is one.
pub(super) fn relation(op: BinaryOp) -> Option<Relation> {
    match op {
        BinaryOp::Eq => Some(Relation::Equal),
        BinaryOp::Ne => Some(Relation::NotEqual),
        BinaryOp::Lt => Some(Relation::Less),
        BinaryOp::Ge => Some(Relation::GreaterOrEqual),
        BinaryOp::Le => Some(Relation::LessOrEqual),
        BinaryOp::Gt => Some(Relation::Greater),
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Min
        | BinaryOp::Max => None,
    }
}
