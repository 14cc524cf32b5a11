//! Compiling atomic updates.

use program::{Access, Expr, FetchOp, IntType, RegisterId, Update};

use super::assembler::{Assembler, How, Reg, Rmw};
use super::value::{Compiler, Refusal};

impl<A: Assembler> Compiler<'_, A> {
    pub(super) fn update(
        &mut self,
        result: Option<RegisterId>,
        address: &Expr,
        update: &Update,
        access: Access,
    ) -> Result<(), Refusal> {
        let how = self.how(address, access)?;
        let place = self.address(address, how)?;
        let place = self.whole_address(place)?;
        let rmw = match update {
            Update::Exchange(value) => Rmw::Exchange(self.value(value, None)?),
            Update::Fetch { op, operand } => {
                self.extreme(*op, operand, how)?;
                Rmw::Fetch(*op, self.value(operand, None)?)
            }
            Update::CompareAndSwap { expected, new } => {
                self.comparable(expected, how.int)?;
                let expected = self.value(expected, None)?;
                Rmw::CompareAndSwap { expected, new: self.value(new, None)? }
            }
            Update::BlockingReadWrite { .. } => return Err("a blocking read-write"),
        };
        let old: Reg = self.scratch()?;
        let spare = self.spare()?;
        let lines = self.assembler.update(old, place, rmw, how, &spare);
        self.lines.extend(lines.ok_or("this atomic update")?);
        if let Some(register) = result {
            let to = self.own(register)?;
            self.lines.extend(self.assembler.copy(to, old));
            self.settle(register, to, (how.int.min(), how.int.max()))?;
        }
        Ok(())
    }

    /// Refuses a minimum or maximum that the machine does not compute.
    fn extreme(&self, op: FetchOp, operand: &Expr, how: How) -> Result<(), Refusal> {
        match op {
            FetchOp::Min | FetchOp::Max => self.comparable(operand, how.int)?,
            FetchOp::MinAs(int) | FetchOp::MaxAs(int) => {
                if int.bits() != how.int.bits() {
                    return Err("a minimum or maximum of another width than that of memory");
                }
                // The words of registers are compared whatever their type is.
                if !matches!(int.bits(), 32 | 64) || int.signed() {
                    self.comparable(operand, how.int)?;
                }
            }
            FetchOp::Add
            | FetchOp::Sub
            | FetchOp::And
            | FetchOp::Or
            | FetchOp::Xor
            | FetchOp::Nand => return Ok(()),
        }
        let int = op.compared(how.int);
        if int.signed() || self.assembler.compares_unsigned(int.bits()) {
            Ok(())
        } else {
            Err("an unsigned minimum or maximum of this width")
        }
    }

    /// Refuses an operand that the machine would wrap before it is compared with memory.
    fn comparable(&self, operand: &Expr, int: IntType) -> Result<(), Refusal> {
        match self.bounds(operand) {
            Some((low, high)) if int.min() <= low && high <= int.max() => Ok(()),
            Some(_) | None => Err("comparing memory with a value it may not be able to hold"),
        }
    }
}
