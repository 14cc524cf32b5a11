//! How many subscripts the address of a load has where the load is located.
//!
//! clang locates the loads of `p`, of `p->f[i]` and of `p->f[i][j]` where `p` stands, and so it does the computation of an
//! address from each subscript. So the computations that lead from one load to the next at one place tell which of
//! the expressions that begin there is read.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "what is not named here is where an address begins"
)]

use llvm::{Constant, Function, Instruction, LocalId, Module, Operation, Value};

/// Where the locals of a function come from.
pub(crate) struct Definitions<'f>(Vec<Option<&'f Instruction>>);

impl<'f> Definitions<'f> {
    pub(crate) fn new(function: &'f Function) -> Self {
        let mut all = vec![None; function.locals.len()];
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            if let Some(local) = instruction.result {
                all[local.index()] = Some(instruction);
            }
        }
        Self(all)
    }

    fn of(&self, local: LocalId) -> Option<&'f Instruction> {
        self.0.get(local.index()).copied().flatten()
    }

    /// How many subscripts of an expression that begins where a load is located lead to its address; nothing if there
    /// are constant ones, which leave no instruction.
    pub(crate) fn subscripts(&self, module: &Module, load: &Instruction) -> Option<usize> {
        let Operation::Load { ty, address, .. } = &load.operation else { return None };
        let (mut loaded, mut address, mut count) = (*ty, address, 0);
        loop {
            let local = match &address.value {
                Value::Local(local) => *local,
                Value::Constant(Constant::Symbol(symbol)) => {
                    let global = module.symbol(*symbol).global()?;
                    return (global.ty == loaded).then_some(count);
                }
                _ => return None,
            };
            let Some(from) = self.of(local) else { return Some(count) };
            let is_here = from.location == load.location;
            match &from.operation {
                Operation::GetElementPtr { base, .. } => {
                    count += usize::from(is_here);
                    address = base;
                }
                Operation::Cast { value, .. } => address = value,
                Operation::Load { ty, address: from, .. } if is_here => {
                    (loaded, address) = (*ty, from);
                }
                _ => return Some(count),
            }
        }
    }
}
