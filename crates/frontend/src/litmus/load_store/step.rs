//! Lowering the steps of instructions into instructions of the model.
//!
//! Registers are read as signed numbers of the width that the instruction means. What is written
//! to a register or a cell is wrapped there, so no result needs to be wrapped except where it
//! fills only part of a register.

use program::{Access, BinaryOp, Diagnostic, Expr, Instruction, RegisterId, Span, UnaryOp, Update};

use super::super::condition_code::{Code as ConditionCode, Source, holds};
use super::super::machine::{signed, unsigned};
use super::syntax::{
    Change, Comparison, Extension, Flag, Memory, Register, Rest, Status, Step, Term,
};
use super::thread::Lowering;

type Steps = Vec<Instruction>;

impl Lowering<'_> {
    pub(super) fn step(&mut self, step: &Step, span: Span, steps: &mut Steps) {
        match step {
            Step::Assign { to, value } => {
                let value = self.expr(value);
                steps.extend(self.assign(to, value));
            }
            Step::Load { to, extension, memory, exclusive } => {
                let (address, access) = self.access(memory);
                let access = Access { exclusive: *exclusive, ..access };
                let (register, rest) = self.filled(to, *extension, memory.bits);
                steps.push(Instruction::Load { register, address, access });
                steps.extend(rest);
            }
            Step::Store { memory, value } => {
                let (address, access) = self.access(memory);
                let value = self.stored(value);
                steps.push(Instruction::Store { address, value, access });
            }
            Step::StoreExclusive { status, memory, value } => {
                let (address, access) = self.access(memory);
                let access = Access { exclusive: true, ..access };
                let value = self.stored(value);
                let register = match status {
                    Status::Register(register) => match self.whole(register) {
                        Some((register, _)) => register,
                        None => self.failed(),
                    },
                    Status::Flags => self.failed(),
                };
                steps.push(Instruction::StoreExclusive {
                    status: register,
                    address,
                    value,
                    access,
                });
                match status {
                    Status::Flags => self.success_flags(register, steps),
                    Status::Register(_) => {}
                }
            }
            Step::Update { result, extension, memory, change } => {
                let (address, access) = self.access(memory);
                let update = self.update(change);
                let (result, rest) = match result {
                    Register::Zero { .. } => (None, None),
                    Register::Named { .. } => {
                        let (register, rest) = self.filled(result, *extension, memory.bits);
                        (Some(register), rest)
                    }
                };
                steps.push(Instruction::Update { result, address, update, access });
                steps.extend(rest);
            }
            Step::Compare { field, comparison } => {
                self.compare(*field, comparison, span, steps);
            }
            Step::Fence(kind) => steps.push(Instruction::Fence(*kind)),
        }
    }

    fn update(&mut self, change: &Change) -> Update {
        match change {
            Change::Exchange(value) => Update::Exchange(self.stored(value)),
            Change::Fetch(op, operand) => Update::Fetch { op: *op, operand: self.expr(operand) },
            Change::CompareAndSwap { expected, new } => {
                Update::CompareAndSwap { expected: self.expr(expected), new: self.stored(new) }
            }
        }
    }

    /// Where a value of `bits` bits is put that comes from memory, and what then fills the rest of
    /// the register.
    fn filled(
        &mut self,
        to: &Register,
        extension: Extension,
        bits: u8,
    ) -> (RegisterId, Option<Instruction>) {
        let Some((register, whole_bits)) = self.whole(to) else {
            return (self.discarded(bits), None);
        };
        // Cells hold signed numbers: a plain load extends the sign to the whole register.
        let fills_all = to.bits().is_none_or(|part| part == whole_bits);
        let extends = extension == Extension::Sign;
        if whole_bits == bits || extends && fills_all {
            return (register, None);
        }
        let temporary = self.temporary(bits);
        let value = Expr::Register(temporary);
        let value = match extension {
            Extension::Zero => Expr::Cast(unsigned(bits), Box::new(value)),
            Extension::Sign => value,
        };
        (temporary, self.assign(to, value))
    }

    /// Nothing for the zero register. Writing the lower half of a register clears the upper one.
    fn assign(&self, to: &Register, value: Expr) -> Option<Instruction> {
        let (register, whole_bits) = self.whole(to)?;
        let part = to.bits().filter(|bits| *bits < whole_bits);
        let value = match (part, &value) {
            (None, _) => value,
            (Some(bits), Expr::Cast(int, _)) if !int.signed() && int.bits() <= bits => value,
            (Some(bits), _) => Expr::Cast(unsigned(bits), Box::new(value)),
        };
        Some(Instruction::Assign { register, value })
    }

    /// The model's register and how many bits it has; nothing for the zero register.
    fn whole(&self, register: &Register) -> Option<(RegisterId, u8)> {
        match register {
            Register::Zero { .. } => None,
            Register::Named { whole, .. } => self.registers.get(whole).copied(),
        }
    }

    fn access(&mut self, memory: &Memory) -> (Expr, Access) {
        let width = self.globals.access_width(memory.bits);
        (self.expr(&memory.address), Access { width, ..Access::with_order(memory.order) })
    }

    /// A term where the destination wraps it.
    fn stored(&mut self, term: &Term) -> Expr {
        match term {
            Term::Register(register) => match self.whole(register) {
                Some((register, _)) => Expr::Register(register),
                None => Expr::Const(0),
            },
            Term::Number(_)
            | Term::Condition(_)
            | Term::Unary(..)
            | Term::Binary(..)
            | Term::Cast(..)
            | Term::Select(_)
            | Term::Code(_) => self.expr(term),
        }
    }

    pub(super) fn expr(&mut self, term: &Term) -> Expr {
        match term {
            Term::Number(value) => Expr::Const(*value),
            Term::Register(register) => {
                let Some((id, whole_bits)) = self.whole(register) else { return Expr::Const(0) };
                match register.bits() {
                    Some(bits) if bits < whole_bits => {
                        Expr::Cast(signed(bits), Box::new(Expr::Register(id)))
                    }
                    Some(_) | None => Expr::Register(id),
                }
            }
            Term::Condition(condition) => self.condition(*condition),
            Term::Code(label) => Expr::Const(self.code_of(label)),
            Term::Unary(op, operand) => Expr::unary(*op, self.expr(operand)),
            Term::Binary(op, left, right) => {
                let left = self.expr(left);
                Expr::binary(*op, left, self.expr(right))
            }
            Term::Cast(int, operand) => Expr::Cast(*int, Box::new(self.expr(operand))),
            Term::Select(operands) => {
                let [test, then, otherwise] = &**operands;
                let (test, then) = (self.expr(test), self.expr(then));
                Expr::Select(Box::new([test, then, self.expr(otherwise)]))
            }
        }
    }

    fn compare(&mut self, field: u8, comparison: &Comparison, span: Span, steps: &mut Steps) {
        let codes = self.used_codes(field);
        let source = match comparison {
            Comparison::Signed { left, right, bits } => {
                let (left, right) = (self.expr(left), self.expr(right));
                Source::Difference { left, right, bits: *bits }
            }
            Comparison::Unsigned { left, right, bits } => {
                let mut side = |term: &Term| {
                    if let Term::Number(value) = term {
                        return Expr::Const(unsigned(*bits).wrap(*value));
                    }
                    Expr::Cast(unsigned(*bits), Box::new(self.expr(term)))
                };
                let (left, right) = (side(left), side(right));
                Source::Difference { left, right, bits: *bits }
            }
            Comparison::Sum { left, right, bits } => {
                let (left, right) = (self.expr(left), self.expr(right));
                Source::ArmSum { left, right, bits: *bits }
            }
            Comparison::Bits { value, bits, rest } => {
                if *rest == Rest::Kept && codes.iter().any(|code| !of_result(*code)) {
                    let message = "this does not set the carry and the overflow";
                    let help = "test for `EQ`, `NE`, `MI` or `PL`, or compare with `CMP`";
                    self.errors.push(Diagnostic::new(span, message).help(help));
                }
                Source::Bits(Expr::Cast(signed(*bits), Box::new(self.expr(value))))
            }
        };
        for code in codes {
            let register = self.flag(Flag { field, code });
            steps.push(Instruction::Assign { register, value: holds(code, &source) });
        }
    }

    /// The flags of Power's store conditional: "equal" for success.
    fn success_flags(&mut self, failed: RegisterId, steps: &mut Steps) {
        for code in self.used_codes(0) {
            let success = Expr::unary(UnaryOp::Not, Expr::Register(failed));
            let value = match code {
                ConditionCode::Equal | ConditionCode::LessOrEqual => success,
                ConditionCode::Less
                | ConditionCode::Below
                | ConditionCode::BelowOrEqual
                | ConditionCode::Sign
                | ConditionCode::Overflow => Expr::binary(BinaryOp::Mul, success, Expr::Const(0)),
            };
            let register = self.flag(Flag { field: 0, code });
            steps.push(Instruction::Assign { register, value });
        }
    }
}

/// Whether sign and zero of a result are enough to decide a code.
const fn of_result(code: ConditionCode) -> bool {
    match code {
        ConditionCode::Equal | ConditionCode::Sign => true,
        ConditionCode::Less
        | ConditionCode::LessOrEqual
        | ConditionCode::Below
        | ConditionCode::BelowOrEqual
        | ConditionCode::Overflow => false,
    }
}
