//! Reading and writing operands.
//!
//! Operands are read as signed numbers of the instruction's width. A destination wraps what it is
//! given, so no result needs to be wrapped but where a register keeps or clears its upper bits.

use program::{Access, BinaryOp, Diagnostic, Expr, Instruction, Span, UnaryOp, Value};

use super::super::machine::{signed, unsigned};
use super::Dialect;
use super::flags::{self, Codes, Condition, Source};
use super::instruction::Steps;
use super::register::Part;
use super::syntax::{Memory, Operand};
use super::thread::Lowering;

impl Lowering<'_> {
    pub(super) fn set_flags(&mut self, source: &Source, needed: Codes, steps: &mut Steps) {
        for code in needed.iter() {
            let register = self.flag(code);
            steps.push(Instruction::Assign { register, value: flags::holds(code, source) });
        }
    }

    pub(super) fn condition(&mut self, condition: Condition) -> Expr {
        let flag = Expr::Register(self.flag(condition.code));
        if condition.negated { Expr::unary(UnaryOp::Not, flag) } else { flag }
    }

    /// An operand as a signed number; memory is loaded into the temporary first.
    pub(super) fn read(&mut self, operand: &Operand, bits: u8, steps: &mut Steps) -> Expr {
        match operand {
            Operand::Register(part, _) => self.read_part(*part, bits),
            Operand::Immediate(_) | Operand::Address(_) => self.stored(operand, bits),
            Operand::Memory(memory) => {
                let register = self.temporary(bits);
                let (address, access) = self.access(memory, bits);
                steps.push(Instruction::Load { register, address, access });
                Expr::Register(register)
            }
        }
    }

    /// An operand in the temporary.
    pub(super) fn saved(&mut self, operand: &Operand, bits: u8, steps: &mut Steps) -> Expr {
        let register = self.temporary(bits);
        let value = self.read(operand, bits, steps);
        if value != Expr::Register(register) {
            steps.push(Instruction::Assign { register, value });
        }
        Expr::Register(register)
    }

    /// An operand that is not in memory, where the destination wraps it.
    pub(super) fn stored(&mut self, operand: &Operand, bits: u8) -> Expr {
        match operand {
            Operand::Register(part, _) => self.stored_part(*part),
            Operand::Immediate(value) => Expr::Const(signed(bits).wrap(*value)),
            Operand::Address(name) => self.location(&name.text),
            // Two operands in memory have been refused.
            Operand::Memory(_) => Expr::Const(0),
        }
    }

    pub(super) fn stored_part(&self, part: Part) -> Expr {
        let register = Expr::Register(self.whole(part).0);
        if part.shift == 0 {
            return register;
        }
        Expr::binary(BinaryOp::Shr, register, Expr::Const(Value::from(part.shift)))
    }

    pub(super) fn read_part(&self, part: Part, bits: u8) -> Expr {
        let value = self.stored_part(part);
        let (_, whole_bits) = self.whole(part);
        if bits == whole_bits { value } else { Expr::Cast(signed(bits), Box::new(value)) }
    }

    pub(super) fn write(
        &mut self,
        to: &Operand,
        value: Expr,
        bits: u8,
        span: Span,
        steps: &mut Steps,
    ) {
        match to {
            Operand::Register(part, _) => steps.push(self.assign_part(*part, value)),
            Operand::Memory(memory) => {
                let (address, access) = self.access(memory, bits);
                steps.push(Instruction::Store { address, value, access });
            }
            Operand::Immediate(_) | Operand::Address(_) => {
                let error = Diagnostic::new(span, "a constant cannot be written");
                let help = match self.dialect {
                    Dialect::Intel => "the destination comes first: `MOV EAX,$1`",
                    Dialect::Att => "the destination comes last: `movl $1,%eax`",
                };
                self.errors.push(error.help(help));
            }
        }
    }

    pub(super) fn assign_part(&self, part: Part, value: Expr) -> Instruction {
        let (register, whole_bits) = self.whole(part);
        let value = match part.bits {
            bits if bits == whole_bits => value,
            // Writing the lower half clears the upper one.
            32 => Expr::Cast(unsigned(32), Box::new(value)),
            // A register of which only 32 bits are used holds them all.
            64 => value,
            bits => {
                let shift = Value::from(part.shift);
                let kept = !(unsigned(bits).max() << shift);
                let kept =
                    Expr::binary(BinaryOp::BitAnd, Expr::Register(register), Expr::Const(kept));
                let value = Expr::Cast(unsigned(bits), Box::new(value));
                let value = if shift == 0 {
                    value
                } else {
                    Expr::binary(BinaryOp::Shl, value, Expr::Const(shift))
                };
                Expr::binary(BinaryOp::BitOr, kept, value)
            }
        };
        Instruction::Assign { register, value }
    }

    pub(super) fn load_into(&mut self, part: Part, memory: &Memory, bits: u8, steps: &mut Steps) {
        let (address, access) = self.access(memory, bits);
        let (whole, whole_bits) = self.whole(part);
        if whole_bits == bits {
            steps.push(Instruction::Load { register: whole, address, access });
        } else {
            let register = self.temporary(bits);
            steps.push(Instruction::Load { register, address, access });
            steps.push(self.assign_part(part, Expr::Register(register)));
        }
    }

    pub(super) fn access(&mut self, memory: &Memory, bits: u8) -> (Expr, Access) {
        let access = Access { width: self.context.globals.access_width(bits), ..Access::PLAIN };
        if let Some(name) = &memory.name {
            return (self.location(&name.text), access);
        }
        let add = |left, right| Expr::binary(BinaryOp::Add, left, right);
        let mut sum: Option<Expr> = None;
        for (part, scale) in &memory.registers {
            let register = Expr::Register(self.whole(*part).0);
            let scaled = if *scale == 1 {
                register
            } else {
                Expr::binary(BinaryOp::Mul, register, Expr::Const(*scale))
            };
            sum = Some(match sum {
                None => scaled,
                Some(sum) => add(sum, scaled),
            });
        }
        let address = match (sum, memory.displacement) {
            (None, displacement) => Expr::Const(displacement),
            (Some(sum), 0) => sum,
            (Some(sum), displacement) => add(sum, Expr::Const(displacement)),
        };
        (address, access)
    }

    /// The address of a location. All that instructions name are declared.
    pub(super) fn location(&self, name: &str) -> Expr {
        self.context.globals.names.get(name).map_or(Expr::Const(0), |id| Expr::address(*id))
    }
}
