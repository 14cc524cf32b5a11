//! Compiling atomic updates.

use program::{Access, Expr, FetchOp, RegisterId, Update};

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
                if matches!(op, FetchOp::Min | FetchOp::Max) {
                    self.comparable(operand, how)?;
                    if !how.int.signed() && !self.assembler.has_unsigned_extremes() {
                        return Err("an unsigned minimum or maximum");
                    }
                }
                Rmw::Fetch(*op, self.value(operand, None)?)
            }
            Update::CompareAndSwap { expected, new } => {
                self.comparable(expected, how)?;
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

    /// Refuses an operand that the machine would wrap before it is compared with memory.
    fn comparable(&self, operand: &Expr, how: How) -> Result<(), Refusal> {
        match self.bounds(operand) {
            Some((low, high)) if how.int.min() <= low && high <= how.int.max() => Ok(()),
            Some(_) | None => Err("comparing memory with a value it may not be able to hold"),
        }
    }
}
