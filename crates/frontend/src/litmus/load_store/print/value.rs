//! Compiling expressions: every operator becomes instructions of its own, so that all registers it
//! mentions are read.
//!
//! Instructions compute modulo 2³² or 2⁶⁴. That is exact enough for sums, products and the like,
//! whose low bits depend on low bits only; where the exact value of an operand counts, it must be
//! known to fit ([`super::bounds`]).

use program::{BinaryOp, Expr, IntType, Program, Template, UnaryOp, Value};

use super::super::super::machine::signed;
use super::super::super::print::Form;
use super::allocate::Allocation;
use super::assembler::{Arithmetic, Assembler, Lines, Operand, Reg, Relation};
use super::bounds;
use super::comparison::relation;

/// What it is that cannot be expressed.
pub(super) type Refusal = &'static str;

const TOO_WIDE: Refusal = "a computation whose exact value may need more bits than a register has";

/// Compiles the statements of a thread.
pub(super) struct Compiler<'a, A> {
    pub(super) program: &'a Program,
    pub(super) template: &'a Template,
    pub(super) assembler: &'a A,
    pub(super) form: Form,
    pub(super) allocation: &'a Allocation,
    /// Whether no undeclared integer needs more than 32 bits.
    pub(super) small: bool,
    /// How many of the free registers this statement uses.
    pub(super) used: usize,
    /// How many labels there are.
    pub(super) labels: usize,
    pub(super) lines: Lines,
}

