//! What each instruction does.

use super::arithmetic::{
    Flags, binary, flags_of_product, product, quotient, shift, unary, wide_product,
};
use super::{Executor, Stop};
use crate::assembly::{Binary, CODE, Instruction, Operand, Register, Target, Width, register};

type Done = Result<(), Stop>;

impl Executor<'_> {
    fn registers(&mut self) -> &mut [u64; 16] {
        &mut self.state.threads[self.thread].registers
    }

    fn flags(&mut self) -> &mut Flags {
        &mut self.state.threads[self.thread].flags
    }

    pub(super) fn held(&self, number: usize) -> u64 {
        self.state.threads[self.thread].registers[number]
    }

    pub(super) fn set(&mut self, number: usize, value: u64) {
        self.registers()[number] = value;
    }

    fn get_register(&self, register: Register) -> u64 {
        let whole = self.held(register.number);
        let shifted = if register.is_high { whole >> 8 } else { whole };
        shifted & register.width.mask()
    }

    /// Bytes and words leave the rest of a register as it is, four bytes clear it.
    fn set_register(&mut self, register: Register, value: u64) {
        let old = self.held(register.number);
        let mask = register.width.mask();
        let value = value & mask;
        let new = match register.width {
            Width::Quad | Width::Long => value,
            Width::Byte if register.is_high => old & !0xff00 | value << 8,
            Width::Byte | Width::Word => old & !mask | value,
        };
        self.set(register.number, new);
    }

    fn get(&mut self, operand: Operand, width: Width) -> Result<u64, Stop> {
        match operand {
            Operand::Immediate(value) => Ok(value & width.mask()),
            Operand::Register(register) => Ok(self.get_register(register)),
            Operand::Memory(address) => {
                let address = self.address(address);
                self.read(address, width.bytes())
            }
        }
    }

    fn put(&mut self, operand: Operand, width: Width, value: u64) -> Done {
        match operand {
            Operand::Immediate(_) => Err(Stop::Wrong("a store to a number".to_owned())),
            Operand::Register(register) => {
                self.set_register(register, value);
                Ok(())
            }
            Operand::Memory(address) => {
                let address = self.address(address);
                self.write(address, width.bytes(), value & width.mask())
            }
        }
    }

    /// Reads, computes and writes; at once if the instruction is locked.
    fn change(
        &mut self,
        operand: Operand,
        width: Width,
        is_locked: bool,
        new: impl FnOnce(u64) -> u64,
    ) -> Result<u64, Stop> {
        if let (Operand::Memory(address), true) = (operand, is_locked) {
            let address = self.address(address);
            return self.update(address, width.bytes(), |old| new(old) & width.mask());
        }
        let old = self.get(operand, width)?;
        self.put(operand, width, new(old))?;
        Ok(old)
    }

    fn push(&mut self, value: u64) -> Done {
        let top = self.held(register::RSP).wrapping_sub(8);
        if super::index(top).is_none_or(|top| top < self.machine.region(self.thread)) {
            return Err(Stop::Wrong("the stack is too small".to_owned()));
        }
        self.set(register::RSP, top);
        self.write(top, 8, value)
    }

    fn pop(&mut self) -> Result<u64, Stop> {
        let top = self.held(register::RSP);
        self.set(register::RSP, top.wrapping_add(8));
        self.read(top, 8)
    }

    fn go(&mut self, at: u64) {
        self.state.threads[self.thread].at = at;
    }

    /// Nobody may rely on what a function leaves in registers that are not its result.
    pub(super) fn clobber(&mut self) {
        for number in register::CLOBBERED {
            self.set(number, 0);
        }
        *self.flags() = Flags::default();
    }

    fn target(&mut self, target: Target) -> Result<u64, Stop> {
        match target {
            Target::At(number) => Ok(CODE + super::wide(number)),
            Target::Computed(operand) => self.get(operand, Width::Quad),
            Target::Library(_) => Err(Stop::Wrong("a jump into the library".to_owned())),
        }
    }

    /// Executes the next instruction, all of it or nothing.
    pub(super) fn execute(&mut self) -> Done {
        let at = self.state.threads[self.thread].at;
        let instruction = self
            .machine
            .instruction(at)
            .ok_or_else(|| Stop::Wrong(format!("no instruction at {at:#x}")))?;
        self.go(at + 1);
        match instruction {
            Instruction::Move { width, from, to } => {
                let value = self.get(from, width)?;
                self.put(to, width, value)
            }
            Instruction::Extend { from_width, from, to, is_signed } => {
                let value = self.get(from, from_width)?;
                let extended = from_width.extended(value).cast_unsigned();
                self.set_register(to, if is_signed { extended } else { value });
                Ok(())
            }
            Instruction::LoadAddress { from, to } => {
                let address = self.address(from);
                self.set_register(to, address);
                Ok(())
            }
            Instruction::Jump(target) => {
                let to = self.target(target)?;
                self.go(to);
                Ok(())
            }
            Instruction::JumpIf { test, to } => {
                if self.flags().satisfy(test) {
                    self.go(CODE + super::wide(to));
                }
                Ok(())
            }
            Instruction::Call(Target::Library(function)) => self.call_library(function),
            Instruction::Call(target @ (Target::At(_) | Target::Computed(_))) => {
                let to = self.target(target)?;
                self.push(at + 1)?;
                self.go(to);
                Ok(())
            }
            Instruction::Return => {
                let to = self.pop()?;
                self.clobber();
                self.go(to);
                Ok(())
            }
            Instruction::Push(from) => {
                let value = self.get(from, Width::Quad)?;
                self.push(value)
            }
            Instruction::Pop(to) => {
                let value = self.pop()?;
                self.set_register(to, value);
                Ok(())
            }
            Instruction::Leave => {
                let frame = self.held(register::RBP);
                self.set(register::RSP, frame);
                let outer = self.pop()?;
                self.set(register::RBP, outer);
                Ok(())
            }
            Instruction::Set { test, to } => {
                let value = u64::from(self.flags().satisfy(test));
                self.put(to, Width::Byte, value)
            }
            Instruction::MoveIf { test, width, from, to } => {
                // Memory is read in any case.
                let value = self.get(from, width)?;
                let old = self.get_register(to);
                let new = if self.flags().satisfy(test) { value } else { old };
                self.set_register(to, new);
                Ok(())
            }
            Instruction::Fence => self.drained(),
            Instruction::Nothing => Ok(()),
            Instruction::Trap => Err(Stop::Wrong("`ud2` is reached".to_owned())),
            Instruction::Binary { .. }
            | Instruction::Compare { .. }
            | Instruction::TestBits { .. }
            | Instruction::Unary { .. }
            | Instruction::Shift { .. }
            | Instruction::Multiply { .. }
            | Instruction::MultiplyWide { .. }
            | Instruction::Divide { .. }
            | Instruction::SpreadSign { .. } => self.compute(instruction),
            Instruction::Exchange { .. }
            | Instruction::ExchangeAdd { .. }
            | Instruction::CompareExchange { .. } => self.exchange(instruction),
        }
    }

    fn compute(&mut self, instruction: Instruction) -> Done {
        let flags = *self.flags();
        match instruction {
            Instruction::Binary { op, width, from, to, is_locked } => {
                let from = self.get(from, width)?;
                let result = |old| binary(op, width, old, from, flags.carry);
                let old = self.change(to, width, is_locked, |old| result(old).0)?;
                *self.flags() = result(old).1;
            }
            Instruction::Compare { width, from, to } => {
                let (from, to) = (self.get(from, width)?, self.get(to, width)?);
                *self.flags() = binary(Binary::Subtract, width, to, from, false).1;
            }
            Instruction::TestBits { width, from, to } => {
                let (from, to) = (self.get(from, width)?, self.get(to, width)?);
                *self.flags() = binary(Binary::And, width, to, from, false).1;
            }
            Instruction::Unary { op, width, to, is_locked } => {
                let old =
                    self.change(to, width, is_locked, |old| unary(op, width, old, flags).0)?;
                *self.flags() = unary(op, width, old, flags).1;
            }
            Instruction::Shift { op, width, count, to } => {
                let count = self.get(count, Width::Byte)?;
                let result = |old| shift(op, width, old, count, flags);
                let old = self.change(to, width, false, |old| result(old).0)?;
                *self.flags() = result(old).1;
            }
            Instruction::Multiply { from, factor, to } => {
                let (left, right) = (self.get(from, to.width)?, self.get(factor, to.width)?);
                let (result, flags) = product(to.width, left, right);
                self.set_register(to, result);
                *self.flags() = flags;
            }
            Instruction::MultiplyWide { width, from, is_signed } => {
                let from = self.get(from, width)?;
                let (high, low) = wide_product(width, self.held(register::RAX), from, is_signed);
                self.set_halves(width, high, low);
                *self.flags() = flags_of_product(width, high, low, is_signed);
            }
            Instruction::Divide { width, from, is_signed } => {
                let divisor = self.get(from, width)?;
                let (high, low) = self.halves(width);
                let (quotient, remainder) = quotient(width, high, low, divisor, is_signed)?;
                self.set_halves(width, remainder, quotient);
            }
            Instruction::SpreadSign { width } => {
                let is_negative = width.sign(self.held(register::RAX));
                let high = Register { number: register::RDX, width, is_high: false };
                self.set_register(high, if is_negative { u64::MAX } else { 0 });
            }
            Instruction::Move { .. }
            | Instruction::Extend { .. }
            | Instruction::LoadAddress { .. }
            | Instruction::Set { .. }
            | Instruction::MoveIf { .. }
            | Instruction::Jump(_)
            | Instruction::JumpIf { .. }
            | Instruction::Call(_)
            | Instruction::Return
            | Instruction::Push(_)
            | Instruction::Pop(_)
            | Instruction::Leave
            | Instruction::Exchange { .. }
            | Instruction::ExchangeAdd { .. }
            | Instruction::CompareExchange { .. }
            | Instruction::Fence
            | Instruction::Nothing
            | Instruction::Trap => return Err(Stop::Wrong("nothing to compute".to_owned())),
        }
        Ok(())
    }

    /// `%rdx:%rax`, of bytes `%ah:%al`.
    fn halves(&self, width: Width) -> (u64, u64) {
        let low = self.held(register::RAX);
        let high = if width == Width::Byte { low >> 8 } else { self.held(register::RDX) };
        (high & width.mask(), low & width.mask())
    }

    fn set_halves(&mut self, width: Width, high: u64, low: u64) {
        let register = |number, is_high| Register { number, width, is_high };
        self.set_register(register(register::RAX, false), low);
        if width == Width::Byte {
            self.set_register(register(register::RAX, true), high);
        } else {
            self.set_register(register(register::RDX, false), high);
        }
    }

    fn exchange(&mut self, instruction: Instruction) -> Done {
        match instruction {
            Instruction::Exchange { register, with } => {
                let new = self.get_register(register);
                let old = self.change(with, register.width, true, |_| new)?;
                self.set_register(register, old);
                Ok(())
            }
            Instruction::ExchangeAdd { register, to, is_locked } => {
                let width = register.width;
                let added = self.get_register(register);
                let result = |old| binary(Binary::Add, width, old, added, false);
                let old = self.change(to, width, is_locked, |old| result(old).0)?;
                self.set_register(register, old);
                *self.flags() = result(old).1;
                Ok(())
            }
            Instruction::CompareExchange { register, to, is_locked } => {
                let width = register.width;
                let (new, mask) = (self.get_register(register), width.mask());
                let expected = self.held(register::RAX) & mask;
                let result = |old| if old == expected { new } else { old };
                let old = self.change(to, width, is_locked, result)?;
                *self.flags() = binary(Binary::Subtract, width, expected, old, false).1;
                if old != expected {
                    let into = Register { number: register::RAX, width, is_high: false };
                    self.set_register(into, old);
                }
                Ok(())
            }
            Instruction::Move { .. }
            | Instruction::Extend { .. }
            | Instruction::LoadAddress { .. }
            | Instruction::Binary { .. }
            | Instruction::Compare { .. }
            | Instruction::TestBits { .. }
            | Instruction::Unary { .. }
            | Instruction::Shift { .. }
            | Instruction::Multiply { .. }
            | Instruction::MultiplyWide { .. }
            | Instruction::Divide { .. }
            | Instruction::SpreadSign { .. }
            | Instruction::Set { .. }
            | Instruction::MoveIf { .. }
            | Instruction::Jump(_)
            | Instruction::JumpIf { .. }
            | Instruction::Call(_)
            | Instruction::Return
            | Instruction::Push(_)
            | Instruction::Pop(_)
            | Instruction::Leave
            | Instruction::Fence
            | Instruction::Nothing
            | Instruction::Trap => Err(Stop::Wrong("nothing to exchange".to_owned())),
        }
    }
}
