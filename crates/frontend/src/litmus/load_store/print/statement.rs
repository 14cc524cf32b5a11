//! Compiling statements.

use program::{Access, Domain, Expr, Instruction, IntType, RegisterId, Update};

use super::super::super::machine::signed;
use super::assembler::{Address, Assembler, How, Reg, Spare};
use super::bounds::domain_bounds;
use super::mode::{Base, indexed};
use super::value::{Compiler, Refusal};

impl<A: Assembler> Compiler<'_, A> {
    /// The instructions for one edge, or what it is that has none.
    pub(super) fn statement(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        self.used = 0;
        match instruction {
            Instruction::Skip => {
                self.lines.push(self.assembler.nothing());
                Ok(())
            }
            Instruction::Assign { register, value } => self.assign(*register, value),
            Instruction::Load { register, address, access } => {
                let how = self.how(address, *access)?;
                let address = self.address(address, how)?;
                let to = self.own(*register)?;
                self.lines.extend(self.assembler.load(to, address, how));
                self.settle(*register, to, (how.int.min(), how.int.max()))
            }
            Instruction::Store { address, value, access } => {
                let how = self.how(address, *access)?;
                let address = self.address(address, how)?;
                let value = self.value(value, None)?;
                self.lines.extend(self.assembler.store(value, address, how));
                Ok(())
            }
            Instruction::StoreExclusive { status, address, value, access } => {
                let how = self.how(address, *access)?;
                let address = self.address(address, how)?;
                let value = self.value(value, None)?;
                let status = self.own(*status)?;
                let spare = self.spare()?;
                let lines = self.assembler.store_exclusive(status, value, address, how, &spare);
                self.lines.extend(lines);
                Ok(())
            }
            Instruction::Update { update: Update::BlockingReadWrite { .. }, .. } => {
                Err("a blocking read-write")
            }
            Instruction::Update { result, address, update, access } => {
                self.update(*result, address, update, *access)
            }
            Instruction::Fence(kind) => {
                self.lines.extend(self.assembler.fence(*kind));
                Ok(())
            }
            Instruction::Choose { .. } => Err("a nondeterministic value"),
            Instruction::Assume(_) => Err("waiting"),
            Instruction::Assert(_) => Err("an assertion"),
            Instruction::Lock | Instruction::Unlock => Err("a locked section"),
        }
    }

    /// The machine register of a register of the program.
    pub(super) fn own(&self, register: RegisterId) -> Result<Reg, Refusal> {
        self.allocation.registers[register].ok_or("a register that the machine lacks")
    }

    /// Two registers and two labels that nothing else uses.
    pub(super) fn spare(&mut self) -> Result<Spare, Refusal> {
        let registers = [self.scratch()?, self.scratch()?];
        let mut label = || {
            self.labels += 1;
            format!("M{}", self.labels)
        };
        Ok(Spare { registers, labels: [label(), label()] })
    }

    fn assign(&mut self, register: RegisterId, value: &Expr) -> Result<(), Refusal> {
        let to = self.own(register)?;
        let from = self.value(value, Some(to))?;
        let bounds = self.bounds(value);
        if from != to {
            self.lines.extend(self.assembler.copy(to, from));
        }
        let widest = signed(64);
        self.settle(register, to, bounds.unwrap_or((widest.min(), widest.max())))
    }

    /// Wraps what is in a register, a value in these bounds, as the program's register does.
    pub(super) fn settle(
        &mut self,
        register: RegisterId,
        machine: Reg,
        (low, high): (program::Value, program::Value),
    ) -> Result<(), Refusal> {
        let domain = self.template.registers()[register].domain;
        let Domain::Wrapping(int) = domain else { return Ok(()) };
        let (least, greatest) = domain_bounds(domain, self.small);
        if least <= low && high <= greatest || int.bits() >= self.form.undeclared_bits {
            return Ok(());
        }
        self.extended(machine, int, Some(machine)).map(|_| ())
    }

    /// How an access touches memory.
    pub(super) fn how(&self, address: &Expr, access: Access) -> Result<How, Refusal> {
        let locations = self.program.memory().locations();
        let type_of = |domain: Domain| match domain {
            Domain::Wrapping(int) => int,
            Domain::Integer | Domain::Range { .. } => signed(self.form.undeclared_bits),
        };
        let int: IntType = if let program::AccessWidth::Across(int) = access.width {
            int
        } else if let Expr::Element(location, _) = address {
            type_of(locations[*location].domain)
        } else {
            let mut all = locations.iter().map(|location| type_of(location.domain));
            let first = all.next().ok_or("an access to this address")?;
            let width = match access.width {
                program::AccessWidth::Bytes(bytes) => Some(bytes * 8),
                program::AccessWidth::Cell | program::AccessWidth::Across(_) => None,
            };
            match width {
                // Cells of a width may differ in sign.
                Some(bits) => locations
                    .iter()
                    .map(|location| type_of(location.domain))
                    .find(|int| int.bits() == bits)
                    .ok_or("an access of a width that no location has")?,
                None if all.all(|int| int == first) => first,
                None => return Err("an access to this address"),
            }
        };
        if int.bits() > self.form.undeclared_bits || !matches!(int.bits(), 8 | 16 | 32 | 64) {
            return Err("an access of this width");
        }
        let declared = match access.width {
            program::AccessWidth::Bytes(bytes) => bytes * 8 == int.bits(),
            program::AccessWidth::Cell | program::AccessWidth::Across(_) => true,
        };
        if !declared {
            return Err("an access of another width than the cell it hits");
        }
        let failure = access.failure.unwrap_or(access.order);
        if access.exclusive && !self.assembler.reserves(int.bits()) {
            return Err("an exclusive access of this width");
        }
        Ok(How { int, order: access.order_either_way(), failure, exclusive: access.exclusive })
    }

    /// An address as an access has it.
    pub(super) fn address(&mut self, expr: &Expr, how: How) -> Result<Address, Refusal> {
        let Some((base, index, offset)) = indexed(self.template, expr) else {
            let base = self.value(expr, None)?;
            return Ok(Address { base, index: None, offset: 0 });
        };
        let (base, offset) = match base {
            Base::Location(location) => (self.pointer(location)?, self.offset(location, offset)?),
            Base::Register(register) => (self.own(register)?, offset),
        };
        let index = index.map(|index| self.own(index)).transpose()?;
        let address = Address { base, index, offset };
        if self.assembler.reaches(address, how) {
            return Ok(address);
        }
        Ok(Address { base: self.whole_address(address)?, index: None, offset: 0 })
    }

    /// An address in one register.
    pub(super) fn whole_address(&mut self, address: Address) -> Result<Reg, Refusal> {
        let mut base = address.base;
        if let Some(index) = address.index {
            let to = self.scratch()?;
            self.lines.extend(self.assembler.add_index(to, base, index));
            base = to;
        }
        if address.offset != 0 {
            let to = self.scratch()?;
            self.lines.extend(self.assembler.add_offset(to, base, address.offset));
            base = to;
        }
        Ok(base)
    }
}