impl<A: Assembler> Compiler<'_, A> {
    /// A register for an intermediate value.
    pub(super) fn scratch(&mut self) -> Result<Reg, Refusal> {
        let register = self.allocation.free.get(self.used).copied();
        self.used += 1;
        register.ok_or("a computation that needs more registers than the machine has")
    }

    pub(super) fn bounds(&self, expr: &Expr) -> Option<(Value, Value)> {
        bounds::of(expr, self.template, self.small)
    }

    /// Refuses an expression whose exact value a register may not hold.
    pub(super) fn exact(&self, expr: &Expr) -> Result<(), Refusal> {
        let range = signed(self.form.undeclared_bits);
        match self.bounds(expr) {
            Some((low, high)) if range.min() <= low && high <= range.max() => Ok(()),
            Some(_) | None => Err(TOO_WIDE),
        }
    }

    /// The register that holds the value of an expression: a program's register itself, or `to`, or
    /// a scratch register.
    pub(super) fn value(&mut self, expr: &Expr, to: Option<Reg>) -> Result<Reg, Refusal> {
        match expr {
            Expr::Const(value) => {
                let value = signed(self.form.undeclared_bits).wrap(*value);
                let to = self.destination(to)?;
                self.lines.extend(self.assembler.constant(to, value));
                Ok(to)
            }
            Expr::Register(register) => {
                self.allocation.registers[*register].ok_or("a register that the machine lacks")
            }
            Expr::Element(location, index) => {
                let index = constant(index).ok_or("an index that is computed")?;
                let base = self.pointer(*location)?;
                let offset = self.offset(*location, index)?;
                if offset == 0 {
                    return Ok(base);
                }
                self.arithmetic(Arithmetic::Add, base, &Expr::Const(offset), to)
            }
            Expr::Unary(op, operand) => self.unary(*op, operand, to),
            Expr::Binary(op, left, right) => self.binary(*op, left, right, to),
            Expr::Select(operands) => {
                let [test, then, otherwise] = &**operands;
                self.exact(test)?;
                let test = self.value(test, None)?;
                let (then, otherwise) = (self.value(then, None)?, self.value(otherwise, None)?);
                self.select(test, then, otherwise, to)
            }
            Expr::Cast(int, operand) => {
                let from = self.value(operand, None)?;
                self.extended(from, *int, to)
            }
        }
    }

    pub(super) fn destination(&mut self, to: Option<Reg>) -> Result<Reg, Refusal> {
        match to {
            Some(to) => Ok(to),
            None => self.scratch(),
        }
    }

    pub(super) fn pointer(&self, location: program::LocationId) -> Result<Reg, Refusal> {
        self.allocation.pointers.get(&location).copied().ok_or("a location without a register")
    }

    /// How far a cell is from its location's first.
    pub(super) fn offset(
        &self,
        location: program::LocationId,
        index: Value,
    ) -> Result<Value, Refusal> {
        let location = self.program.memory().location(location);
        if index < 0 || index >= Value::from(location.cells()) {
            return Err("an index outside its array");
        }
        Ok(index * Value::from(self.form.width(location.domain) / 8))
    }

    /// Makes the low bits of a register a number of a type.
    pub(super) fn extended(
        &mut self,
        from: Reg,
        int: IntType,
        to: Option<Reg>,
    ) -> Result<Reg, Refusal> {
        if int == signed(self.form.undeclared_bits) || int.bits() > self.form.undeclared_bits {
            return Ok(from);
        }
        if int.bits() == self.form.undeclared_bits {
            return Err(TOO_WIDE);
        }
        let to = self.destination(to)?;
        self.lines.extend(self.assembler.extend(to, from, int));
        Ok(to)
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr, to: Option<Reg>) -> Result<Reg, Refusal> {
        match op {
            UnaryOp::Neg => {
                let right = self.value(operand, None)?;
                let zero = self.scratch()?;
                self.lines.extend(self.assembler.constant(zero, 0));
                let to = self.destination(to)?;
                let right = Operand::Register(right);
                self.lines.extend(self.assembler.arithmetic(Arithmetic::Sub, to, zero, right));
                Ok(to)
            }
            UnaryOp::BitNot => {
                let left = self.value(operand, None)?;
                self.arithmetic(Arithmetic::Xor, left, &Expr::Const(-1), to)
            }
            UnaryOp::Not => self.relation(Relation::Equal, operand, &Expr::Const(0), to),
        }
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        to: Option<Reg>,
    ) -> Result<Reg, Refusal> {
        if let Some(relation) = relation(op) {
            return self.relation(relation, left, right, to);
        }
        let op = match op {
            BinaryOp::Add => Arithmetic::Add,
            BinaryOp::Sub => Arithmetic::Sub,
            BinaryOp::Mul => Arithmetic::Mul,
            BinaryOp::BitAnd => Arithmetic::And,
            BinaryOp::BitOr => Arithmetic::Or,
            BinaryOp::BitXor => Arithmetic::Xor,
            BinaryOp::Shl | BinaryOp::Shr => {
                let by = constant(right).ok_or("a shift by a computed amount")?;
                if by < 0 || by >= Value::from(self.form.undeclared_bits) {
                    return Err("a shift by more bits than a register has");
                }
                if op == BinaryOp::Shr {
                    self.exact(left)?;
                    Arithmetic::ShiftRight
                } else {
                    Arithmetic::ShiftLeft
                }
            }
            BinaryOp::And | BinaryOp::Or => {
                let (left, right) = (self.truth(left)?, self.truth(right)?);
                let op = if op == BinaryOp::And { Arithmetic::And } else { Arithmetic::Or };
                let to = self.destination(to)?;
                let right = Operand::Register(right);
                self.lines.extend(self.assembler.arithmetic(op, to, left, right));
                return Ok(to);
            }
            BinaryOp::Min | BinaryOp::Max => {
                let relation = if op == BinaryOp::Min { Relation::Less } else { Relation::Greater };
                let test = self.relation(relation, left, right, None)?;
                let (left, right) = (self.value(left, None)?, self.value(right, None)?);
                return self.select(test, left, right, to);
            }
            BinaryOp::Div | BinaryOp::Rem => return Err("a division"),
            BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge => return Err("this comparison"),
        };
        let left = self.value(left, None)?;
        self.arithmetic(op, left, right, to)
    }

    fn arithmetic(
        &mut self,
        op: Arithmetic,
        left: Reg,
        right: &Expr,
        to: Option<Reg>,
    ) -> Result<Reg, Refusal> {
        let number = constant(right).filter(|value| self.assembler.takes_number(op, *value));
        let right = match number {
            Some(value) => Operand::Number(value),
            None => Operand::Register(self.value(right, None)?),
        };
        let to = self.destination(to)?;
        self.lines.extend(self.assembler.arithmetic(op, to, left, right));
        Ok(to)
    }
}

pub(super) fn constant(expr: &Expr) -> Option<Value> {
    if let Expr::Const(value) = expr { Some(*value) } else { None }
}
